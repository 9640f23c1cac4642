import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ConfigSection, KubeConfigError } from "./config-section.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { execPluginOf } from "./exec-plugin.ts";

const folder = mkdtempSync(join(tmpdir(), "exec-"));
after(() => rmSync(folder, { recursive: true }));

const apiVersion = "client.authentication.k8s.io/v1";
const cluster = { server: "https://lab", tls: { serverName: "kube" }, execConfig: { audience: "a" } };
const place = { file: "/home/me/.kube/config", owner: 'exec of user "admin"' };

/** A program of ours as a plugin. */
function plugin(script: string, more: object = {}): ExecCredentials {
  const fields = { apiVersion, command: process.execPath, args: ["-e", script], ...more };
  return new ExecCredentials(execPluginOf(new ConfigSection(fields, place), { cluster, env: process.env }), {});
}

function printing(status: object, more: object = {}): string {
  return `console.log(${JSON.stringify(JSON.stringify({ apiVersion, kind: "ExecCredential", status, ...more }))})`;
}

/** Prints a token that counts how often it ran. */
function counting(name: string, expiry: string): string {
  const file = join(folder, name);
  writeFileSync(file, "0");
  return `
    const fs = require("fs");
    const count = Number(fs.readFileSync(${JSON.stringify(file)}, "utf8")) + 1;
    fs.writeFileSync(${JSON.stringify(file)}, String(count));
    const status = { token: "token-" + count${expiry} };
    console.log(JSON.stringify({ apiVersion: ${JSON.stringify(apiVersion)}, kind: "ExecCredential", status }));`;
}

describe("an exec plugin", () => {
  it("is told what the kubeconfig says", async () => {
    const script = `
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = Buffer.from(JSON.stringify({ spec, own: process.env.OWN })).toString("base64url");
      console.log(JSON.stringify({ apiVersion: ${JSON.stringify(apiVersion)}, kind: "ExecCredential", status: { token } }));`;
    const credentials = plugin(script, { env: [{ name: "OWN", value: "1" }], provideClusterInfo: true });
    const { authorization = "" } = await credentials.current(0);
    assert.deepEqual(JSON.parse(Buffer.from(authorization.slice("Bearer ".length), "base64url").toString()), {
      spec: {
        interactive: false,
        cluster: { server: "https://lab", "tls-server-name": "kube", config: { audience: "a" } },
      },
      own: "1",
    });
  });

  it("runs once for all who ask, and again when what it gave has expired", async () => {
    const credentials = plugin(counting("expiry", ', expirationTimestamp: "1970-01-01T00:01:00Z"'));
    const tokens = await Promise.all([credentials.current(0), credentials.current(0)]);
    tokens.push(await credentials.current(59_999), await credentials.current(60_000));
    assert.deepEqual(
      tokens.map(({ authorization }) => authorization),
      ["Bearer token-1", "Bearer token-1", "Bearer token-1", "Bearer token-2"],
    );
  });

  it("runs again when the server refuses, but not for every refusal", async () => {
    const credentials = plugin(counting("renewal", ""));
    const first = await credentials.current(0);
    assert.deepEqual(await Promise.all([credentials.renew(first, 1), credentials.renew(first, 1)]), [true, true]);
    const second = await credentials.current(2);
    assert.deepEqual([second.authorization, await credentials.renew(second, 3)], ["Bearer token-2", false]);
    assert.equal(readFileSync(join(folder, "renewal"), "utf8"), "2");
    assert.equal(await credentials.renew(second, 20_000), true);
  });

  it("that gives nothing usable is named with the next step, and what it printed is not", async () => {
    const start = `/home/me/.kube/config: command "${process.execPath}" of exec of user "admin"`;
    const mistakes: readonly (readonly [ExecCredentials, string])[] = [
      [plugin("process.exit(3)"), `${start} ended with 3; run it by hand to see why`],
      [plugin('console.log("sec-ret")'), `${start} printed no JSON; correct args so that it prints an ExecCredential`],
      [plugin('console.log("{}")'), `${start} printed something else than an ExecCredential; correct args`],
      [
        plugin(printing({ token: "sec-ret" }, { apiVersion: "other" })),
        `${start} printed another apiVersion than ${apiVersion}; set apiVersion to the one it prints`,
      ],
      [plugin(printing({})), `${start} printed neither a token nor a certificate; log in with it by hand`],
      [
        plugin(printing({ clientKeyData: "sec-ret" })),
        `${start} printed only one of status.clientCertificateData and status.clientKeyData; update it`,
      ],
      [
        plugin(printing({ token: "sec-ret", expirationTimestamp: "soon" })),
        `${start} printed a status.expirationTimestamp that is no time; update it`,
      ],
      [
        plugin("", { command: "no-such-plugin", installHint: "get it from your cloud" }),
        '/home/me/.kube/config: command "no-such-plugin" of exec of user "admin" cannot be started (ENOENT); get it from your cloud',
      ],
    ];
    const seen = await Promise.allSettled(mistakes.map(([credentials]) => credentials.current(0)));
    assert.deepEqual(
      seen.map((ending) => (ending.status === "rejected" ? String(ending.reason.message) : "none")),
      mistakes.map(([, message]) => message),
    );
    assert.ok(seen.every((ending) => ending.status === "rejected" && ending.reason instanceof KubeConfigError));
  });

  it("begins at the kubeconfig where its command is a path", () => {
    const section = new ConfigSection({ apiVersion, command: "bin/login" }, place);
    assert.equal(execPluginOf(section, { cluster, env: {} }).command, "/home/me/.kube/bin/login");
  });
});
