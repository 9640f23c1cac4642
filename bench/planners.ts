import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Catalogue, openCatalogue } from "./catalogue.ts";
import { type ChildResult, runChild } from "./child.ts";
import { catalogueFile, generateScenario, type ScenarioOptions } from "./scenarios.ts";
import { type Verdict, verifyPlan } from "./verify.ts";
import type { Plan } from "./wire.ts";

/** How a planner did on a scenario. Cost and preferences are what the checker found, not what the planner said. */
export interface Performance {
  readonly kind: "done";
  readonly seconds: number;
  readonly verdict: Verdict;
  readonly peakMemoryBytes: number;
}

export type Attempt = Performance | Exclude<ChildResult, { kind: "done" }>;

export type Effort = "fast" | "full";

export interface PlanRequest {
  readonly scenario: ScenarioOptions;
  readonly effort: Effort;
  /** Warm runs, of which the median counts. Undefined: one cold run. */
  readonly runs?: number;
}

export interface PlannersOptions {
  /** Our planner's program: a script that Node runs. */
  readonly karpenter: string;
  /** The Go planner's program. */
  readonly peer: string | undefined;
  readonly timeoutSeconds: number;
}

/** What the planners print. */
interface Summary {
  readonly seconds: number;
  readonly costPerHour: number;
  readonly boundPerHour?: number;
  readonly peakMemoryBytes?: number;
}

/** Runs planners in processes of their own, as anybody would, and checks what comes out. */
export class Planners implements Disposable {
  readonly hasPeer: boolean;
  private readonly options: PlannersOptions;
  private readonly folder = mkdtempSync(join(tmpdir(), "karpenter-bench-"));
  private readonly catalogue: Catalogue = openCatalogue(catalogueFile);
  private readonly written = new Set<string>();

  constructor(options: PlannersOptions) {
    this.options = options;
    this.hasPeer = options.peer !== undefined;
  }

  async plan({ scenario, effort, runs }: PlanRequest): Promise<Attempt> {
    const [planPath, memoryPath] = [join(this.folder, "plan.json"), join(this.folder, "memory")];
    writeFileSync(memoryPath, "");
    const args = [this.options.karpenter, "plan", "--scenario", this.write(scenario), "--out", planPath, "--json"];
    if (effort === "fast") args.push("--effort", "fast");
    if (runs !== undefined) args.push("--runs", String(runs));
    const hook = pathToFileURL(join(import.meta.dirname, "report-peak-memory.ts")).href;
    const result = await runChild(process.execPath, args, {
      timeoutSeconds: this.options.timeoutSeconds,
      env: { ...process.env, NODE_OPTIONS: `--import=${hook}`, KARPENTER_BENCH_MEMORY_FILE: memoryPath },
    });
    if (result.kind !== "done") return result;
    const performance = this.check(scenario, planPath, JSON.parse(result.stdout) as Summary);
    const peaks = readFileSync(memoryPath, "utf8").split("\n").map(Number);
    return { ...performance, peakMemoryBytes: Math.max(...peaks) };
  }

  async planWithPeer(scenario: ScenarioOptions, runs: number): Promise<Attempt> {
    if (this.options.peer === undefined) return { kind: "failed", reason: "there is no peer" };
    const planPath = join(this.folder, "peer-plan.json");
    const args = ["--runs", String(runs), "--out", planPath, this.write(scenario)];
    const result = await runChild(this.options.peer, args, { timeoutSeconds: this.options.timeoutSeconds });
    if (result.kind !== "done") return result;
    return this.check(scenario, planPath, JSON.parse(result.stdout) as Summary);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private write(options: ScenarioOptions): string {
    const scenario = generateScenario(options);
    const path = join(this.folder, `${scenario.name}.json`);
    if (!this.written.has(path)) writeFileSync(path, JSON.stringify(scenario));
    this.written.add(path);
    return path;
  }

  private check(options: ScenarioOptions, planPath: string, summary: Summary): Performance {
    const file = { scenario: generateScenario(options), catalogue: this.catalogue };
    const verdict = verifyPlan(file, JSON.parse(readFileSync(planPath, "utf8")) as Plan);
    const claims: string[] = [];
    if (Math.abs(summary.costPerHour - verdict.costPerHour) > 1e-6) claims.push(`a cost of ${summary.costPerHour}`);
    if ((summary.boundPerHour ?? 0) > verdict.costPerHour + 1e-6) claims.push(`a bound of ${summary.boundPerHour}`);
    return {
      kind: "done",
      seconds: summary.seconds,
      peakMemoryBytes: summary.peakMemoryBytes ?? 0,
      verdict: {
        ...verdict,
        violations: verdict.violations + claims.length,
        kinds: claims.length === 0 ? verdict.kinds : { ...verdict.kinds, "wrong claim": claims.length },
        examples: [...verdict.examples, ...claims.map((claim) => `wrong claim: ${claim}`)],
      },
    };
  }
}
