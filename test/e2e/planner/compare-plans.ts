import { setTimeout as sleep } from "node:timers/promises";
import type { Pod, PodSpec } from "kubernetes-types/core/v1.js";
import { readSnapshot } from "../../../src/core/api/read-objects.ts";
import type { Pod as PlannedPod } from "../../../src/core/model/pod.ts";
import type { ProvisioningPlan } from "../../../src/core/scheduling/plan.ts";
import { planProvisioning } from "../../../src/core/scheduling/provisioning.ts";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { Dice } from "../scheduler/dice.ts";
import {
  createCluster,
  createValid,
  keyOf,
  removeCluster,
  type SchedulerLab,
  settleMs,
  waitForAttempts,
} from "../scheduler/scheduler-lab.ts";
import { type BindingOrder, bound, findBindingOrder, type Move } from "./binding-order.ts";
import { withNodesKept } from "./compare-existing.ts";
import { knownDifferences } from "./known-differences.ts";
import { launch, type Shop } from "./launch-plan.ts";
import { PlannerView, settings } from "./planner-view.ts";
import { catalogue, randomBatch } from "./random-batch.ts";
import type { Tally } from "./tally.ts";

const gate = { name: "example.com/wait" };
const instanceTypes = catalogue();

/**
 * Plans machines for a random batch, launches them, and lets the pods come to their places one by one: each time
 * kube-scheduler is asked first, and has to allow the place that the plan has chosen.
 */
export async function comparePlans(lab: SchedulerLab, seed: number, tally: Tally): Promise<void> {
  const batch = randomBatch(seed);
  const shop: Shop = { pools: batch.pools, instanceTypes };
  const existing = await createCluster(lab.api, { objects: withNodesKept(batch.objects), nominated: [] });
  const pending = await createHeldBack(lab, batch.pending);
  const read = readSnapshot([...existing, ...pending, ...batch.pools], instanceTypes, "unplaced");
  const plan = planProvisioning(read.snapshot, read.pendingPods, settings);
  const nodes = plan.nodes.map((node, index) => launch(node, newName(seed, index), shop));
  await createValid(lab.api, nodes as ClusterObject[]);
  await sleep(settleMs);
  const objects = [...existing.filter(({ kind }) => kind !== "Node"), ...(await lab.api.list("Node"))];
  const order = findBindingOrder(objects, movesOf({ plan, pending, seed }), new Dice(seed));
  const rehearsal = new Rehearsal(lab, objects, { seed, tally });
  await rehearsal.play(order);
  for (const { pod } of plan.refusals) await rehearsal.tryRefused(wireOf(pending, pod));
  await removeCluster(lab.api);
}

/** Pods that kube-scheduler does not look at until they are let go, as the API has them apart from that. */
async function createHeldBack({ api }: SchedulerLab, pods: readonly Pod[]): Promise<Pod[]> {
  const created = new Set((await createValid(api, pods.map(heldBack))).map(keyOf));
  const stored = (await api.list("Pod")) as Pod[];
  return stored.filter((pod) => created.has(keyOf(pod))).map(letGo);
}

function heldBack(pod: Pod): Pod {
  return withGates(pod, [gate]);
}

function letGo(pod: Pod): Pod {
  return { ...withGates(pod, []), status: {} };
}

function withGates(pod: Pod, schedulingGates: readonly object[]): Pod {
  const spec: PodSpec = { ...pod.spec, containers: pod.spec?.containers ?? [] };
  return { ...pod, spec: Object.assign(spec, { schedulingGates }) };
}

interface Draft {
  readonly plan: ProvisioningPlan;
  readonly pending: readonly Pod[];
  readonly seed: number;
}

function movesOf({ plan, pending, seed }: Draft): Move[] {
  const places = [
    ...plan.placements.map(({ node, pods }) => ({ nodeName: node.name, pods })),
    ...plan.nodes.map(({ pods }, index) => ({ nodeName: newName(seed, index), pods })),
  ];
  return places.flatMap(({ nodeName, pods }) => pods.map((pod) => ({ pod: wireOf(pending, pod), nodeName })));
}

function newName(seed: number, index: number): string {
  return `s${seed}new${index}`;
}

function wireOf(pending: readonly Pod[], { namespace, name }: PlannedPod): Pod {
  return pending.find((pod) => keyOf(pod) === `${namespace}/${name}`)!;
}

/** The pods come to their nodes. */
class Rehearsal {
  readonly #lab: SchedulerLab;
  readonly #objects: ClusterObject[];
  readonly #seed: number;
  readonly #tally: Tally;

  constructor(lab: SchedulerLab, objects: readonly ClusterObject[], { seed, tally }: { seed: number; tally: Tally }) {
    this.#lab = lab;
    this.#objects = [...objects];
    this.#seed = seed;
    this.#tally = tally;
  }

  async play({ moves, stuck }: BindingOrder): Promise<void> {
    for (const move of [...moves, ...stuck]) {
      const { pod, nodeName } = move;
      const { isAgreed, real } = await this.#compare(pod);
      const isAllowed = real.includes(nodeName);
      if (isAllowed) this.#tally.feasible++;
      else if (isAgreed) this.#complain(pod, `was planned for ${nodeName}, but can only go to ${listed(real)}`);
      await this.#lab.api.bind(pod as ClusterObject, nodeName);
      this.#objects.push(bound(move));
    }
  }

  /** The plan need not find every place, but the two must agree on where there is one. */
  async tryRefused(pod: Pod): Promise<void> {
    const { real } = await this.#compare(pod);
    this.#tally.refused++;
    if (real.length > 0) this.#tally.needless++;
  }

  /** Where the pod can go as things are, and whether the planner thinks so too. */
  async #compare(pod: Pod): Promise<{ readonly isAgreed: boolean; readonly real: readonly string[] }> {
    this.#tally.pods++;
    const ours = new PlannerView(this.#objects).feasible(pod);
    const real = await this.#ask(pod, ours);
    const isAgreed = ours.join() === real.join();
    if (isAgreed) return { isAgreed, real };
    const known = knownDifferences.find(({ applies }) => applies({ objects: this.#objects, pod, real }));
    if (known === undefined) this.#complain(pod, `can go to ${listed(ours)} by the planner, and to ${listed(real)}`);
    else this.#tally.know(known.name);
    return { isAgreed, real };
  }

  /** Once more where the answer surprises: kube-scheduler may have seen an object too late. */
  async #ask(pod: Pod, expected: readonly string[]): Promise<readonly string[]> {
    const first = await this.#askOnce(pod);
    if (first.join() === expected.join()) return first;
    const { api } = this.#lab;
    await api.remove(pod as ClusterObject);
    await sleep(settleMs);
    const { uid: _, resourceVersion: __, ...metadata } = pod.metadata ?? {};
    await api.create(heldBack({ ...pod, metadata }) as ClusterObject);
    return this.#askOnce(pod);
  }

  async #askOnce(pod: Pod): Promise<readonly string[]> {
    const { api, extender } = this.#lab;
    await api.change(pod as ClusterObject, { spec: { schedulingGates: null } });
    const stored = (await waitForAttempts(api, [pod])).get(keyOf(pod));
    return [...extender.observe(stored?.metadata?.uid ?? "").feasible].sort();
  }

  #complain(pod: Pod, what: string): void {
    const { metadata, spec } = pod;
    const details = JSON.stringify({ labels: metadata?.labels, ...spec });
    this.#tally.problems.push(`seed ${this.#seed}: ${keyOf(pod)} ${what}\n  ${details}`);
  }
}

function listed(names: readonly string[]): string {
  return names.join(", ") || "no node";
}
