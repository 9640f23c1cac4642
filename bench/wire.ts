// The few fields of a scenario and of a plan that the benchmark writes or checks. It shares no code with the planner:
// what reads a file wrongly there must not read it wrongly here.

export const zoneLabel = "topology.kubernetes.io/zone";
export const hostLabel = "kubernetes.io/hostname";
export const archLabel = "kubernetes.io/arch";
export const osLabel = "kubernetes.io/os";
export const capacityTypeLabel = "karpenter.sh/capacity-type";
export const nodePoolLabel = "karpenter.sh/nodepool";
export const instanceTypeLabel = "node.kubernetes.io/instance-type";
export const familyLabel = "karpenter.kwok.sh/instance-family";
export const cpuLabel = "karpenter.kwok.sh/instance-cpu";
export const memoryLabel = "karpenter.kwok.sh/instance-memory";

export type Labels = Readonly<Record<string, string>>;

export interface Scenario {
  readonly name: string;
  /** Where the catalogue is, from the folder of the scenario when not absolute. */
  readonly instanceTypesFile: string;
  readonly nodePools: readonly NodePool[];
  readonly pods: readonly Pod[];
  /** Nodes that exist, and the pods on them. */
  readonly objects?: readonly (ExistingNode | Pod)[];
}

export interface ExistingNode {
  readonly apiVersion: "v1";
  readonly kind: "Node";
  readonly metadata: { readonly name: string; readonly labels: Labels };
  readonly spec: { readonly providerID: string; readonly taints?: readonly Taint[] };
  readonly status: {
    readonly capacity: Readonly<Record<string, string>>;
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface NodePool {
  readonly apiVersion: "karpenter.sh/v1";
  readonly kind: "NodePool";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly labels?: Labels };
      readonly spec: {
        readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string };
        readonly requirements?: readonly Expression[];
        readonly taints?: readonly Taint[];
      };
    };
    readonly disruption: { readonly consolidateAfter: string };
  };
}

export interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface Pod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Labels };
  readonly spec: PodSpec;
  readonly status: unknown;
}

export interface PodSpec {
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  }[];
  readonly nodeSelector?: Labels;
  readonly affinity?: Affinity;
  readonly topologySpreadConstraints?: readonly TopologySpread[];
  readonly tolerations?: readonly Toleration[];
  /** Where a pod runs that is not pending. */
  readonly nodeName?: string;
}

export interface Affinity {
  readonly nodeAffinity?: { readonly [preferred]?: readonly PreferredNodeTerm[] };
  readonly podAffinity?: { readonly [required]?: readonly PodTerm[] };
  readonly podAntiAffinity?: {
    readonly [required]?: readonly PodTerm[];
    readonly [preferred]?: readonly { readonly weight: number; readonly podAffinityTerm: PodTerm }[];
  };
}

export const required = "requiredDuringSchedulingIgnoredDuringExecution";
export const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

export interface PreferredNodeTerm {
  readonly weight: number;
  readonly preference: { readonly matchExpressions: readonly Expression[] };
}

export interface PodTerm {
  readonly labelSelector: LabelSelector;
  readonly topologyKey: string;
}

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Expression[];
}

export interface TopologySpread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway";
  readonly labelSelector: LabelSelector;
}

/** What `karpenter plan --out` writes. */
export interface Plan {
  readonly scenario: string;
  readonly nodes: readonly PlanNode[];
  /** Pods that fit on nodes that exist. */
  readonly placements?: readonly { readonly node: string; readonly pods: readonly string[] }[];
  readonly unschedulable?: readonly { readonly pod: string; readonly reason?: string }[];
}

export interface PlanNode {
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
  /** Instance types that would do as well. Other planners may not say. */
  readonly alternatives?: readonly string[];
  /** Each as `namespace/name`. */
  readonly pods: readonly string[];
}

export function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
