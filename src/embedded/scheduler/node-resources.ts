import type { Container, Pod, ResourceRequirements } from "kubernetes-types/core/v1.js";
import {
  type ContainerResources,
  effectiveRequests,
  type PodResourceSource,
} from "../../core/model/effective-requests.ts";
import { milliValue, parseQuantity, type Quantity, wholeValue } from "../../core/model/quantity.ts";
import { maxQuantities, type ResourceQuantities } from "../../core/model/resources.ts";

/** Amounts that the scheduler adds up: millicores, bytes, and counts of everything else by name. */
export interface Amounts {
  readonly cpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  readonly pods: number;
  readonly scalars: ReadonlyMap<string, number>;
}

type QuantityList = Readonly<Record<string, string | number>>;

const nothing: ResourceQuantities = new Map();
const parsed = new Map<string | number, Quantity>();

/** What a container that names no cpu or memory is thought to need when nodes are compared. */
const assumedRequests: ReadonlyMap<string, Quantity> = new Map([
  ["cpu", quantityOf("100m")],
  ["memory", quantityOf("200Mi")],
]);

const noScalars: ReadonlyMap<string, number> = new Map();

export const noAmounts: Amounts = { cpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, scalars: noScalars };

export function amountsOfList(list: QuantityList | undefined): Amounts {
  return amountsOf(quantitiesOf(list));
}

/** A sum that pods are added to and taken from. */
export class RunningTotal implements Amounts {
  cpu = 0;
  memory = 0;
  ephemeralStorage = 0;
  pods = 0;
  readonly scalars = new Map<string, number>();

  add({ cpu, memory, ephemeralStorage, pods, scalars }: Amounts, sign: 1 | -1): void {
    this.cpu += sign * cpu;
    this.memory += sign * memory;
    this.ephemeralStorage += sign * ephemeralStorage;
    this.pods += sign * pods;
    for (const [name, amount] of scalars) this.scalars.set(name, (this.scalars.get(name) ?? 0) + sign * amount);
  }
}

export interface PodAmounts {
  /** What must be free on the node. */
  readonly requested: Amounts;
  /** The same with something for containers that ask for nothing, which is what least-allocated scoring adds up. */
  readonly assumed: { readonly cpu: number; readonly memory: number };
}

/** A bound pod may be in the middle of a resize, so what the kubelet reports counts too. */
export function amountsOfPod(pod: Pod): PodAmounts {
  const source = sourceOf(pod);
  const requests = effectiveRequests(source);
  const assumed = source.podLevel === undefined ? assumedRequests : missingFrom(requests);
  return { requested: amountsOf(requests), assumed: cpuAndMemory(effectiveRequests(withAssumed(source, assumed))) };
}

/**
 * What least-allocated scoring takes the incoming pod to need: assumptions fill in for every container, and what the pod
 * asks for as a whole is overlooked, as kube-scheduler 1.36 does.
 */
export function scoredRequests(pod: Pod): { readonly cpu: number; readonly memory: number } {
  const source = { ...sourceOf(pod), podLevel: undefined };
  return cpuAndMemory(effectiveRequests(withAssumed(source, assumedRequests)));
}

function missingFrom(requests: ResourceQuantities): ReadonlyMap<string, Quantity> {
  return new Map([...assumedRequests].filter(([name]) => !requests.has(name)));
}

function withAssumed(source: PodResourceSource, assumed: ReadonlyMap<string, Quantity>): PodResourceSource {
  const fill = (container: ContainerResources): ContainerResources => ({
    requests: new Map([...assumed, ...maxQuantities(container.requests, container.allocated ?? nothing)]),
    isRestartable: container.isRestartable,
  });
  return {
    ...source,
    containers: source.containers.map(fill),
    initContainers: source.initContainers.map(fill),
  };
}

function sourceOf(pod: Pod): PodResourceSource {
  const { containers = [], initContainers = [], overhead } = pod.spec ?? { containers: [] };
  return {
    containers: containers.map((container) => runningResources(pod, container)),
    initContainers: initContainers.map((container) =>
      container.restartPolicy === "Always" ? runningResources(pod, container) : plainResources(container),
    ),
    overhead: quantitiesOf(overhead),
    podLevel: podLevelOf(pod),
  };
}

function plainResources({ resources, restartPolicy }: Container): ContainerResources {
  return { requests: quantitiesOf(resources?.requests), isRestartable: restartPolicy === "Always" };
}

/** Of a container that can be resized while it runs. */
function runningResources(pod: Pod, container: Container): ContainerResources {
  const plain = plainResources(container);
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const status = statuses.find(({ name }) => name === container.name);
  if (status?.resources === undefined) return plain;
  const allocated = heldBy(status.resources, status.allocatedResources);
  return isResizeInfeasible(pod) ? { ...plain, requests: allocated } : { ...plain, allocated };
}

function heldBy(actual: ResourceRequirements, allocated: QuantityList | undefined): ResourceQuantities {
  return maxQuantities(quantitiesOf(actual.requests), quantitiesOf(allocated));
}

function isResizeInfeasible(pod: Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
}

function podLevelOf(pod: Pod): ResourceQuantities | undefined {
  // The types are of an older Kubernetes, in which pods as a whole asked for nothing.
  const spec = pod.spec as { readonly resources?: ResourceRequirements } | undefined;
  const requests = quantitiesOf(spec?.resources?.requests);
  return requests.size === 0 ? undefined : requests;
}

function quantitiesOf(list: QuantityList | undefined): ResourceQuantities {
  if (list === undefined || list === null) return nothing;
  return new Map(Object.entries(list).map(([name, text]) => [name, quantityOf(text)]));
}

/** Few spellings are in use at a time, so each is read once. */
function quantityOf(text: string | number): Quantity {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size > 10_000) parsed.clear();
  const quantity = parseQuantity(text) ?? 0n;
  parsed.set(text, quantity);
  return quantity;
}

/** The exact amount, for comparing sizes of volumes. */
export function exactQuantity(text: string | number | undefined): Quantity {
  return text === undefined ? 0n : quantityOf(text);
}

function amountsOf(quantities: ResourceQuantities): Amounts {
  const scalars = new Map<string, number>();
  for (const [name, quantity] of quantities) if (isScalar(name)) scalars.set(name, wholeValue(quantity));
  const whole = (name: string) => wholeValue(quantities.get(name) ?? 0n);
  return {
    cpu: milliValue(quantities.get("cpu") ?? 0n),
    memory: whole("memory"),
    ephemeralStorage: whole("ephemeral-storage"),
    pods: whole("pods"),
    scalars: scalars.size === 0 ? noScalars : scalars,
  };
}

/** Extended resources, huge pages and attachable volumes. Nothing else is counted. */
function isScalar(name: string): boolean {
  if (name.startsWith("hugepages-") || name.startsWith("attachable-volumes-")) return true;
  return name.includes("/") && !name.startsWith("requests.");
}

function cpuAndMemory(requests: ResourceQuantities): { cpu: number; memory: number } {
  return { cpu: milliValue(requests.get("cpu") ?? 0n), memory: wholeValue(requests.get("memory") ?? 0n) };
}
