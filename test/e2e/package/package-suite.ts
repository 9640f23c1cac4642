import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Findings } from "../chart/findings.ts";
import { type Suite, type SuiteContext, timed } from "../suite.ts";
import { tryImage } from "./try-image.ts";
import { tryPackage } from "./try-package.ts";
import { tryRelease } from "./try-release.ts";

type Progress = SuiteContext["progress"];

const attempts: Readonly<Record<string, (folder: string, findings: Findings, progress: Progress) => Promise<void>>> = {
  package: tryPackage,
  image: tryImage,
  release: tryRelease,
};

/** What others get: the npm package in an empty folder, what an image would hold, and a release that makes both. */
export const packageSuite: Suite = {
  name: "package",
  async run({ progress, took }) {
    const problems: string[] = [];
    for (const [name, attempt] of Object.entries(attempts)) {
      const folder = mkdtempSync(join(tmpdir(), `karpenter-${name}-`));
      const findings = new Findings();
      try {
        await timed(took, name, () => attempt(folder, findings, (line) => progress(`${name}: ${line}`)));
      } catch (cause) {
        findings.problems.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      progress(`${name}: ${findings.problems.length} problems`);
      problems.push(...findings.problems.map((problem) => `${name}: ${problem}`));
    }
    return problems;
  },
};
