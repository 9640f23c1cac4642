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
import { initializedNodes, joiningNodes, Simulation } from "./simulation.ts";

/** A node whose pods have nowhere to go is not asked about again for so long, and twice as long each time. */
const shortestWait = 60_000;
const longestWait = 600_000;
/** There may be many such nodes, and each takes a plan: no more than so many in one pass. */
const mostFailures = 20;

interface Stuck {
  readonly until: number;
  /** Milliseconds. */
  readonly wait: number;
  readonly because: string;
}

/** What commands do meanwhile. */
export interface UnderWay {
  /** Names of claims that go already. */
  readonly going: readonly string[];
  readonly isTakenBack: (claimName: string) => boolean;
}

/** Nodes that are no longer what their pools ask for. */
export class Drift {
  readonly #options: DisruptorOptions;
  readonly #reporter: LookReporter;
  /** By the name of the claim. */
  readonly #stuck = new Map<string, Stuck>();
  /** How many plans of this pass may still be in vain. */
  #patience = mostFailures;

  constructor(options: DisruptorOptions, reporter: LookReporter) {
    this.#options = options;
    this.#reporter = reporter;
  }

  /** Of static pools, one new node for each that goes. With them, a pass begins. */
  async chooseStatic(look: Look): Promise<readonly Order[]> {
    const { cluster } = look.view;
    this.#patience = mostFailures;
    for (const name of this.#stuck.keys()) if (cluster.claims.get(name) === undefined) this.#stuck.delete(name);
    const judgement = await look.judge("eventual", isDrifted);
    const orders = this.#staticOrders(judgement, look);
    for (const { claim } of orders.flatMap(({ candidates }) => candidates))
      judgement.say(claim, "it has drifted", true);
    if (orders.length > 0) {
      const isStatic = new Set(staticCandidates(judgement).map(({ claim }) => claim.name));
      const candidates = judgement.verdicts.filter(({ claim }) => isStatic.has(claim));
      this.#reporter.note({ reason: "Drifted", kind: "looked", moves: orders.map(decidedMove), candidates });
    }
    return orders;
  }

  #staticOrders(judgement: Judgement, { view }: Look): readonly Order[] {
    const allowances = new Allowances(view, "Drifted");
    const drifted = Map.groupBy(staticCandidates(judgement), ({ pool }) => pool);
    return [...drifted].flatMap(([pool, candidates]) => {
      if (pool.pool === undefined) return [];
      const claims = view.cluster.claimsOfPool(pool.name);
      const usable = allowances.left(pool);
      const chosen = chooseStaticDrift(pool, { candidates, claims, usable });
      const why =
        usable === 0
          ? allowances.because(pool)
          : chosen.length > 0
            ? "others that drifted go first"
            : `NodePool "${pool.name}" has more nodes than it wants, or no room for another`;
      for (const { claim } of candidates) judgement.say(claim, why);
      for (const { claim } of chosen) judgement.say(claim, "it has drifted, and goes next");
      return chosen.map((candidate) => orderFor(candidate, [launchFor(pool)]));
    });
  }

  /** Of all other pools, the next one that can go, with as many new nodes as its pods need. */
  async chooseNext(look: Look, { going, isTakenBack }: UnderWay): Promise<Order | undefined> {
    const judgement = await look.judge("eventual", isDrifted);
    this.#reporter.reportBlocked(judgement);
    const drifted = orderDrifted(judgement.candidates);
    this.#reporter.reportEligible("Drifted", judgement.candidates.length);
    // They have had their turn; here it is only said why they stay.
    this.#staticOrders(judgement, look);
    const order =
      drifted.length === 0 ? undefined : await this.#choose(drifted, judgement, { look, going, isTakenBack });
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
    { look, going, isTakenBack }: UnderWay & { readonly look: Look },
  ): Promise<Order | undefined> {
    const allowances = new Allowances(look.view, "Drifted");
    this.#reporter.reportNoBudget(allowances.blockedPools, "Drifted");
    const affordable = drifted.filter(({ claim, pool }) => {
      const isAffordable = allowances.left(pool) > 0;
      judgement.say(claim, isAffordable ? "others that drifted go first" : allowances.because(pool));
      return isAffordable;
    });
    const hopeful = this.#hopeful(affordable, judgement, look.view.now);
    if (hopeful.length === 0 || this.#patience === 0) return undefined;
    const simulation = await Simulation.begin(this.#options, look, going);
    const joining = joiningNodes(look, isTakenBack);
    const destinations = new Set([...initializedNodes(look), ...joining]);
    for (const candidate of hopeful) {
      if (this.#patience === 0) return undefined;
      const { nodes, refusals, placements } = await simulation.without([candidate], destinations);
      // To buy another beside one that has room would be to buy ever more where none of them comes up.
      const awaited = placements.find(({ nodeName }) => joining.has(nodeName));
      if (awaited !== undefined) {
        judgement.say(candidate.claim, `its pods would go to ${awaited.nodeName}, which is not initialized`);
        this.#patience--;
        continue;
      }
      const [refusal] = refusals;
      if (refusal === undefined) {
        judgement.say(candidate.claim, "it has drifted", true);
        return orderFor(candidate, nodes);
      }
      const pod = this.#options.cluster.podByUid(refusal.podUid);
      const because = `pod ${pod?.namespace}/${pod?.name} has nowhere else to go: ${refusal.reason}`;
      judgement.say(candidate.claim, because);
      this.#reporter.reportStuck(candidate, because);
      this.#remember(candidate.claim, because, look.view.now);
      this.#patience--;
    }
    return undefined;
  }

  #remember({ name }: NodeClaim, because: string, now: number): void {
    const before = this.#stuck.get(name);
    const wait = before === undefined ? shortestWait : Math.min(2 * before.wait, longestWait);
    this.#stuck.set(name, { until: now + wait, wait, because });
  }

  /** Those that were never in vain first, so that everybody has a turn. */
  #hopeful(candidates: readonly Candidate[], judgement: Judgement, now: number): readonly Candidate[] {
    const stuckUntil = ({ claim }: Candidate): number => this.#stuck.get(claim.name)?.until ?? 0;
    return candidates
      .filter(({ claim }) => {
        const stuck = this.#stuck.get(claim.name);
        if (stuck !== undefined) judgement.say(claim, stuck.because);
        return stuck === undefined || now >= stuck.until;
      })
      .sort((left, right) => stuckUntil(left) - stuckUntil(right));
  }
}

function staticCandidates({ candidates }: Judgement): readonly Candidate[] {
  return candidates.filter(({ pool }) => pool.replicas !== undefined);
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
