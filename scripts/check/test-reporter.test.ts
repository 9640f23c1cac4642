import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { readReports } from "./read-reports.ts";

describe("the reports of tests", () => {
  const folder = mkdtempSync(join(tmpdir(), "karpenter-run-tests-"));
  after(() => rmSync(folder, { recursive: true }));

  /** In a process without this one's environment, in which it would be a test of this one. */
  function run(source: string) {
    const file = join(folder, "some.test.mjs");
    const reports = join(folder, "reports");
    writeFileSync(file, `import { describe, it } from "node:test";\n${source}`);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const batch = [join(import.meta.dirname, "run-batch.ts"), reports, file];
    const { status, stderr } = spawnSync(process.execPath, batch, { env, encoding: "utf8" });
    return { status, stderr, reports: readReports(reports).filter(({ kind }) => kind !== "topLevel") };
  }

  it("tell of each test how it ended, by its whole name, and that all have ended", () => {
    const { status, reports } = run(`
      describe("a group", () => {
        it("holds", () => {});
        it("does not hold", () => { throw new Error("it is 7"); });
        it.skip("is for later", () => {});
      });`);
    assert.equal(status, 1);
    assert.deepEqual(
      reports.map((report) => (report.kind === "test" ? [report.name, report.outcome] : report)),
      [
        ["a group › holds", "passed"],
        ["a group › does not hold", "failed"],
        ["a group › is for later", "skipped"],
        { kind: "summary", isOk: false },
      ],
    );
    const failed = reports.find((report) => report.kind === "test" && report.outcome === "failed");
    assert.match(failed?.kind === "test" ? (failed.error ?? "") : "", /it is 7/);
  });

  it("tell of a group whose hook failed", () => {
    const { reports } = run(`
      import { before } from "node:test";
      describe("a group", () => {
        before(() => { throw new Error("no room"); });
        it("holds", () => {});
      });`);
    assert.ok(reports.some((report) => report.kind === "test" && report.outcome === "failed"));
  });

  it("tell of an error that no test awaited, of which the output says more", () => {
    for (const error of [
      "setTimeout(() => { throw new Error('too late'); })",
      "Promise.reject(new Error('too late'))",
    ]) {
      const { status, stderr, reports } = run(`
        import { setTimeout as pause } from "node:timers/promises";
        it("comes first", async () => await pause(1));
        it("leaves something behind", async () => { await undefined; ${error}; });
        it("comes last", async () => await pause(10));`);
      assert.equal(status, 1);
      assert.match(stderr, /too late/);
      assert.deepEqual(reports.at(-1), { kind: "summary", isOk: false });
    }
  });

  it("do not say that all went well when the process ends before its tests", () => {
    for (const end of ["process.exit(0)", "process.kill(process.pid, 'SIGKILL')"]) {
      const { reports } = run(`it("holds", () => {}); it("ends everything", () => ${end});`);
      assert.ok(!reports.some((report) => report.kind === "summary" && report.isOk), end);
    }
  });
});
