import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "./lock.ts";

describe("a lock", () => {
  const folder = mkdtempSync(join(tmpdir(), "karpenter-lock-"));
  const file = join(folder, "lock");
  after(() => rmSync(folder, { recursive: true }));

  it("lets one act at a time, and is gone afterwards", async () => {
    const story: string[] = [];
    const act = (name: string) => async () => {
      story.push(`${name} begins`);
      await sleep(20);
      story.push(`${name} ends`);
    };
    await Promise.all([withLock(file, act("one")), withLock(file, act("other"))]);
    // Either may be the first.
    const [first, second] = story[0] === "one begins" ? ["one", "other"] : ["other", "one"];
    assert.deepEqual(story, [`${first} begins`, `${first} ends`, `${second} begins`, `${second} ends`]);
    assert.equal(existsSync(file), false);
  });

  it("is free again after an act that failed", async () => {
    const failing = withLock(file, async () => Promise.reject(new Error("no")));
    await assert.rejects(failing, /no/);
    assert.equal(await withLock(file, async () => "done"), "done");
  });

  it("is taken over from a process that is gone", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(file, String(pid));
    assert.equal(await withLock(file, async () => "done"), "done");
  });
});
