import type { GrowthLine, MemoryLine, Subject } from "./lines.ts";
import type { Attempt } from "./planners.ts";
import { type ScenarioOptions, scenarioName } from "./scenarios.ts";
import { inMegabytes, ratio, resultOf, secondsOf } from "./scores.ts";

interface Entry {
  readonly scenario: ScenarioOptions;
  readonly attempts: readonly Attempt[];
}

/** What the peer did. It is slow, so every measure makes do with what another has already asked of it. */
export class PeerRecord {
  private readonly entries = new Map<string, Entry>();

  get(scenario: ScenarioOptions): readonly Attempt[] | undefined {
    return this.entries.get(scenarioName(scenario))?.attempts;
  }

  set(scenario: ScenarioOptions, attempts: readonly Attempt[]): void {
    this.entries.set(scenarioName(scenario), { scenario, attempts });
  }

  /** From the smallest to the largest scenario that it was given. */
  growthOf({ kind, seed, pool }: Subject): GrowthLine["peer"] {
    const known = this.bySize(
      ({ scenario }) => scenario.kind === kind && scenario.seed === seed && scenario.isTypical === (pool === "typical"),
    );
    const [small, large] = [known.at(0), known.at(-1)];
    if (small === undefined || large === undefined || small === large) return null;
    const perPod = ({ scenario, attempts }: Entry) =>
      ratio(secondsOf(resultOf(scenario.pods, attempts)), scenario.pods);
    const growth = ratio(perPod(large), perPod(small));
    if (growth === null) return null;
    const isAtLeast = large.attempts.some(({ kind: outcome }) => outcome === "timeout");
    return { smallPods: small.scenario.pods, largePods: large.scenario.pods, growth, isAtLeast };
  }

  /** Of the largest scenario of the kind that it came to the end of. */
  memoryOf(kind: Subject["kind"]): MemoryLine["peer"] {
    const bytesOf = ({ attempts }: Entry) =>
      Math.max(0, ...attempts.map((attempt) => (attempt.kind === "done" ? attempt.peakMemoryBytes : 0)));
    const largest = this.bySize((entry) => entry.scenario.kind === kind && bytesOf(entry) > 0).at(-1);
    if (largest === undefined) return null;
    return { pods: largest.scenario.pods, peakMemoryMb: inMegabytes(bytesOf(largest)) };
  }

  private bySize(isWanted: (entry: Entry) => boolean): Entry[] {
    return [...this.entries.values()].filter(isWanted).sort((a, b) => a.scenario.pods - b.scenario.pods);
  }
}
