import type { Candidate } from "../../core/disruption/candidate.ts";
import { orderDrifted } from "../../core/disruption/drift-order.ts";
import { chooseStaticDrift } from "../../core/disruption/static-drift.ts";
import { isConditionTrue } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import { noResources } from "../../core/model/resources.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";
import { Allowances } from "./allowances.ts";
import { decidedMove, type Order } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Judgement, Look } from "./look.ts";
import type { LookReporter } from "./look-reporter.ts";
import { initializedNodes, Simulation } from "./simulation.ts";

/** A node whose pods have nowhere to go is not asked about again for so long: there may be many. */
const stuckMilliseconds = 60_000;

/** Nodes that are no longer what their pools ask for. */
export class Drift {
  readonly #options: DisruptorOptions;
  readonly #reporter: LookReporter;
  /** By the name of the claim. */
  readonly #stuck = new Map<string, { readonly until: number; readonly because: string }>();

  constructor(options: DisruptorOptions, reporter: LookReporter) {
    this.#options = options;
    this.#reporter = reporter;
  }

  /** Of static pools, one new node for each that goes. */
  async chooseStatic(look: Look): Promise<readonly Order[]> {
    const { cluster } = look.view;
    const judgement = await look.judge("eventual", isDrifted);
    const allowances = new Allowances(look.view, "Drifted");
    return [...cluster.pools.values()].flatMap((pool) => {
      if (pool.replicas === undefined || pool.pool === undefined) return [];
      const chosen = chooseStaticDrift(pool, {
        candidates: judgement.candidates,
        claims: cluster.claimsOfPool(pool.name),
        usable: allowances.left(pool),
      });
      return chosen.map((candidate) => orderFor(candidate, [launchFor(pool)]));
    });
  }

  /** Of all other pools, the next one that can go, with as many new nodes as its pods need. */
  async chooseNext(look: Look, going: readonly string[]): Promise<Order | undefined> {
    const judgement = await look.judge("eventual", isDrifted);
    this.#reporter.reportBlocked(judgement);
    const drifted = orderDrifted(judgement.candidates);
    this.#reporter.reportEligible("Drifted", drifted.length);
    const order = drifted.length === 0 ? undefined : await this.#choose(drifted, judgement, { look, going });
    if (judgement.verdicts.length > 0) {
      const moves = order === undefined ? [] : [decidedMove(order)];
      this.#reporter.note({ reason: "Drifted", kind: "looked", moves, candidates: judgement.verdicts });
    }
    this.#reporter.reportDuration("Drifted", "", look.view.now);
    return order;
  }

  async #choose(
    drifted: readonly Candidate[],
    judgement: Judgement,
    { look, going }: { readonly look: Look; readonly going: readonly string[] },
  ): Promise<Order | undefined> {
    const allowances = new Allowances(look.view, "Drifted");
    this.#reporter.reportNoBudget(allowances.blockedPools, "Drifted");
    const affordable = drifted.filter(({ claim, pool }) => {
      const isAffordable = allowances.left(pool) > 0;
      judgement.say(claim, isAffordable ? "others that drifted go first" : allowances.because(pool));
      return isAffordable;
    });
    const hopeful = affordable.filter(({ claim }) => !this.#isStuck(claim, judgement, look.view.now));
    if (hopeful.length === 0) return undefined;
    const simulation = await Simulation.begin(this.#options, look, going);
    const destinations = initializedNodes(look);
    for (const candidate of hopeful) {
      const { nodes, refusals } = await simulation.without([candidate], destinations);
      const [refusal] = refusals;
      if (refusal === undefined) {
        judgement.say(candidate.claim, "it has drifted", true);
        return orderFor(candidate, nodes);
      }
      const pod = this.#options.cluster.podByUid(refusal.podUid);
      const because = `pod ${pod?.namespace}/${pod?.name} has nowhere else to go: ${refusal.reason}`;
      judgement.say(candidate.claim, because);
      this.#reporter.reportStuck(candidate, because);
      this.#stuck.set(candidate.claim.name, { until: look.view.now + stuckMilliseconds, because });
    }
    return undefined;
  }

  #isStuck(claim: NodeClaim, judgement: Judgement, now: number): boolean {
    const stuck = this.#stuck.get(claim.name);
    const isStuck = stuck !== undefined && now < stuck.until;
    if (isStuck) judgement.say(claim, stuck.because);
    else this.#stuck.delete(claim.name);
    return isStuck;
  }
}

function isDrifted(claim: NodeClaim): boolean {
  return isConditionTrue(claim, "Drifted");
}

function orderFor(candidate: Candidate, launches: readonly NodeToLaunch[]): Order {
  return { reason: "Drifted", type: "", candidates: [candidate], launches, savings: undefined };
}

/** What the template of the pool says, and no more. */
function launchFor({ name, pool }: NodePoolObject): NodeToLaunch {
  return {
    poolName: name,
    instanceType: "",
    zone: "",
    capacityType: "",
    price: 0,
    podUids: [],
    requests: noResources,
    instanceTypes: [],
    requirements: pool?.requirements ?? new Map(),
    isMinValuesRelaxed: false,
  };
}
