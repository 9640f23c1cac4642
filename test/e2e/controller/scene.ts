import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Event, Node, Pod } from "kubernetes-types/core/v1.js";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import type { RunningController } from "../../../scripts/lab/karpenter.ts";
import { mustRun } from "../karpenter-stage.ts";
import type { ApiClient } from "./api-client.ts";
import { deployment, type NodeClaim, type NodePool, nodePool, type PodWishes, type PoolWishes } from "./manifests.ts";
import type { Troupe } from "./troupe.ts";

export interface Story {
  readonly name: string;
  /** What holds when it is over. */
  readonly about: string;
  /** It breaks things, so that controllers may fail and try again. */
  readonly hasFaults?: true;
  /** Settings of the controller, which is started anew for it. */
  readonly environment?: Readonly<Record<string, string>>;
  play(scene: Scene): Promise<void>;
}

/** For slow machines; only what fails waits so long. */
const patienceSeconds = 180;
const karpenter = "/apis/karpenter.sh/v1";

/** Where one story plays: a namespace and pools of its own, on a control plane that all share. */
export class Scene {
  readonly api: ApiClient;
  readonly controlPlane: ControlPlane;
  readonly troupe: Troupe;
  readonly namespace: string;
  readonly problems: string[] = [];
  readonly #name: string;
  readonly #pools: string[] = [];

  constructor(
    name: string,
    parts: { readonly api: ApiClient; readonly controlPlane: ControlPlane; readonly troupe: Troupe },
  ) {
    this.#name = name;
    this.namespace = name;
    this.api = parts.api;
    this.controlPlane = parts.controlPlane;
    this.troupe = parts.troupe;
  }

  get controller(): RunningController {
    return this.troupe.leading;
  }

  async open(): Promise<void> {
    await this.api.create("/api/v1/namespaces", { metadata: { name: this.namespace } });
    await this.until("the namespace has its service account", () =>
      this.api.find(`/api/v1/namespaces/${this.namespace}/serviceaccounts/default`),
    );
  }

  /** Takes everything away, and does not wait for it. */
  async close(): Promise<void> {
    await this.api.remove(`/api/v1/namespaces/${this.namespace}`);
    for (const pool of this.#pools) await this.api.remove(`${karpenter}/nodepools/${pool}`);
  }

  check(holds: boolean, words: string): void {
    if (!holds) this.problems.push(`${this.#name}: ${words}`);
  }

  same(actual: unknown, expected: unknown, words: string): void {
    this.check(
      isDeepStrictEqual(actual, expected),
      `${words}: it is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
    );
  }

  /** Looks until there is something to see, and ends the story when there is not in time. */
  async until<Seen>(
    words: string,
    look: () => Promise<Seen | undefined | false>,
    seconds = patienceSeconds,
  ): Promise<Seen> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      if (performance.now() > deadline) throw new Error(`after ${seconds} s it is still not so that ${words}`);
      await sleep(100);
    }
  }

  async addPool(name: string, wishes: PoolWishes = {}): Promise<void> {
    this.#pools.push(name);
    await this.api.create(`${karpenter}/nodepools`, nodePool(name, wishes));
  }

  async addDeployment(app: string, replicas: number, wishes: PodWishes): Promise<void> {
    await this.api.create(`/apis/apps/v1/namespaces/${this.namespace}/deployments`, deployment(app, replicas, wishes));
  }

  pods(app: string): Promise<Pod[]> {
    return this.api.list(`/api/v1/namespaces/${this.namespace}/pods?labelSelector=app=${app}`);
  }

  pool(name: string): Promise<NodePool | undefined> {
    return this.api.find(`${karpenter}/nodepools/${name}`);
  }

  claims(pool: string): Promise<NodeClaim[]> {
    return this.api.list(`${karpenter}/nodeclaims?labelSelector=karpenter.sh/nodepool=${pool}`);
  }

  nodes(pool: string): Promise<Node[]> {
    return this.api.list(`/api/v1/nodes?labelSelector=karpenter.sh/nodepool=${pool}`);
  }

  /** All that was said about an object; those that belong to no namespace have theirs in the default one. */
  events(kind: string, name: string): Promise<Event[]> {
    const namespace = kind === "Pod" ? this.namespace : "default";
    const selector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
    return this.api.list(`/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`);
  }

  untilEvent(about: readonly [kind: string, name: string], reason: string, words: RegExp): Promise<Event> {
    const [kind, name] = about;
    return this.until(`${kind} ${name} has an event ${reason} that says ${words}`, async () =>
      (await this.events(kind, name)).find((event) => event.reason === reason && words.test(event.message ?? "")),
    );
  }

  untilRunning(app: string, count: number): Promise<Pod[]> {
    return this.until(`${count} pods of ${app} run`, async () => {
      const running = (await this.pods(app)).filter(isRunning);
      return running.length === count && running;
    });
  }

  kubectl(line: string): Promise<string> {
    return mustRun(line, this.controlPlane.kubeconfigPath);
  }

  /** Lines that the controller wrote to its log. */
  logLines(controller = this.controller): Record<string, unknown>[] {
    return readFileSync(controller.logFile, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }
}

export function isRunning({ metadata, status }: Pod): boolean {
  return status?.phase === "Running" && metadata?.deletionTimestamp === undefined;
}

/** Where nothing was broken, no controller fails, not even once. */
export function checkCalm(scene: Scene, since: number): void {
  for (const { time, message, controller, error } of scene.logLines()) {
    if (Date.parse(String(time)) < since || message !== "Reconciler error") continue;
    scene.check(false, `the controller ${controller} failed although nothing was broken: ${error}`);
  }
}
