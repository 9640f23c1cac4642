import type { Blocker, Candidate } from "../../core/disruption/candidate.ts";
import { restsUntil } from "../../core/disruption/cool-down.ts";
import type { DecidedCandidate } from "../../core/disruption/decision.ts";
import { describeBlocker } from "../../core/disruption/describe-blocker.ts";
import { type DisruptionMode, type DisruptionView, judgeCandidate } from "../../core/disruption/judge-candidate.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { pause } from "../../runtime/pause.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";

const judgedAtOnce = 500;

/** The cluster as it is when it is decided what goes. */
export class Look {
  readonly view: DisruptionView;
  readonly #options: LookoutOptions;

  constructor(view: DisruptionView, options: LookoutOptions) {
    this.view = view;
    this.#options = options;
  }

  /** Every claim of ours that no command has: a candidate, or why it is none. */
  async judge(mode: DisruptionMode, isOfInterest: (claim: NodeClaim) => boolean = () => true): Promise<Judgement> {
    const { cloud, clock } = this.#options;
    const { cluster, now, isBusy } = this.view;
    const judgement = new Judgement();
    const claims = [...cluster.claims.values()].filter(
      (claim) => isManaged(claim, cloud.nodeClassKinds) && !isBusy(claim.name) && isOfInterest(claim),
    );
    for (const [index, claim] of claims.entries()) {
      // Others have their turn in between.
      if (index > 0 && index % judgedAtOnce === 0) await pause(clock, 0);
      const judged = judgeCandidate(claim, this.view, mode);
      const rests = restsUntil(claim, now);
      if ("kind" in judged) judgement.block(claim, judged);
      else if (rests === undefined) judgement.admit(judged);
      else judgement.say(claim, `its last move failed, it is left alone until ${new Date(rests).toISOString()}`);
    }
    return judgement;
  }
}

/** Who may go, and why the others may not. */
export class Judgement {
  readonly candidates: Candidate[] = [];
  readonly blocked: { readonly claim: NodeClaim; readonly blocker: Blocker }[] = [];
  readonly #verdicts = new Map<string, DecidedCandidate>();

  admit(candidate: Candidate): void {
    this.candidates.push(candidate);
  }

  block(claim: NodeClaim, blocker: Blocker): void {
    this.blocked.push({ claim, blocker });
    this.say(claim, describeBlocker(blocker));
  }

  /** Why the node stays, or with `isTaken` why it goes. */
  say(claim: NodeClaim, because: string, isTaken = false): void {
    const { name, nodeName, labels } = claim;
    const pool = labels.get(nodePoolLabel) ?? "";
    this.#verdicts.set(name, { node: nodeName, claim: name, pool, isTaken, because });
  }

  get verdicts(): readonly DecidedCandidate[] {
    return [...this.#verdicts.values()];
  }
}

type LookoutOptions = Pick<DisruptorOptions, "cluster" | "cloud" | "clock" | "telemetry">;

/** Gathers what there is to know before anything is decided. */
export class Lookout {
  readonly #options: LookoutOptions;
  readonly #isBusy: (claimName: string) => boolean;

  constructor(options: LookoutOptions, isBusy: (claimName: string) => boolean) {
    this.#options = options;
    this.#isBusy = isBusy;
  }

  async look(): Promise<Look> {
    const { cluster, clock } = this.#options;
    const instanceTypes = await this.#instanceTypes();
    const view: DisruptionView = {
      cluster,
      instanceTypesOf: (poolName) => instanceTypes.get(poolName) ?? [],
      budgets: [...cluster.disruptionBudgets.values()],
      now: clock.now(),
      isBusy: this.#isBusy,
    };
    return new Look(view, this.#options);
  }

  async #instanceTypes(): Promise<ReadonlyMap<string, readonly InstanceType[]>> {
    const { cluster, cloud, clock, telemetry } = this.#options;
    const pools = [...cluster.pools.values()].filter((pool) => isManaged(pool, cloud.nodeClassKinds));
    const found = await Promise.all(
      pools.map(async ({ name, nodeClassRef }) => {
        try {
          return [name, cluster.refusedOfferings.mark(await cloud.instanceTypes(nodeClassRef), clock.now())] as const;
        } catch (error) {
          const fields = { controller: "disruption", NodePool: { name }, error };
          telemetry.log.error("leaving a nodepool alone whose instance types are not known", fields);
          return [name, []] as const;
        }
      }),
    );
    return new Map(found);
  }
}
