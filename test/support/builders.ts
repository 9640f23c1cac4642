import { readInstanceTypes } from "../../src/core/api/read-instance-types.ts";
import { readSnapshot, type SnapshotRead } from "../../src/core/api/read-objects.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { capacityTypeLabel, nodePoolLabel, wellKnownLabels, zoneLabel } from "../../src/core/model/labels.ts";
import { makeRequirement } from "../../src/core/model/requirements.ts";
import type { ProvisioningPlan } from "../../src/core/scheduling/plan.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import type { PlanSettings } from "../../src/core/scheduling/settings.ts";

/** An object as it stands in a manifest. */
export type Wire = Record<string, unknown>;

export const reservationLabel = "example.com/reservation-id";

/** Fields that are not named here go into the pod's spec. */
export interface PodFields extends Wire {
  readonly requests?: Record<string, string | number>;
  readonly labels?: Record<string, string>;
  readonly metadata?: Wire;
  readonly status?: Wire;
}

/** A pod that asks for one processor unless it says otherwise. */
export function pod(name: string, fields: PodFields = {}): Wire {
  const { requests = { cpu: 1 }, labels, metadata, status, ...spec } = fields;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, ...metadata },
    spec: { containers: [{ resources: { requests } }], ...spec },
    status,
  };
}

/** `web-1`, `web-2` and so on. */
export function pods(count: number, name: string, fields: PodFields = {}): Wire[] {
  return Array.from({ length: count }, (_, index) => pod(`${name}-${index + 1}`, fields));
}

/** A DaemonSet whose pods are like this. */
export function daemonSet(name: string, { requests = { cpu: 1 }, labels, ...spec }: PodFields = {}): Wire {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name },
    spec: { template: { metadata: { labels }, spec: { containers: [{ resources: { requests } }], ...spec } } },
  };
}

/** Required node affinity: one of the terms, each a list of expressions, must hold. */
export function nodeAffinity(...terms: readonly Wire[][]): Wire {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

/** Preferred node affinity, each term with its weight. */
export function preferredNodeAffinity(...terms: readonly (readonly [weight: number, ...Wire[]])[]): Wire {
  const preferred = terms.map(([weight, ...matchExpressions]) => ({ weight, preference: { matchExpressions } }));
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
}

/** An expression of node affinity or a requirement of a pool. */
export function expression(key: string, operator: string, ...values: readonly string[]): Wire {
  return { key, operator, values };
}

/** Fields that are not named here go into the template's spec. */
interface PoolFields extends Wire {
  readonly weight?: number;
  readonly replicas?: number;
  readonly limits?: Record<string, string | number>;
  readonly labels?: Record<string, string>;
  readonly metadata?: Wire;
  readonly status?: Wire;
}

export function pool(name = "default", fields: PoolFields = {}): Wire {
  const { weight, replicas, limits, labels, metadata, status, ...templateSpec } = fields;
  const nodeClassRef = { group: "example.com", kind: "TestNodeClass", name: "default" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name, ...metadata },
    spec: { weight, replicas, limits, template: { metadata: { labels }, spec: { nodeClassRef, ...templateSpec } } },
    status,
  };
}

interface NodeFields {
  readonly allocatable?: Record<string, string | number>;
  readonly labels?: Record<string, string>;
  readonly metadata?: Wire;
  readonly taints?: readonly Wire[];
}

/** A node of four processors that belongs to no pool. */
export function node(name: string, fields: NodeFields = {}): Wire {
  const { allocatable = { cpu: 4, memory: "8Gi", pods: 110 }, labels, metadata, taints } = fields;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels, ...metadata },
    spec: { providerID: `test:///${name}`, taints },
    status: { capacity: allocatable, allocatable },
  };
}

/** The NodeClaim of the node with this name. */
export function nodeClaim(name: string, fields: NodeFields & { startupTaints?: readonly Wire[] } = {}): Wire {
  const { allocatable = { cpu: 4, memory: "8Gi", pods: 110 }, labels, metadata, taints, startupTaints } = fields;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name, labels: { [nodePoolLabel]: "default", ...labels }, ...metadata },
    spec: { taints, startupTaints },
    status: { providerID: `test:///${name}`, capacity: allocatable, allocatable },
  };
}

interface OfferingFields {
  readonly zone?: string;
  readonly capacityType?: string;
  readonly price?: number;
  readonly available?: boolean;
  readonly reservation?: { readonly id: string; readonly capacity: number };
}

export function offering(fields: OfferingFields = {}): Wire {
  const { reservation, available, price = 1 } = fields;
  const { zone = "zone-1", capacityType = reservation ? "reserved" : "on-demand" } = fields;
  const requirements = [expression(zoneLabel, "In", zone), expression(capacityTypeLabel, "In", capacityType)];
  if (reservation) requirements.push(expression(reservationLabel, "In", reservation.id));
  return { requirements, price, available, reservationCapacity: reservation?.capacity };
}

interface InstanceTypeFields {
  readonly cpu?: number;
  readonly memory?: string;
  readonly pods?: number;
  /** Other resources. */
  readonly resources?: Record<string, string | number>;
  readonly arch?: string;
  readonly os?: readonly string[];
  readonly labels?: Record<string, string>;
  /** On-demand in three zones at this price, unless offerings are given. */
  readonly price?: number;
  readonly offerings?: readonly Wire[];
}

/** An instance type of which the system keeps nothing for itself, so that tests can count in whole processors. */
export function instanceType(name: string, fields: InstanceTypeFields = {}): InstanceType {
  const {
    cpu = 4,
    memory = `${cpu * 2}Gi`,
    pods = 110,
    resources,
    arch = "amd64",
    os = ["linux"],
    labels = {},
  } = fields;
  const { price = cpu / 10 } = fields;
  const { offerings = ["zone-1", "zone-2", "zone-3"].map((zone) => offering({ zone, price })) } = fields;
  const wire = {
    name,
    architecture: arch,
    operatingSystems: os,
    resources: { cpu, memory, pods, ...resources },
    offerings,
  };
  const { instanceTypes, problems } = readInstanceTypes([wire]);
  const [type] = instanceTypes;
  if (type === undefined) throw new Error(`No instance type: ${JSON.stringify(problems)}`);
  const extra = Object.entries(labels).map(([key, value]) => [key, makeRequirement("In", [value])] as const);
  return { ...type, requirements: new Map([...type.requirements, ...extra]), allocatable: type.capacity };
}

/** Two, four, eight and sixteen processors at ten cents each, on-demand in three zones. */
export const defaultTypes: readonly InstanceType[] = [
  instanceType("small", { cpu: 2 }),
  instanceType("medium", { cpu: 4 }),
  instanceType("large", { cpu: 8 }),
  instanceType("huge", { cpu: 16 }),
];

/** A cluster of these objects. Every pod without a node waits. */
export function cluster(objects: readonly Wire[], instanceTypes: readonly InstanceType[] = defaultTypes): SnapshotRead {
  const read = readSnapshot(objects, instanceTypes, "unplaced");
  if (read.problems.length > 0) throw new Error(`No cluster: ${JSON.stringify(read.problems)}`);
  return read;
}

export const defaultSettings: PlanSettings = {
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  reservedCapacity: "Strict",
  pricePerNode: 0,
  wellKnownLabels,
  defaultSpread: [],
  maxRounds: 30,
  shouldStop: () => false,
  requestsFor: undefined,
};

export interface PlanOptions {
  readonly instanceTypes?: readonly InstanceType[];
  readonly settings?: Partial<PlanSettings>;
}

/** Plans for every pod among the objects that has no node. */
export function plan(objects: readonly Wire[], { instanceTypes, settings }: PlanOptions = {}): ProvisioningPlan {
  const { snapshot, pendingPods } = cluster(objects, instanceTypes);
  return planProvisioning(snapshot, pendingPods, { ...defaultSettings, ...settings });
}

export interface Outcome {
  /** Instance types with the pods on them. */
  readonly launched: readonly string[];
  /** Names of pods by the name of the node. */
  readonly placed: Record<string, readonly string[]>;
  /** By the name of the pod. */
  readonly refused: Record<string, string>;
}

/** The plan in short: `{ launched: ["small: web-1 web-2"], placed: { "node-1": ["db-1"] }, refused: {} }`. */
export function outcome({ nodes, placements, refusals }: ProvisioningPlan): Outcome {
  return {
    launched: nodes.map(({ instanceType, pods }) => `${instanceType}: ${namesOf(pods).join(" ")}`).sort(),
    placed: Object.fromEntries(placements.map(({ node, pods }) => [node.name, namesOf(pods)])),
    refused: Object.fromEntries(refusals.map(({ pod, refusal }) => [pod.name, refusal.kind])),
  };
}

function namesOf(pods: readonly { readonly name: string }[]): string[] {
  return pods.map(({ name }) => name).sort();
}

/** For each pod without a node and each pool, the kind of reason. */
export function reasons({ refusals }: ProvisioningPlan): Record<string, Record<string, string>> {
  return Object.fromEntries(
    refusals.map(({ pod, refusal }) => {
      const pools = refusal.kind === "no-fit" ? refusal.pools : [];
      return [pod.name, Object.fromEntries(pools.map(({ pool, reason }) => [pool, reason.kind]))];
    }),
  );
}
