import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { EmbeddedCluster } from "../cluster.ts";
import { systemClock } from "../time/system-clock.ts";
import { type ServedCluster, serveCluster } from "./serve-cluster.ts";

const cluster = () =>
  new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["scheduler", "workloads", "kubelet"] });

interface Kubeconfig {
  clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
  users: [{ user: { token?: string } }];
}

describe("the API over HTTPS", () => {
  let served: ServedCluster;
  let config: Kubeconfig;
  before(async () => {
    served = await serveCluster(cluster());
    config = parse(served.kubeconfig) as Kubeconfig;
  });
  after(() => served.close());

  function get(path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
    const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64");
    return new Promise((resolve, reject) => {
      httpsRequest(`${served.url}${path}`, { headers, ca, agent: false, servername: "localhost" }, (response) => {
        let body = "";
        response.on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      })
        .on("error", reject)
        .end();
    });
  }

  it("answers whoever has the token of the kubeconfig, and checks out by its certificate", async () => {
    const { status } = await get("/api/v1/namespaces/default", {
      authorization: `Bearer ${config.users[0].user.token}`,
    });
    assert.equal(status, 200);
  });

  it("answers nobody else, but says whether it is healthy", async () => {
    const paths = ["/api/v1/namespaces", "/apis", "/openapi/v3", "/healthz", "/version"];
    const statuses = await Promise.all(paths.map(async (path) => (await get(path, {})).status));
    const wrongToken = await get("/api/v1/namespaces", { authorization: "Bearer guess" });
    assert.deepEqual([statuses, wrongToken.status], [[401, 401, 401, 200, 200], 401]);
  });

  it("serves no other host and no web page", async () => {
    const token = { authorization: `Bearer ${config.users[0].user.token}` };
    const foreign = await get("/api/v1/namespaces", { ...token, host: "evil.example.com" });
    const page = await get("/api/v1/namespaces", { ...token, origin: "https://evil.example.com" });
    assert.deepEqual([foreign.status, page.status], [403, 403]);
  });
});

describe("the API over plain HTTP", () => {
  let served: ServedCluster;
  before(async () => {
    served = await serveCluster(cluster(), { isPlain: true });
  });
  after(() => served.close());

  /** Sends bytes as they are. */
  function sendRaw(text: string): Promise<string> {
    const { port } = new URL(served.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("close", () => resolve(answer));
      socket.on("error", reject);
    });
  }

  it("survives requests that are not HTTP", async () => {
    const answer = await sendRaw("\x00\x01\x02 nonsense\r\n\r\n");
    const { status } = await get("/healthz");
    assert.deepEqual([answer.split("\r\n")[0], status], ["HTTP/1.1 400 Bad Request", 200]);
  });

  it("serves no other host", async () => {
    const answer = await sendRaw("GET /api HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n");
    assert.equal(answer.split("\r\n")[0], "HTTP/1.1 403 Forbidden");
  });

  it("stops reading a body that is too large", async () => {
    const { status, body } = await get("/api/v1/namespaces/default/configmaps", "x".repeat(4 * 1024 * 1024));
    assert.deepEqual([status, JSON.parse(body).reason], [413, "RequestEntityTooLarge"]);
  });

  it("says which port is taken", async () => {
    const port = Number(new URL(served.url).port);
    await assert.rejects(
      serveCluster(cluster(), { port, isPlain: true }),
      /the port is in use; choose another with --port/,
    );
  });

  function get(path: string, body?: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const method = body === undefined ? "GET" : "POST";
      const request = httpRequest(`${served.url}${path}`, { method, agent: false }, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      });
      request.on("error", reject);
      request.end(body);
    });
  }
});
