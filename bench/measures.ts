import { boundsOf } from "./bound.ts";
import { openCatalogue } from "./catalogue.ts";
import * as goals from "./goals.ts";
import type { CostLine, FastLine, GrowthLine, MemoryLine, Subject } from "./lines.ts";
import { PeerRecord } from "./peer-record.ts";
import type { Attempt, Planners } from "./planners.ts";
import { catalogueFile, generateScenario, type ScenarioOptions, scenarioName } from "./scenarios.ts";
import { costOf, inMegabytes, ratio, resultOf, secondsOf, toDigits } from "./scores.ts";

/** Takes the measurements. What the peer did is remembered, because several measures look at it. */
export class Measures {
  private readonly planners: Planners;
  private readonly rounds: number;
  private readonly say: (text: string) => void;
  private readonly catalogue = openCatalogue(catalogueFile);
  private readonly peerRecord = new PeerRecord();

  constructor(planners: Planners, { rounds, say }: { rounds: number; say: (text: string) => void }) {
    this.planners = planners;
    this.rounds = rounds;
    this.say = say;
  }

  /** Speed: ours and the peer take turns, so that a busy moment of the machine hits both. */
  async fast(subject: Subject, pods: number): Promise<FastLine> {
    const scenario = scenarioOf(subject, pods);
    const [ours, peer]: [Attempt[], Attempt[]] = [[], []];
    for (let round = 0; round < this.rounds; round++) {
      this.say(`fast: ${scenarioName(scenario)}, ours, round ${round + 1}`);
      ours.push(await this.planners.plan({ scenario, effort: "fast", runs: 5 }));
      // One that ran out of time would do so again.
      if (this.planners.hasPeer && peer.every(({ kind }) => kind === "done"))
        peer.push(await this.planWithPeer(scenario));
    }
    this.peerRecord.set(scenario, peer);
    const results = { ours: resultOf(pods, ours), peer: peer.length === 0 ? null : resultOf(pods, peer) };
    const judged = {
      measure: "fast" as const,
      ...subject,
      pods,
      ...results,
      speedRatio: ratio(secondsOf(results.peer), secondsOf(results.ours)),
      costRatio: ratio(costOf(results.ours), costOf(results.peer)),
      goal: { speedRatio: goals.speedRatioGoal, costRatio: goals.costRatioGoal },
    };
    return { ...judged, met: goals.judgeFast(judged) };
  }

  /** Cost: the planner takes the time that it takes unless told to be fast. */
  async cost(subject: Subject, pods: number): Promise<CostLine> {
    const scenario = scenarioOf(subject, pods);
    const peer = await this.peerFor(scenario);
    this.say(`cost: ${scenarioName(scenario)}, ours`);
    const attempt = await this.planners.plan({ scenario, effort: "full", runs: 1 });
    this.say(`cost: ${scenarioName(scenario)}, lower bounds`);
    const bounds = boundsOf({ scenario: generateScenario(scenario), catalogue: this.catalogue });
    const results = { ours: resultOf(pods, [attempt]), peer: peer.length === 0 ? null : resultOf(pods, peer) };
    const goal = goals.costToBoundGoal(subject.kind, subject.pool);
    const judged = {
      measure: "cost" as const,
      ...subject,
      pods,
      ...results,
      boundPerHour: toDigits(bounds.boundPerHour),
      fitBoundPerHour: toDigits(bounds.fitBoundPerHour),
      costToBound: ratio(costOf(results.ours), bounds.boundPerHour),
      costToFitBound: ratio(costOf(results.ours), bounds.fitBoundPerHour),
      peerCostToBound: ratio(costOf(results.peer), bounds.boundPerHour),
      peerCostToFitBound: ratio(costOf(results.peer), bounds.fitBoundPerHour),
      allowedSeconds: Math.max(goals.allowedSecondsAlways, secondsOf(results.peer) ?? 0),
      goal: goal === undefined ? null : { costToBound: goal },
      isReachable: goal === undefined || bounds.fitBoundPerHour <= goal * bounds.boundPerHour,
    };
    return { ...judged, met: goals.judgeCost(judged) };
  }

  /** Growth: how much longer a pod takes among many. */
  async growth(subject: Subject, { small, large }: { small: number; large: number }): Promise<GrowthLine> {
    const [before, after]: [Attempt[], Attempt[]] = [[], []];
    for (let round = 0; round < this.rounds; round++) {
      this.say(`growth: ${subject.kind}, round ${round + 1}`);
      before.push(await this.planners.plan({ scenario: scenarioOf(subject, small), effort: "fast", runs: 15 }));
      after.push(await this.planners.plan({ scenario: scenarioOf(subject, large), effort: "fast", runs: 3 }));
    }
    const [smallResult, largeResult] = [resultOf(small, before), resultOf(large, after)];
    const growth = ratio(ratio(secondsOf(largeResult), large), ratio(secondsOf(smallResult), small));
    const judged = {
      measure: "growth" as const,
      ...subject,
      small: { pods: small, result: smallResult },
      large: { pods: large, result: largeResult },
      growth,
      peer: this.peerRecord.growthOf(subject),
      goal: { growth: goals.growthGoal },
    };
    return { ...judged, met: goals.judgeGrowth(judged) };
  }

  /** Memory: all of the process, on the whole catalogue, in one cold run. */
  async memory(subject: Subject, pods: number): Promise<MemoryLine> {
    const scenario = scenarioOf(subject, pods);
    this.say(`memory: ${scenarioName(scenario)}`);
    const attempt = await this.planners.plan({ scenario, effort: "full" });
    const line = {
      measure: "memory" as const,
      ...subject,
      pods,
      instanceTypes: this.catalogue.size,
      effort: "full" as const,
      peakMemoryMb: attempt.kind === "done" ? inMegabytes(attempt.peakMemoryBytes) : null,
      peer: this.peerRecord.memoryOf(subject.kind),
      goal: { peakMemoryMb: goals.peakMemoryMbGoal },
    };
    return { ...line, met: goals.judgeMemory(line) };
  }

  private async peerFor(scenario: ScenarioOptions): Promise<readonly Attempt[]> {
    const known = this.peerRecord.get(scenario);
    if (known !== undefined || !this.planners.hasPeer) return known ?? [];
    const attempts = [await this.planWithPeer(scenario)];
    this.peerRecord.set(scenario, attempts);
    return attempts;
  }

  private planWithPeer(scenario: ScenarioOptions): Promise<Attempt> {
    this.say(`${scenarioName(scenario)}, the peer`);
    return this.planners.planWithPeer(scenario, scenario.pods <= 1000 ? 3 : 1);
  }
}

function scenarioOf({ kind, seed, pool }: Subject, pods: number): ScenarioOptions {
  return { kind, seed, pods, isTypical: pool === "typical" };
}
