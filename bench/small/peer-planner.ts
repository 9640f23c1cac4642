import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../child.ts";
import type { Plan, Scenario } from "../wire.ts";
import type { Best } from "./best.ts";

const timeoutSeconds = 600;

/** The Go planner, which plans many batches in one process. The best plan counts: they differ from run to run. */
export class PeerPlanner implements Disposable {
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "karpenter-bench-"));

  constructor(program: string) {
    this.#program = program;
  }

  /** In the order of the scenarios. */
  async plan(scenarios: readonly Scenario[], runs: number): Promise<readonly Best[]> {
    const paths = scenarios.map((scenario) => {
      const path = join(this.#folder, `${scenario.name}.json`);
      writeFileSync(path, JSON.stringify(scenario));
      return path;
    });
    const result = await runChild(this.#program, ["--best", "--runs", String(runs), ...paths], { timeoutSeconds });
    for (const path of new Set(paths)) rmSync(path);
    if (result.kind !== "done") {
      const reason = result.kind === "failed" ? result.reason : `it took longer than ${timeoutSeconds} s`;
      throw new Error(`Cannot plan with the Go planner: ${reason}`);
    }
    const lines = result.stdout.trim().split("\n");
    return lines.map((line) => JSON.parse(line) as { readonly seconds: number; readonly plan: Plan });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
