import {
  archLabel,
  hostnameLabel,
  instanceTypeLabel,
  isLabelValue,
  type Labels,
  osLabel,
} from "../../core/model/labels.ts";
import { annotationsForNode } from "../../core/model/move-annotations.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { formatAmount, parseQuantity } from "../../core/model/quantity.ts";
import { operatorOf, type Requirements } from "../../core/model/requirements.ts";
import { type Resources, toResources } from "../../core/model/resources.ts";
import type { Taint } from "../../core/model/taints.ts";
import { providerIdOf, shortHash } from "./machine-name.ts";
import type { Choice } from "./offerings.ts";

/** On nodes: whose machine it is. */
export const claimAnnotation = "karpenter.kwok.sh/nodeclaim";

/** As label and as annotation, because kwok may be told to look for either. */
const fakeNode = ["kwok.x-k8s.io/node", "fake"] as const;
const partition = ["kwok-partition", "a"] as const;
const priceLabel = "eks-node-viewer/instance-price";
/**
 * What kube-controller-manager writes on every node that lacks it. A node that brings it along changes two times less
 * while it starts, and with every change kube-scheduler looks at all pods that wait.
 */
const addedLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", archLabel],
  ["beta.kubernetes.io/os", osLabel],
]);
const addedAnnotation = ["node.alpha.kubernetes.io/ttl", "0"] as const;
const unregistered: Taint = { key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" };

export interface NodeParts {
  readonly name: string;
  readonly choice: Choice;
  readonly now: number;
}

/** The Node that a kubelet on the machine would register. */
export function makeNode(claim: NodeClaim, { name, choice, now }: NodeParts): WireNode {
  const labels = labelsOf(claim, choice);
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: Object.fromEntries([...labels, ...added(labels)]),
      annotations: Object.fromEntries([
        ...annotationsForNode(claim),
        fakeNode,
        [claimAnnotation, claim.name],
        addedAnnotation,
      ]),
    },
    spec: {
      providerID: providerIdOf(name),
      taints: distinct([unregistered, ...claim.taints, ...claim.startupTaints]).map(wireTaint),
    },
    status: {
      phase: "Pending",
      capacity: wireResources(choice.type.capacity),
      allocatable: wireResources(choice.allocatable),
      nodeInfo: { architecture: labels.get(archLabel) ?? "", operatingSystem: labels.get(osLabel) ?? "" },
      // Without it the node would count as one that nothing is wrong with.
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "KubeletStarting",
          message: "The kubelet of the machine has not reported yet",
          lastHeartbeatTime: wireTime(now),
          lastTransitionTime: wireTime(now),
        },
      ],
    },
  };
}

export interface WireNode {
  readonly apiVersion: "v1";
  readonly kind: "Node";
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: object;
  readonly status: object;
}

function labelsOf(claim: NodeClaim, { type, offering }: Choice): Labels {
  return new Map([
    ...claim.labels,
    ...singleValues(claim.requirements),
    ...singleValues(type.requirements),
    ...singleValues(offering.requirements),
    [instanceTypeLabel, type.name],
    [hostnameLabel, hostnameOf(claim)],
    [priceLabel, offering.price.toFixed(6)],
    partition,
    fakeNode,
  ]);
}

function added(labels: Labels): [string, string][] {
  return [...addedLabels].flatMap(([label, from]): [string, string][] => {
    const value = labels.get(from);
    return value === undefined ? [] : [[label, value]];
  });
}

/** What the machine itself has: without what is added to every node. */
export function withoutAdded(pairs: Labels): Labels {
  return new Map([...pairs].filter(([key]) => !addedLabels.has(key) && key !== addedAnnotation[0]));
}

function singleValues(requirements: Requirements): [string, string][] {
  return [...requirements].flatMap(([key, requirement]): [string, string][] => {
    const [value] = requirement.values;
    return operatorOf(requirement) === "In" && requirement.values.size === 1 && value !== undefined
      ? [[key, value]]
      : [];
  });
}

const longestLabelValue = 63;

/** The name of a claim may be longer than a label can be. */
function hostnameOf({ name, uid }: NodeClaim): string {
  if (isLabelValue(name)) return name;
  const hash = shortHash(uid);
  return `${name.slice(0, longestLabelValue - hash.length - 1)}-${hash}`;
}

/** The API takes a key with an effect once. */
function distinct(taints: readonly Taint[]): readonly Taint[] {
  return [...new Map(taints.map((taint) => [`${taint.key}:${taint.effect}`, taint])).values()];
}

function wireTaint({ key, value, effect }: Taint): object {
  return value === "" ? { key, effect } : { key, value, effect };
}

function wireResources(resources: Resources): Record<string, string> {
  return Object.fromEntries([...resources].map(([name, amount]) => [name, wireAmount(name, amount)]));
}

/** As people write it where that is exact. */
function wireAmount(resource: string, amount: number): string {
  const written = formatAmount(resource, amount);
  const quantity = parseQuantity(written);
  const isExact = quantity !== undefined && toResources(new Map([[resource, quantity]])).get(resource) === amount;
  return isExact ? written : String(amount);
}

export function wireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}
