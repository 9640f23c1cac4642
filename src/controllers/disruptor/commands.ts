import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import type { LastObstacle } from "../../core/disruption/judge-departure.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { findCondition, isConditionTrue } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { outcomeOf } from "../../runtime/patch-status.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import {
  type Command,
  decidedMove,
  hasReplacedAll,
  type Order,
  replacementAnnotations,
  stayingOf,
  unfinishedCommands,
} from "./command.ts";
import { CommandReporter } from "./command-reporter.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import { LastLook } from "./last-look.ts";
import { isMarked, Marking } from "./marking.ts";

interface Running {
  /** Becomes smaller when nodes are left out. */
  command: Command;
  /** Whether all is written that it begins with. */
  isBegun: boolean;
  /** Set once it cannot be done any more: all that is left is to take it back. */
  failure: string | undefined;
}

const perCandidate = 80;
const shortestPatience = 600_000;
const longestPatience = 3_600_000;
const lookAgain = 5_000;

/** Carries orders out: several at a time, each step in a way that somebody else could go on from. */
export class Commands {
  readonly #options: DisruptorOptions;
  readonly #lastLook: LastLook;
  readonly #marking: Marking;
  readonly #reporter: CommandReporter;
  readonly #loop: WorkLoop;
  readonly #running = new Map<string, Running>();
  /** By the name of a claim that goes or that replaces. */
  readonly #byClaim = new Map<string, Running>();
  #unsubscribe: readonly (() => void)[] = [];
  #count = 0;

  constructor(options: DisruptorOptions) {
    this.#options = options;
    this.#lastLook = new LastLook(options, (name) => this.isTakenBack(name));
    this.#marking = new Marking(options);
    this.#reporter = new CommandReporter(options);
    const { clock, telemetry } = options;
    const reconcile = (id: string) => this.#advance(id);
    this.#loop = new WorkLoop({ name: "disruption.queue", clock, telemetry, reconcile, longestBackoff: 10_000 });
  }

  /** Goes on with what somebody else has begun. */
  start(): void {
    const { cluster } = this.#options;
    for (const command of unfinishedCommands(cluster, this.#claims)) {
      this.#register(command).isBegun = true;
      this.#loop.enqueue(command.id);
    }
    this.#unsubscribe = [
      cluster.claims.onChange(({ key }) => {
        const running = this.#byClaim.get(key);
        if (running !== undefined) this.#loop.enqueue(running.command.id);
      }),
      cluster.pools.onChange(({ before, after }) => {
        if (before?.disruption.isPaused === true || after?.disruption.isPaused !== true) return;
        for (const id of this.#running.keys()) this.#loop.enqueue(id);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  /** Whether a claim goes by a command that runs, or comes by one. */
  isBusy(claimName: string): boolean {
    return this.#byClaim.has(claimName);
  }

  /** Whether the command is being taken back by which the claim goes or comes. */
  isTakenBack(claimName: string): boolean {
    return this.#byClaim.get(claimName)?.failure !== undefined;
  }

  /** Without those of controllers that buy elsewhere. */
  get #claims(): readonly NodeClaim[] {
    const { cluster, cloud } = this.#options;
    return [...cluster.claims.values()].filter((claim) => isManaged(claim, cloud.nodeClassKinds));
  }

  /** Names of all claims that are to go and that nobody has asked to go yet. */
  get going(): readonly string[] {
    return [...this.#running.values()].flatMap(({ command }) => command.claimNames);
  }

  /** Marks the nodes and asks for what replaces them. False when it could not be begun. */
  async begin(order: Order): Promise<boolean> {
    const { claims, clock } = this.#options;
    if (order.candidates.some(({ claim }) => this.#byClaim.has(claim.name))) return false;
    const running = this.#register({
      id: `${order.reason}-${++this.#count}`,
      reason: order.reason,
      type: order.type,
      createdAt: clock.now(),
      claimNames: order.candidates.map(({ claim }) => claim.name),
      replacementNames: order.launches.map((node) => claims.nameFor(node)),
      move: decidedMove(order),
    });
    try {
      await this.#mark(running);
      await this.#buy(running.command, order);
    } catch (error) {
      this.#fail(running, error instanceof Error ? error.message : String(error));
      return false;
    }
    running.isBegun = true;
    this.#reporter.reportStart(running.command, order);
    this.#loop.enqueue(running.command.id);
    return true;
  }

  /**
   * Takes the marks off nodes that are in no command, and sets replacements free whose command is over or gone. In the
   * latter case the move has failed: whoever dies at every attempt must not buy at every start.
   */
  async cleanUp(): Promise<void> {
    const { cluster } = this.#options;
    const idle = this.#claims.filter(({ name, deletedAt }) => deletedAt === undefined && !this.#byClaim.has(name));
    const abandoned = idle.filter((claim) => stayingOf(cluster, claim).length > 0);
    const failed = new Set(abandoned.flatMap((claim) => stayingOf(cluster, claim).map(({ name }) => name)));
    for (const name of failed) await this.#marking.noteFailure(name);
    for (const claim of idle) {
      const [node] = cluster.nodesOf(claim);
      if (node?.deletedAt === undefined && isMarked(claim, node)) await this.#marking.unmark(claim.name);
    }
    for (const { name } of abandoned) await this.#marking.releaseReplacement(name);
    const settled = idle.filter((claim) => hasReplacedAll(cluster, claim));
    await Promise.all(settled.map(({ name }) => this.#marking.forgetReplaced(name)));
  }

  #register(command: Command): Running {
    const running: Running = { command, isBegun: false, failure: undefined };
    this.#running.set(command.id, running);
    for (const name of [...command.claimNames, ...command.replacementNames]) this.#byClaim.set(name, running);
    return running;
  }

  #forget({ command }: Running): void {
    this.#running.delete(command.id);
    for (const name of [...command.claimNames, ...command.replacementNames]) this.#byClaim.delete(name);
  }

  /** Nodes that go without anything in their place go without each other; the others only together. */
  async #mark(running: Running): Promise<void> {
    const { command } = running;
    const marked = await Promise.all(
      command.claimNames.map((name) => this.#marking.mark(name, command.reason).catch((error: unknown) => ({ error }))),
    );
    const left = command.claimNames.filter((_, index) => marked[index] === true);
    if (left.length === command.claimNames.length) return;
    if (command.replacementNames.length > 0 || left.length === 0) {
      const failed = marked.find((outcome) => typeof outcome === "object");
      throw failed === undefined ? new Error("a node went away") : failed.error;
    }
    this.#reduce(running, left);
  }

  #reduce(running: Running, claimNames: readonly string[]): void {
    const { cluster } = this.#options;
    for (const name of running.command.claimNames) if (!claimNames.includes(name)) this.#byClaim.delete(name);
    const nodes = claimNames.map((name) => cluster.claims.get(name)?.nodeName ?? name);
    running.command = { ...running.command, claimNames, move: { ...running.command.move, nodes } };
  }

  async #buy(command: Command, order: Order): Promise<void> {
    const { claims } = this.#options;
    const notes = replacementAnnotations(command, order);
    const reason = command.reason.toLowerCase();
    // All of them come to an end before anything is taken back.
    const outcomes = await Promise.allSettled(
      order.launches.map((node, index) => {
        const [name = "", annotations = new Map()] = [command.replacementNames[index], notes[index]];
        return claims.make({ name, node, reason, annotations });
      }),
    );
    throwFirst(outcomes);
  }

  #fail(running: Running, failure: string): void {
    running.failure ??= failure;
    this.#loop.enqueue(running.command.id);
  }

  async #advance(id: string): Promise<number | undefined> {
    const running = this.#running.get(id);
    if (running === undefined) return undefined;
    const { command } = running;
    if (running.isBegun) running.failure ??= this.#failureOf(command);
    if (running.failure !== undefined) return await this.#rollBack(running, running.failure);
    if (!running.isBegun) return undefined;
    const isWaiting = this.#isWaiting(command);
    const obstacle = this.#obstacleTo(running);
    // Machines that were bought are worth waiting for.
    if (obstacle !== undefined && !(obstacle.mayPass && command.replacementNames.length > 0)) {
      this.#fail(running, obstacle.because);
      return undefined;
    }
    if (isWaiting || obstacle !== undefined) return Math.min(lookAgain, this.#untilTimeout(command));
    await this.#delete(running.command);
    this.#forget(running);
    return undefined;
  }

  #failureOf(command: Command): string | undefined {
    const { cluster } = this.#options;
    for (const name of command.replacementNames) {
      const claim = cluster.claims.get(name);
      if (claim === undefined || claim.deletedAt !== undefined) {
        const launched = claim === undefined ? undefined : findCondition(claim, "Launched");
        const why = launched === undefined || launched.status === "True" ? "" : `: ${launched.message}`;
        return `its replacement ${name} is gone${why}`;
      }
    }
    const seconds = Math.round(this.#patience / 1000);
    return this.#untilTimeout(command) > 0 ? undefined : `it was not done after ${seconds} s`;
  }

  get #patience(): number {
    return Math.max(shortestPatience, Math.min(perCandidate * this.going.length, longestPatience));
  }

  #untilTimeout({ createdAt }: Command): number {
    return createdAt + this.#patience - this.#options.clock.now();
  }

  #isWaiting(command: Command): boolean {
    const { cluster } = this.#options;
    const waiting = command.replacementNames.filter((name) => {
      const claim = cluster.claims.get(name);
      if (claim === undefined || isConditionTrue(claim, "Initialized")) return false;
      this.#reporter.reportWait(claim, command);
      return true;
    });
    return waiting.length > 0;
  }

  /** An empty node that is not empty any more stays, and the others go. */
  #obstacleTo(running: Running): LastObstacle | undefined {
    const { command } = running;
    const obstacles = this.#lastLook.obstaclesTo(command);
    if (obstacles.size === 0) return this.#lastLook.budgetAgainst(command);
    const free = command.claimNames.filter((name) => !obstacles.has(name));
    if (command.reason === "Empty" && free.length > 0) {
      this.#reduce(running, free);
      return this.#lastLook.budgetAgainst(running.command);
    }
    return [...obstacles.values()].find(({ mayPass }) => !mayPass) ?? [...obstacles.values()][0];
  }

  async #delete(command: Command): Promise<void> {
    const { cluster, kube } = this.#options;
    const outcomes = await Promise.allSettled(
      command.claimNames.map(async (name) => {
        const claim = cluster.claims.get(name);
        if (claim === undefined || claim.deletedAt !== undefined) return;
        const pods = this.#reporter.podsOf(claim);
        const answer = await kube.delete(nodeClaims, { name }, { uid: claim.uid });
        if (outcomeOf(answer, `delete claim "${name}"`) === "written") this.#reporter.reportGoing(claim, command, pods);
      }),
    );
    throwFirst(outcomes);
    this.#reporter.reportEnd(command);
  }

  /** What has been asked to go already goes; all else is as if nothing had been. */
  async #rollBack(running: Running, failure: string): Promise<undefined> {
    const { cluster } = this.#options;
    const { command } = running;
    await Promise.all(
      command.claimNames.map(async (name) => {
        const claim = cluster.claims.get(name);
        if (claim === undefined || claim.deletedAt !== undefined) return;
        // First, so that whoever leads next knows of it, if we get no further.
        await this.#marking.noteFailure(name);
        await this.#marking.unmark(name);
      }),
    );
    await Promise.all(command.replacementNames.map((name) => this.#marking.releaseReplacement(name)));
    this.#reporter.reportRollBack(command, failure);
    this.#forget(running);
    return undefined;
  }
}

function throwFirst(outcomes: readonly PromiseSettledResult<void>[]): void {
  const failed = outcomes.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
