import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

const main = join(import.meta.dirname, "..", "main.ts");

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<Ended>;
}

function start(...options: string[]): Started {
  const child = spawn(process.execPath, [main, "start", ...options]);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const ended = new Promise<Ended>((resolve) => child.on("close", (status) => resolve({ status, output })));
  return { child, output: () => output, ended };
}

/** Until it has written that. */
async function read({ output, ended }: Started, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(output());
    if (found !== null) return found;
    const over = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))]);
    if (over !== undefined) throw new Error(`It ended without ${pattern}: ${output()}`);
  }
}

describe("karpenter start", () => {
  let folder: string;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "start-command-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("tells what happens line by line, and leaves nothing behind when it is interrupted", async () => {
    const started = start("--speed", "20", "--instance-types", "generic");
    const [, kubeconfig = ""] = await read(started, /^export KUBECONFIG=(.*)$/m);
    const mode = statSync(kubeconfig).mode & 0o777;
    await read(started, /^\d\d:\d\d:\d\d {2}created general-\w+ for \d+ pods?: /m);
    started.child.kill("SIGINT");
    const { status, output } = await started.ended;
    assert.deepEqual([status, mode, existsSync(kubeconfig), output.includes("\u001b")], [0, 0o600, false, false]);
  });

  it("runs one's own manifests, on the sample pools where they bring none", async () => {
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\n" +
      "spec: {containers: [{name: main, image: main, resources: {requests: {cpu: 3}}}]}\n";
    const started = start("--file", file("pod.yaml", pod), "--speed", "5", "--instance-types", "generic");
    await read(started, /created (general|arm)-\w+ for 1 pod: /);
    started.child.kill("SIGTERM");
    const { status, output } = await started.ended;
    assert.equal(status, 0);
    assert.doesNotMatch(output, /shop/);
  });

  it("ends by itself after the time it was given, and says what there was", async () => {
    const { status, output } = await start("--duration", "100ms", "--instance-types", "generic").ended;
    assert.equal(status, 0);
    assert.match(output, /\nAfter \d+s: .*\$\d+\.\d{3}\/h, cpu \d+%, memory \d+%, \d+ pods? running, .*\d+ pending\n$/);
  });

  it("says what is wrong with an option", async () => {
    const outputs = await Promise.all(
      [
        ["--speed", "0"],
        ["--duration", "soon"],
        ["--instance-types", join(folder, "missing.json")],
        ["--port", "99999"],
      ].map(async (options) => (await start(...options).ended).output),
    );
    assert.match(outputs[0] ?? "", /Give a number above 0 and up to 1000/);
    assert.match(outputs[1] ?? "", /Give a time above 0, such as 60s, 5m or 1h30m\./);
    assert.match(outputs[2] ?? "", /^error: Cannot read the file of instance types .*missing\.json/m);
    assert.match(outputs[3] ?? "", /Give a port from 1 to 65535, or 0 for any that is free\./);
  });
});
