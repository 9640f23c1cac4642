import type { Candidate } from "../../core/disruption/candidate.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import type { Timer } from "../../ports/clock.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { Allowances } from "./allowances.ts";
import { Changes } from "./changes.ts";
import { ChurnBreaker } from "./churn-breaker.ts";
import type { Order } from "./command.ts";
import { Commands } from "./commands.ts";
import { Consolidation } from "./consolidation.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import { Drift, type UnderWay } from "./drift.ts";
import { Empties } from "./empties.ts";
import { LeavingTaints } from "./leaving-taints.ts";
import { type Look, Lookout } from "./look.ts";
import { LookReporter } from "./look-reporter.ts";

const retryUnsynced = 1_000;
const restMilliseconds = 10_000;
/** Each takes a plan, and empty nodes wait for their second thought meanwhile. */
const mostDriftedAtOnce = 20;
/** What was decided by looking once must hold so long before it is done. */
const secondThought = 15_000;
/** Prices of clouds and budgets with a schedule change without anybody telling. */
const longestCalm = 300_000;

/** What decides whether another fleet would be better. */
interface MarketState {
  readonly changes: number;
  /** How many pods may be moved; and of every pool, what it can buy, and how many of its nodes may go. */
  readonly parts: readonly (readonly InstanceType[] | number)[];
}

/** Takes nodes away by decision: those that are empty, that have drifted, and whose pods cost less elsewhere. */
export class Disruptor {
  readonly #options: DisruptorOptions;
  readonly #commands: Commands;
  readonly #lookout: Lookout;
  readonly #reporter: LookReporter;
  readonly #empties: Empties;
  readonly #drift: Drift;
  readonly #consolidation: Consolidation;
  readonly #breaker: ChurnBreaker;
  readonly #leaving: LeavingTaints;
  readonly #loop: WorkLoop;
  #changes: Changes | undefined;
  #endShow: (() => void) | undefined;
  /** What there was when there was nothing to do. */
  #calm: (MarketState & { readonly at: number }) | undefined;
  #wake: (() => void) | undefined;
  #isStopped = false;

  constructor(options: DisruptorOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#reporter = new LookReporter(options);
    this.#commands = new Commands(options);
    this.#lookout = new Lookout(options, (name) => this.#commands.isBusy(name));
    this.#empties = new Empties(this.#reporter);
    this.#drift = new Drift(options, this.#reporter);
    this.#consolidation = new Consolidation(options, this.#reporter);
    this.#breaker = new ChurnBreaker(options, this.#reporter);
    this.#leaving = new LeavingTaints(options);
    const reconcile = async (): Promise<number | undefined> => await this.#pass();
    this.#loop = new WorkLoop({ name: "disruption", clock, telemetry, reconcile, longestBackoff: restMilliseconds });
  }

  start(): void {
    this.#changes = new Changes(this.#options.cluster);
    this.#endShow = this.#reporter.showBudgets();
    this.#commands.start();
    this.#loop.enqueue("all");
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake?.();
    this.#changes?.stop();
    this.#endShow?.();
    await Promise.all([this.#loop.stop(), this.#commands.stop()]);
    await this.#options.pastMoves.stop();
  }

  /** Says after how long to look again. */
  async #pass(): Promise<number | undefined> {
    if (!this.#options.isSynced()) return retryUnsynced;
    try {
      await this.#commands.cleanUp();
      const hasActed = await this.#decide();
      if (this.#isStopped) return undefined;
      return hasActed ? 0 : restMilliseconds;
    } catch (error) {
      // The planner is stopped with us, and whoever leads next decides anew.
      if (this.#isStopped) return undefined;
      throw error;
    }
  }

  async #decide(): Promise<boolean> {
    const look = await this.#lookout.look();
    const empties = await this.#empties.propose(look);
    const proposedAt = this.#options.clock.now();
    if (await this.#replaceDrifted(empties)) {
      await this.#afterThought(proposedAt, empties, []);
      return true;
    }
    const orders = await this.#proposeMoves(empties);
    return await this.#afterThought(proposedAt, empties, orders);
  }

  /** They need no second thought: nothing that pods do makes them what they should be. */
  async #replaceDrifted(empties: readonly Candidate[]): Promise<boolean> {
    const isProposed = new Set(empties.map(({ claim }) => claim.name));
    const others = (orders: readonly Order[]): readonly Order[] =>
      orders.filter(({ candidates }) => !candidates.some(({ claim }) => isProposed.has(claim.name)));
    let hasActed = await this.#begin(others(await this.#drift.chooseStatic(await this.#lookout.look())));
    for (let count = 0; count < mostDriftedAtOnce; count++) {
      const next = await this.#drift.chooseNext(await this.#lookout.look(), this.#underWay);
      if (this.#isStopped || next === undefined || others([next]).length === 0) return hasActed;
      if (!(await this.#begin([next]))) return hasActed;
      hasActed = true;
    }
    return hasActed;
  }

  get #underWay(): UnderWay {
    return { going: this.#commands.going, isTakenBack: (name) => this.#commands.isTakenBack(name) };
  }

  async #proposeMoves(empties: readonly Candidate[]): Promise<readonly Order[]> {
    const { clock } = this.#options;
    const look = await this.#lookout.look();
    const mostPods = this.#breaker.begin(look);
    const state = this.#stateOf(look, mostPods);
    if (mostPods === 0 || this.#isCalm(state)) {
      await this.#show([], new Set());
      return [];
    }
    const at = clock.now();
    const mayMove = (pods: number): boolean => this.#breaker.take(pods);
    const question = { look, going: this.#commands.going, empties, mayMove };
    const { orders, leaving } = await this.#consolidation.propose(question);
    this.#breaker.end();
    await this.#show(orders, leaving);
    this.#calm = orders.length === 0 && empties.length === 0 ? { ...state, at } : undefined;
    return orders;
  }

  /** As long as something goes, the plan that it belongs to holds. */
  async #show(orders: readonly Order[], leaving: ReadonlySet<string>): Promise<void> {
    if (orders.length > 0) await this.#leaving.set(leaving);
    else if (this.#commands.going.length === 0) await this.#leaving.set(new Set());
  }

  #stateOf({ view }: Look, mostPods: number): MarketState {
    const pools = [...view.cluster.pools.values()];
    const allowances = new Allowances(view, "Underutilized");
    return {
      changes: this.#changes?.count ?? 0,
      parts: [
        mostPods,
        ...pools.map(({ name }) => view.instanceTypesOf(name)),
        ...pools.map((pool) => allowances.left(pool)),
      ],
    };
  }

  #isCalm({ changes, parts }: MarketState): boolean {
    const calm = this.#calm;
    if (calm === undefined || this.#options.clock.now() - calm.at >= longestCalm) return false;
    const isSame = parts.length === calm.parts.length && parts.every((part, index) => part === calm.parts[index]);
    return changes === calm.changes && isSame;
  }

  /** Does what still holds after a while. */
  async #afterThought(since: number, empties: readonly Candidate[], orders: readonly Order[]): Promise<boolean> {
    if (empties.length === 0 && orders.length === 0) return false;
    await this.#wait(since + secondThought - this.#options.clock.now());
    if (this.#isStopped) return false;
    const empty = await this.#empties.confirm(empties, await this.#lookout.look());
    const hasEmptied = await this.#begin(empty === undefined ? [] : [empty]);
    if (orders.length === 0) return hasEmptied;
    const confirmed = await this.#consolidation.confirm(orders, await this.#lookout.look(), this.#commands.going);
    const hasMoved = await this.#begin(confirmed);
    return hasEmptied || hasMoved;
  }

  async #begin(orders: readonly Order[]): Promise<boolean> {
    if (this.#isStopped) return false;
    const begun = await Promise.all(orders.map((order) => this.#commands.begin(order)));
    return begun.includes(true);
  }

  async #wait(milliseconds: number): Promise<void> {
    if (this.#isStopped || milliseconds <= 0) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = this.#options.clock.after(milliseconds, resolve);
    });
    timer?.cancel();
    this.#wake = undefined;
  }
}
