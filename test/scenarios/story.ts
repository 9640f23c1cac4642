import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { JsonObject } from "../../src/core/api/schema/json.ts";
import { type Random, seededRandom } from "../../src/core/model/seeded-random.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { type Reference, WholeController, type WholeControllerOptions } from "../support/whole-controller.ts";
import { Invariants } from "./invariants.ts";

/** What happens to a cluster, step by step, with everything that must hold checked after each. */
export class Story {
  readonly whole: WholeController;
  readonly random: Random;
  readonly #invariants: Invariants;
  readonly #seed: number;
  /** What was done, for whoever has to find out what went wrong. */
  readonly #past: string[] = [];
  readonly #troubles = new Set<() => void>();
  /** Whether a process that has died is followed by another at the next step. */
  isMended = false;

  constructor(options: WholeControllerOptions = {}) {
    const { seed = 1 } = options;
    this.#seed = seed;
    this.random = seededRandom(seed);
    this.whole = new WholeController(options);
    this.#invariants = new Invariants(this.whole);
  }

  note(what: string): void {
    this.#past.push(`${new Date(this.whole.clock.now()).toISOString().slice(11, 19)} ${what}`);
  }

  /** Lets time pass, and looks every few seconds whether all is well; in the course of hours, every few minutes. */
  async pass(milliseconds: number): Promise<void> {
    const { clock } = this.whole;
    const end = clock.now() + milliseconds;
    while (clock.now() < end) {
      const step = Math.max(1_000 + Math.floor(this.random() * 4_000), milliseconds / 400);
      await clock.advance(Math.min(end - clock.now(), step));
      if (this.isMended && !this.whole.isRunning) this.restart();
      if (this.#troubles.size > 0 || !this.whole.isRunning) this.#invariants.disturb();
      this.expect(this.#invariants.check(), []);
    }
  }

  async passUntil(condition: () => boolean, atMost: number): Promise<boolean> {
    const end = this.whole.clock.now() + atMost;
    while (!condition()) {
      if (this.whole.clock.now() >= end) return false;
      await this.pass(1_000);
    }
    return true;
  }

  /** Something is wrong with the API or the process from now on; returns how to end it. */
  trouble(what: string, end: () => void): () => void {
    this.note(what);
    this.#invariants.disturb();
    const over = (): void => {
      if (!this.#troubles.delete(over)) return;
      this.note(`over: ${what}`);
      end();
      this.#invariants.disturb();
    };
    this.#troubles.add(over);
    return over;
  }

  crash(): void {
    this.note("crash");
    this.whole.crash();
    this.#invariants.disturb();
  }

  restart(): void {
    this.note("start");
    this.whole.restart();
    this.#invariants.disturb();
  }

  /** All troubles are over, and the controller runs. */
  calm(): void {
    for (const end of [...this.#troubles]) end();
    if (!this.whole.isRunning) this.restart();
    for (const { metadata } of this.nodes) this.whole.cluster.kubelets.resumeNode(metadata.name);
  }

  /** Deletes whatever was brought, and waits until nothing is left of it and of what came from it. */
  async tearDown(): Promise<void> {
    this.calm();
    this.note("everything is deleted");
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"]) this.#deleteAll("apps/v1", kind);
    await this.pass(20_000);
    this.#deleteAll("v1", "Pod");
    this.#deleteAll("karpenter.sh/v1", "NodePool");
    const isEmpty = (): boolean => this.claims.length === 0 && this.nodes.length === 0;
    await this.passUntil(isEmpty, 1_800_000);
    this.expect({ claims: this.claims.map(describe), nodes: this.nodes.map(describe) }, { claims: [], nodes: [] });
  }

  #deleteAll(apiVersion: string, kind: string): void {
    for (const object of this.whole.list(apiVersion, kind)) this.whole.delete(object);
  }

  get nodes(): readonly KubeObject[] {
    return this.whole.list("v1", "Node");
  }

  get claims(): readonly KubeObject[] {
    return this.whole.list("karpenter.sh/v1", "NodeClaim");
  }

  /** How many claims were made in all this time. */
  get bought(): number {
    return this.whole.sent.filter(
      ({ request: { method, path }, status }) => method === "POST" && path.endsWith("/nodeclaims") && status === 201,
    ).length;
  }

  get pods(): readonly (KubeObject & Pod)[] {
    return this.whole.list("v1", "Pod") as (KubeObject & Pod)[];
  }

  get pending(): readonly string[] {
    return this.pods.filter(({ spec }) => spec?.nodeName === undefined).map(({ metadata }) => metadata.name);
  }

  /** How many nodes were chosen to go so far, for one reason or for any. */
  chosen(reason?: string): number {
    const { chosen } = this.#invariants.disruption;
    return reason === undefined
      ? [...chosen.values()].reduce((sum, count) => sum + count, 0)
      : (chosen.get(reason) ?? 0);
  }

  /** Names of claims that are marked to go, and that nobody has asked to. */
  get marked(): readonly string[] {
    return this.#invariants.disruption.marked.map(({ name }) => name);
  }

  /** How many pods were asked to leave so far. */
  get evictions(): number {
    return this.evictionsOf("");
  }

  /** How many whose names begin so. */
  evictionsOf(name: string): number {
    return this.whole.sent.filter(
      ({ request: { path }, status }) => path.endsWith("/eviction") && path.includes(`/pods/${name}`) && status === 201,
    ).length;
  }

  /** Those that wait and have not been told why lately. */
  get unexplained(): readonly string[] {
    return this.#invariants.unexplained;
  }

  scale(object: Reference, replicas: number): void {
    this.note(`scale ${object.metadata.name} to ${replicas}`);
    this.whole.change(object, (current) => ({ ...current, spec: { ...(current.spec as JsonObject), replicas } }));
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.random() * from.length)];
  }

  /** Compares, and tells the whole story when it is not as it should be. */
  expect(actual: unknown, expected: unknown): void {
    try {
      assert.deepEqual(actual, expected);
    } catch (cause) {
      const errors = this.errors.slice(-5).map((line) => JSON.stringify(line));
      const said = cause instanceof Error ? cause.message : "";
      const past = [...this.#past, ...errors].join("\n");
      throw new Error(`seed ${this.#seed}, ${new Date(this.whole.clock.now()).toISOString()}: ${said}\n${past}`);
    }
  }

  get errors(): readonly object[] {
    return this.whole.telemetry.lines
      .filter(({ level }) => level === "error")
      .map(({ message, fields: { error, ...fields } }) => ({ message, ...fields, error: causesOf(error) }));
  }

  async end(): Promise<void> {
    for (const over of [...this.#troubles]) over();
    await this.whole.stop();
  }
}

/** Tells a story and leaves nothing of it behind. */
export async function tell(options: WholeControllerOptions, act: (story: Story) => Promise<void>): Promise<void> {
  const story = new Story(options);
  try {
    await act(story);
  } finally {
    await story.end();
  }
}

function describe({ metadata, status }: KubeObject): string {
  const { name, finalizers = [], deletionTimestamp } = metadata;
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  const said = conditions.map(({ type, status: value }) => `${type}=${value}`);
  return `${name} ${finalizers.join()} ${deletionTimestamp ?? "stays"} ${said.join(" ")}`;
}

function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${causesOf(error.cause)}`;
}
