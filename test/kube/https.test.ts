import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TLSSocket } from "node:tls";
import { parse, stringify } from "yaml";
import { HttpKubeTransport } from "../../src/adapters/kube/http-kube-transport.ts";
import { loadKubeConfig } from "../../src/adapters/kube/load-kube-config.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { type ServedCluster, serveCluster } from "../../src/embedded/server/serve-cluster.ts";
import { createServerCertificate } from "../../src/embedded/server/server-certificate.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";
import type { KubeWatchEvent } from "../../src/ports/kube-transport.ts";
import { connectTo } from "./served-access.ts";

describe("over HTTPS", () => {
  const folder = mkdtempSync(join(tmpdir(), "https-"));
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["scheduler", "workloads", "kubelet"] });
  let served: ServedCluster;
  let kube: HttpKubeTransport;
  before(async () => {
    served = await serveCluster(cluster);
    kube = connectTo(served);
  });
  after(async () => {
    await kube.close();
    await served.close();
    cluster.stop();
    rmSync(folder, { recursive: true });
  });

  function write(name: string, content: unknown): string {
    const file = join(folder, name);
    writeFileSync(file, typeof content === "string" ? content : stringify(content));
    return file;
  }

  function reach(kubeconfigPath: string): HttpKubeTransport {
    const access = loadKubeConfig({ kubeconfigPath, env: process.env, homeFolder: folder });
    return new HttpKubeTransport({ access, clock: systemClock, userAgent: "karpenter-ts/test" });
  }

  const nodes = "/api/v1/nodes";
  const versionPath = { method: "GET", path: "/version" } as const;

  describe("a cluster served over HTTPS", () => {
    it("is written to and watched, and a watch ends when the cluster is told to cut it", async () => {
      const list = (await kube.send({ method: "GET", path: nodes })).body as { metadata: { resourceVersion: string } };
      const seen: string[] = [];
      const ended = Promise.withResolvers<void>();
      const path = `${nodes}?watch=true&timeoutSeconds=1&resourceVersion=${list.metadata.resourceVersion}`;
      await kube.watch(
        { method: "GET", path },
        {
          onEvent: ({ type, object }: KubeWatchEvent) =>
            void seen.push(`${type} ${(object as { metadata: { name: string } }).metadata.name}`),
          onRefusal: ({ status }) => ended.reject(new Error(`refused with ${status}`)),
          onEnd: () => ended.resolve(),
        },
      );
      assert.equal((await kube.send({ method: "POST", path: nodes, body: { metadata: { name: "one" } } })).status, 201);
      assert.equal((await kube.send({ method: "DELETE", path: `${nodes}/one` })).status, 200);
      await ended.promise;
      assert.deepEqual(seen, ["ADDED one", "DELETED one"]);
    });

    it("says how long to wait, and its broken connections are rejections", async () => {
      const refusing = cluster.faults.inject({ effect: "refuse", status: 429, probability: 1 });
      const refused = await kube.send({ method: "GET", path: nodes });
      refusing();
      assert.deepEqual([refused.status, refused.retryAfterSeconds], [429, 1]);
      for (const at of ["request", "answer", "half-answer"] as const) {
        const mend = cluster.faults.inject({ effect: "drop", at, probability: 1 });
        await assert.rejects(
          kube.send({ method: "GET", path: nodes }),
          /^Error: No whole answer to GET \/api\/v1\/nodes: /,
        );
        mend();
      }
      assert.equal((await kube.send({ method: "GET", path: nodes })).status, 200);
    });

    it("is reached from a pod by its service account", async () => {
      const { clusters, users } = parse(served.kubeconfig);
      write("ca.crt", Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString());
      write("token", `${users[0].user.token}\n`);
      write("namespace", "karpenter\n");
      const { hostname, port } = new URL(served.url);
      const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
      const access = loadKubeConfig({ env, homeFolder: folder, serviceAccountFolder: folder });
      const transport = new HttpKubeTransport({ access, clock: systemClock, userAgent: "karpenter-ts/test" });
      const { status } = await transport.send({ method: "GET", path: nodes });
      await transport.close();
      assert.deepEqual([access.namespace, status], ["karpenter", 200]);
    });

    it("is not talked to when its certificate is not the one expected, unless that is wanted", async () => {
      const config = parse(served.kubeconfig);
      const statusWith = async (name: string, change: object): Promise<number> => {
        const { server } = config.clusters[0].cluster;
        const clusters = [{ ...config.clusters[0], cluster: { server, ...change } }];
        const transport = reach(write(name, { ...config, clusters }));
        return await transport.send(versionPath).then(
          async ({ status }) => {
            await transport.close();
            return status;
          },
          async (error: Error) => {
            await transport.close();
            throw error;
          },
        );
      };
      const authority = { "certificate-authority-data": config.clusters[0].cluster["certificate-authority-data"] };
      await assert.rejects(statusWith("unknown", {}), /No whole answer to GET \/version: self-signed certificate/);
      await assert.rejects(statusWith("name", { ...authority, "tls-server-name": "kube" }), /Host: kube\. is not in/);
      assert.equal(await statusWith("other-name", { ...authority, "tls-server-name": "localhost" }), 200);
      assert.equal(await statusWith("unverified", { "insecure-skip-tls-verify": true }), 200);
    });
  });

  describe("a client certificate", () => {
    it("is taken from data, from files and from a plugin that renews it", async () => {
      const [mine, first, second] = await Promise.all([1, 2, 3].map(() => createServerCertificate(Date.now())));
      assert.ok(mine && first && second);
      const fingerprints: string[] = [];
      let isRefusing = false;
      // It trusts nobody, and notes whom it meets.
      const options = { key: mine.key, cert: mine.certificate, requestCert: true, rejectUnauthorized: false };
      const server = createServer(options, (request, response) => {
        fingerprints.push((request.socket as TLSSocket).getPeerX509Certificate()?.toString() ?? "none");
        response.writeHead(isRefusing ? 401 : 200, { "content-type": "application/json" }).end("{}");
        isRefusing = false;
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const base64 = (text: string) => Buffer.from(text).toString("base64");
      const configOf = (user: object) => ({
        clusters: [{ name: "c", cluster: { server: address, "certificate-authority-data": base64(mine.certificate) } }],
        users: [{ name: "u", user }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      });
      write("client.crt", first.certificate);
      write("client.key", first.key);
      const apiVersion = "client.authentication.k8s.io/v1beta1";
      const issue = ({ certificate, key }: typeof first) => {
        const status = { clientCertificateData: certificate, clientKeyData: key };
        write("issued.json", JSON.stringify({ apiVersion, kind: "ExecCredential", status }));
      };
      issue(first);
      const args = [
        "-e",
        `console.log(require("fs").readFileSync(${JSON.stringify(join(folder, "issued.json"))}, "utf8"))`,
      ];
      const ways = {
        data: { "client-certificate-data": base64(first.certificate), "client-key-data": base64(first.key) },
        files: { "client-certificate": "client.crt", "client-key": "client.key" },
        plugin: { exec: { apiVersion, command: process.execPath, args } },
      };
      for (const [name, user] of Object.entries(ways)) {
        const transport = reach(write(`${name}.yaml`, configOf(user)));
        await transport.send(versionPath);
        if (name === "plugin") {
          issue(second);
          isRefusing = true;
          assert.equal((await transport.send(versionPath)).status, 200);
        }
        await transport.close();
      }
      await new Promise((resolve) => server.close(resolve));
      const met = fingerprints.map((pem) =>
        pem.trim() === first.certificate.trim()
          ? "first"
          : pem.trim() === second.certificate.trim()
            ? "second"
            : "none",
      );
      assert.deepEqual(met, ["first", "first", "first", "first", "second"]);
    });
  });
});
