import type { Deployment, ReplicaSet, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "kubernetes-types/policy/v1.js";
import { labelSelectorMatch } from "../api/label-selector.ts";
import { readScale } from "../api/subresources/scale.ts";
import type { ControlLoop } from "../control-loop.ts";
import { isPodFinished, isPodReady } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { controllerOf } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { scaledValue } from "./scaled-value.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** How long an eviction may take until the pod is marked for deletion; after that it did not happen. */
const evictionMilliseconds = 120_000;

/** Counts how many pods of each budget may be disrupted now. */
export class DisruptionController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #budgets: Resource<PodDisruptionBudget>;
  readonly #pods: Resource<Pod>;
  /** The pods that each budget is about. */
  readonly #members = new Map<string, Set<string>>();
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext) {
    this.#context = context;
    this.#budgets = new Resource<PodDisruptionBudget>(context.api, "policy", "poddisruptionbudgets");
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#loop = controlLoop(context, "disruption budget", (key) => this.#reconcile(key));
    this.#stops = [
      this.#budgets.subscribe(({ object, previous }) => {
        if (previous?.spec?.selector !== object.spec?.selector) this.#members.delete(keyOf(object));
        this.#loop.enqueue(keyOf(object));
      }),
      this.#pods.subscribe(({ object }) => this.#seePod(object)),
      ...this.#scalables().map((scalable) =>
        scalable.subscribe(({ object, previous }) => {
          if (previous?.metadata.generation !== object.metadata.generation)
            this.#seeScalable(object.metadata.namespace);
        }),
      ),
    ];
    for (const budget of this.#budgets.list()) this.#loop.enqueue(keyOf(budget));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #scalables(): Resource<Deployment | ReplicaSet | StatefulSet>[] {
    return ["deployments", "replicasets", "statefulsets"].map(
      (plural) => new Resource(this.#context.api, "apps", plural),
    );
  }

  #seeScalable(namespace: string | undefined): void {
    for (const budget of this.#budgets.list(namespace)) this.#loop.enqueue(keyOf(budget));
  }

  #seePod(pod: Stored<Pod>): void {
    const podKey = keyOf(pod);
    const current = this.#pods.find(podKey);
    for (const budget of this.#budgets.list(pod.metadata.namespace)) {
      const key = keyOf(budget);
      const members = this.#members.get(key);
      if (members === undefined) {
        this.#loop.enqueue(key);
        continue;
      }
      const isMember =
        current !== undefined && labelSelectorMatch(budget.spec?.selector)(current.metadata.labels ?? {});
      const wasMember = members.has(podKey);
      if (isMember) members.add(podKey);
      else members.delete(podKey);
      if (isMember || wasMember) this.#loop.enqueue(key);
    }
  }

  #membersOf(budget: Stored<PodDisruptionBudget>): Stored<Pod>[] {
    const key = keyOf(budget);
    let members = this.#members.get(key);
    if (members === undefined) {
      const matches = labelSelectorMatch(budget.spec?.selector);
      const pods = [...this.#pods.list(budget.metadata.namespace)];
      members = new Set(pods.filter(({ metadata }) => matches(metadata.labels ?? {})).map(keyOf));
      this.#members.set(key, members);
    }
    return [...members].map((podKey) => this.#pods.find(podKey)).filter((pod) => pod !== undefined);
  }

  #reconcile(key: string): void {
    const budget = this.#budgets.find(key);
    if (budget === undefined) {
      this.#members.delete(key);
      return;
    }
    const now = this.#context.clock.now();
    const pods = this.#membersOf(budget);
    if (pods.length === 0) this.#say(budget, "Normal", { reason: "NoPods", message: "No matching pods found" });
    const wanted = this.#wanted(budget, pods);
    if (typeof wanted === "string") this.#fail(budget, wanted);
    else {
      const disrupted = pendingDisruptions(budget, pods, now);
      const currentHealthy = pods.filter((pod) => isHealthy(pod, disrupted)).length;
      const allowed = Math.max(0, currentHealthy - wanted.desiredHealthy);
      const disruptionsAllowed = wanted.expectedPods > 0 ? allowed : 0;
      this.#write(budget, { ...wanted, currentHealthy, disruptionsAllowed, disruptedPods: disrupted });
      for (const time of Object.values(disrupted)) {
        this.#loop.enqueue(key, Math.max(0, Date.parse(time) + evictionMilliseconds - now) + 1);
      }
    }
  }

  /** How many pods there should be and must stay healthy, or why that cannot be told. */
  #wanted(
    { spec }: Stored<PodDisruptionBudget>,
    pods: readonly Stored<Pod>[],
  ): { expectedPods: number; desiredHealthy: number } | string {
    const { minAvailable, maxUnavailable } = spec ?? {};
    if (maxUnavailable === undefined && typeof minAvailable !== "string") {
      return { expectedPods: pods.length, desiredHealthy: minAvailable ?? 0 };
    }
    const expectedPods = this.#expectedPods(pods);
    if (typeof expectedPods === "string") return expectedPods;
    if (maxUnavailable === undefined) {
      return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, "up") };
    }
    return {
      expectedPods,
      desiredHealthy: Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, "up")),
    };
  }

  /** The sum of what the controllers of the pods want. */
  #expectedPods(pods: readonly Stored<Pod>[]): number | string {
    const scales = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      // Nobody says how many of a pod without a controller there should be.
      if (owner === undefined || scales.has(owner.uid)) continue;
      const scale = this.#scaleOf(owner.apiVersion, owner.kind, `${pod.metadata.namespace}/${owner.name}`);
      if (typeof scale === "string") return scale;
      if (scale !== undefined) scales.set(scale.uid, scale.replicas);
      scales.set(owner.uid, scales.get(owner.uid) ?? 0);
    }
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  /** Replica sets of deployments are scaled with them. */
  #scaleOf(apiVersion: string, kind: string, key: string): { uid: string; replicas: number } | string | undefined {
    const { api } = this.#context;
    const definition = api.registry.ofKind(apiVersion, kind);
    const object = definition === undefined ? undefined : api.collection(definition).get(key);
    if (definition === undefined) return `found no resource for ${kind} in ${apiVersion}`;
    if (object === undefined) return undefined;
    const owner = kind === "ReplicaSet" ? controllerOf(object) : undefined;
    if (owner?.kind === "Deployment") {
      return this.#scaleOf(owner.apiVersion, owner.kind, `${object.metadata.namespace}/${owner.name}`);
    }
    if (definition.scale === undefined) {
      return `${definition.plural}.${definition.group} does not implement the scale subresource`;
    }
    const { spec } = readScale(object, definition) as { spec: { replicas?: number } };
    return { uid: object.metadata.uid, replicas: spec.replicas ?? 0 };
  }

  #write(budget: Stored<PodDisruptionBudget>, counts: Required<Counts>): void {
    const isAllowed = counts.disruptionsAllowed > 0;
    const { disruptedPods, ...numbers } = counts;
    const verdict = {
      status: isAllowed ? "True" : "False",
      reason: isAllowed ? "SufficientPods" : "InsufficientPods",
      message: "",
    };
    const { disruptedPods: _, ...before } = budget.status ?? {};
    this.#budgets.writeStatus(budget, {
      ...before,
      ...numbers,
      ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
      observedGeneration: budget.metadata.generation ?? 0,
      conditions: this.#conditions(budget, verdict),
    });
  }

  /** Nothing may be disrupted while it is not known how many pods there should be. */
  #fail(budget: Stored<PodDisruptionBudget>, message: string): void {
    const said = `Failed to calculate the number of expected pods: ${message}`;
    this.#say(budget, "Warning", { reason: "CalculateExpectedPodCountFailed", message: said });
    const verdict = { status: "False", reason: "SyncFailed", message };
    const observedGeneration = budget.metadata.generation ?? 0;
    const conditions = this.#conditions(budget, verdict);
    this.#budgets.writeStatus(budget, { ...budget.status, disruptionsAllowed: 0, observedGeneration, conditions });
  }

  #say(
    about: Stored<PodDisruptionBudget>,
    type: "Normal" | "Warning",
    what: { readonly reason: string; readonly message: string },
  ): void {
    this.#context.recordEvent({ about, type, ...what, source: "controllermanager" });
  }

  #conditions(
    { status, metadata }: Stored<PodDisruptionBudget>,
    verdict: { status: string; reason: string; message: string },
  ): object[] {
    const type = "DisruptionAllowed";
    const conditions = status?.conditions ?? [];
    const before = conditions.find((condition) => condition.type === type);
    const lastTransitionTime =
      before?.status === verdict.status ? before.lastTransitionTime : timestamp(this.#context.clock.now());
    const observedGeneration = metadata.generation ?? 0;
    const others = conditions.filter((condition) => condition.type !== type);
    return [...others, { type, ...verdict, lastTransitionTime, observedGeneration }];
  }
}

type Counts = Pick<
  PodDisruptionBudgetStatus,
  "expectedPods" | "desiredHealthy" | "currentHealthy" | "disruptionsAllowed" | "disruptedPods"
>;

function isHealthy(pod: Stored<Pod>, disrupted: Readonly<Record<string, string>>): boolean {
  const isGoing = pod.metadata.deletionTimestamp !== undefined || disrupted[pod.metadata.name] !== undefined;
  return !isGoing && !isPodFinished(pod) && isPodReady(pod);
}

/** Evictions that were granted and whose pods are still there, not yet marked. */
function pendingDisruptions(
  { status }: PodDisruptionBudget,
  pods: readonly Stored<Pod>[],
  now: number,
): Record<string, string> {
  const waiting = new Set(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name),
  );
  const entries = Object.entries(status?.disruptedPods ?? {}) as [string, string][];
  return Object.fromEntries(
    entries.filter(([name, time]) => waiting.has(name) && Date.parse(time) + evictionMilliseconds > now),
  );
}
