import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

const bin = join(import.meta.dirname, "..", "bin");

describe("bin/karpenter", () => {
  let root: string;

  before(() => {
    root = mkdtempSync(join(tmpdir(), "launch-"));
    cpSync(bin, join(root, "bin"), { recursive: true });
    mkdirSync(join(root, "dist", "cli"), { recursive: true });
    writeFileSync(
      join(root, "dist", "cli", "main.js"),
      `const [act, ...rest] = process.argv.slice(2);
       if (act === "echo") console.log(JSON.stringify(rest));
       if (act === "exit") process.exitCode = Number(rest[0]);
       if (act === "die") process.kill(process.pid, "SIGKILL");
       if (act === "wait") {
         process.on("SIGTERM", () => process.exit(7));
         console.log("waiting");
         setInterval(() => {}, 1000);
       }`,
    );
  });

  after(() => {
    rmSync(root, { recursive: true });
  });

  const karpenter = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, "bin", "karpenter"), ...args], { encoding: "utf8" });

  it("runs the build of an installed package, with its arguments", () => {
    assert.equal(karpenter("echo", "--flag", "two words").stdout, '["--flag","two words"]\n');
  });

  it("ends with the exit code of the program", () => {
    assert.equal(karpenter("exit", "42").status, 42);
  });

  it("dies of the signal that the program died of", () => {
    assert.equal(karpenter("die").signal, "SIGKILL");
  });

  it("passes a signal on and waits for the program to end", async () => {
    const child = spawn(process.execPath, [join(root, "bin", "karpenter"), "wait"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [7, null]);
  });
});
