import fc from "fast-check";
import { readSnapshot } from "../../src/core/api/read-objects.ts";
import {
  archLabel,
  capacityTypeLabel,
  hostnameLabel,
  instanceTypeLabel,
  nodePoolLabel,
  zoneLabel,
} from "../../src/core/model/labels.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import { instanceType, node, offering, pod, pool, type Wire } from "./builders.ts";

/** A small cluster with pods that wait, as plain objects, so that a failure can be read. */
export interface Recipe {
  readonly types: readonly TypeRecipe[];
  readonly objects: readonly Wire[];
}

interface TypeRecipe {
  readonly name: string;
  readonly cpu: number;
  readonly memory: string;
  readonly pods: number;
  readonly arch: string;
  readonly gpus: number;
  readonly labels: Record<string, string>;
  readonly offerings: readonly Wire[];
}

const zones = ["zone-1", "zone-2", "zone-3"];
const apps = ["a", "b", "c"];
const teamLabel = "example.com/team";
const rackLabel = "example.com/rack";
const generationLabel = "example.com/generation";
const gpuResource = "example.com/gpu";

/** What a recipe describes. A pool that contradicts itself is left out, as it would be in a real cluster. */
export function prepare({ types, objects }: Recipe): { snapshot: Snapshot; pendingPods: readonly Pod[] } {
  const instanceTypes = types.map(({ gpus, ...fields }) =>
    instanceType(fields.name, { ...fields, ...(gpus > 0 ? { resources: { [gpuResource]: gpus } } : {}) }),
  );
  return readSnapshot([...storage, ...objects], instanceTypes, "unplaced");
}

/** Mostly absent, because a pod with every kind of constraint goes nowhere. */
function seldom<T>(arbitrary: fc.Arbitrary<T>, percent = 15): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary });
}

/** The same object without the fields that are undefined. */
function without<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function some<T>(values: readonly T[]): fc.Arbitrary<T[]> {
  return fc.subarray([...values], { minLength: 1 });
}

const price = fc.integer({ min: 1, max: 40 }).map((cents) => cents / 100);

const offerings = fc
  .array(
    fc.record({
      zone: fc.constantFrom(...zones),
      capacityType: fc.constantFrom("on-demand", "spot"),
      price,
      available: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
    }),
    { minLength: 2, maxLength: 6, size: "max" },
  )
  .map((drawn) => [...new Map(drawn.map((one) => [`${one.zone} ${one.capacityType}`, one])).values()])
  .chain((ordinary) =>
    seldom(fc.record({ zone: fc.constantFrom(...zones), capacity: fc.integer({ min: 0, max: 2 }) })).map((reserved) => [
      ...ordinary.map(offering),
      ...(reserved
        ? [offering({ zone: reserved.zone, price: 0.001, reservation: { id: "r-1", capacity: reserved.capacity } })]
        : []),
    ]),
  );

const types: fc.Arbitrary<TypeRecipe[]> = fc
  .array(
    fc.record({
      cpu: fc.constantFrom(1, 2, 4, 8),
      memory: fc.constantFrom("2Gi", "4Gi", "8Gi", "16Gi"),
      pods: fc.constantFrom(2, 5, 110),
      arch: fc.constantFrom("amd64", "amd64", "arm64"),
      gpus: fc.constantFrom(0, 0, 0, 1),
      labels: fc.constantFrom({}, { [generationLabel]: "3" }, { [generationLabel]: "5" }),
      offerings,
    }),
    { minLength: 1, maxLength: 4, size: "max" },
  )
  .map((drawn) => drawn.map((fields, index) => ({ name: `type-${index}`, ...fields })));

const taint = fc.record({
  key: fc.constantFrom("dedicated", "special"),
  value: fc.constantFrom("x", "y"),
  effect: fc.constantFrom("NoSchedule", "NoExecute", "PreferNoSchedule"),
});

const poolRequirement = fc.oneof(
  some(zones).map((values) => ({ key: zoneLabel, operator: "In", values })),
  fc.constantFrom("spot", "on-demand").map((value) => ({ key: capacityTypeLabel, operator: "In", values: [value] })),
  some(["spot", "on-demand", "reserved"]).map((values) => ({ key: capacityTypeLabel, operator: "In", values })),
  fc.constant({ key: archLabel, operator: "NotIn", values: ["arm64"] }),
  some(["red", "blue"]).map((values) => ({ key: teamLabel, operator: "In", values })),
  fc.constant({ key: teamLabel, operator: "Exists" }),
  some(["rack-1", "rack-2"]).map((values) => ({ key: rackLabel, operator: "In", values })),
  fc.constant({ key: generationLabel, operator: "Gt", values: ["3"] }),
  fc.constant({ key: instanceTypeLabel, operator: "Exists", minValues: 2 }),
);

const poolFields = fc.record({
  weight: seldom(fc.integer({ min: 1, max: 3 }), 35),
  limits: seldom(
    fc.record(
      {
        cpu: fc.integer({ min: 0, max: 12 }),
        nodes: fc.integer({ min: 0, max: 3 }),
        "karpenter.sh/hourly-price": fc.constantFrom("0.1", "0.5"),
      },
      { requiredKeys: [] },
    ),
    30,
  ),
  labels: seldom(fc.constantFrom({ [teamLabel]: "red" }, { [rackLabel]: "rack-9" })),
  taints: seldom(fc.array(taint, { minLength: 1, maxLength: 2 })),
  requirements: fc.array(poolRequirement, { maxLength: 2, size: "-1" }),
  replicas: seldom(fc.constant(1), 4),
  status: seldom(fc.constant({ conditions: [{ type: "Ready", status: "False" }] }), 4),
});

const pools = fc.array(poolFields, { minLength: 1, maxLength: 3 }).map((drawn) =>
  drawn.map(({ weight, limits, replicas, ...fields }, index) =>
    // A static pool has neither weight nor these limits.
    pool(`pool-${index}`, without(replicas === undefined ? { ...fields, weight, limits } : { ...fields, replicas })),
  ),
);

const selector = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...apps).map((app) => ({ matchLabels: { app } })) },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ matchExpressions: [{ key: "app", operator: "NotIn", values: ["a"] }] }) },
  { weight: 1, arbitrary: fc.constant({ matchExpressions: [{ key: "app", operator: "In", values: ["b", "c"] }] }) },
);

const topologyKeys = [zoneLabel, hostnameLabel, capacityTypeLabel, rackLabel, teamLabel];

const topologyKey = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(zoneLabel, hostnameLabel) },
  { weight: 1, arbitrary: fc.constant(capacityTypeLabel) },
  { weight: 1, arbitrary: fc.constantFrom(rackLabel, teamLabel) },
);

const podTerm = fc.record(
  {
    topologyKey,
    labelSelector: selector,
    namespaces: some(["default", "other"]),
    namespaceSelector: fc.constantFrom({}, { matchLabels: { kind: "second" } }),
    matchLabelKeys: fc.constant(["revision"]),
    mismatchLabelKeys: fc.constant(["tenant"]),
  },
  { requiredKeys: ["topologyKey", "labelSelector"] },
);

const plainPodTerm = fc.record({ topologyKey, labelSelector: selector });
const eitherPodTerm = fc.oneof({ weight: 3, arbitrary: plainPodTerm }, { weight: 1, arbitrary: podTerm });

const anySpread = fc.record(
  {
    topologyKey,
    maxSkew: fc.integer({ min: 1, max: 2 }),
    whenUnsatisfiable: fc.constantFrom("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
    labelSelector: selector,
    minDomains: fc.integer({ min: 1, max: 4 }),
    nodeAffinityPolicy: fc.constantFrom("Honor", "Ignore"),
    nodeTaintsPolicy: fc.constantFrom("Honor", "Ignore"),
    matchLabelKeys: fc.constant(["revision"]),
  },
  { requiredKeys: ["topologyKey", "maxSkew", "whenUnsatisfiable", "labelSelector"] },
);
/** The API server takes minDomains with DoNotSchedule only. */
const spread = anySpread.map(({ minDomains, ...rest }) =>
  minDomains === undefined || rest.whenUnsatisfiable === "ScheduleAnyway" ? rest : { ...rest, minDomains },
);

/** Two rules about the same pods, or about some of them, over different domains: they must hold of the same pods. */
const alikePodTerms = fc
  .record({
    term: eitherPodTerm,
    keys: fc.shuffledSubarray(topologyKeys, { minLength: 2, maxLength: 2 }),
    other: selector,
  })
  .chain(({ term, keys: [first, second], other }) =>
    fc.constantFrom(term.labelSelector, term.labelSelector, other).map((labelSelector) => [
      { ...term, topologyKey: first },
      { ...term, topologyKey: second, labelSelector },
    ]),
  );
const podTerms = fc.oneof(
  { weight: 2, arbitrary: fc.array(eitherPodTerm, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: alikePodTerms },
);

/** Spread over two kinds of domains at once: nodes that lack one of them do not count for the other. */
const alikeSpreads = fc
  .record({ rule: spread, keys: fc.shuffledSubarray(topologyKeys, { minLength: 2, maxLength: 2 }) })
  .map(({ rule, keys }) => keys.map((key) => ({ ...rule, topologyKey: key })));
const spreads = fc.oneof(
  { weight: 3, arbitrary: fc.array(spread, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: alikeSpreads },
);

const nodeExpression = fc.oneof(
  some(zones).map((values) => ({ key: zoneLabel, operator: "In", values })),
  some(zones.slice(1)).map((values) => ({ key: zoneLabel, operator: "NotIn", values })),
  fc.constantFrom("Exists", "DoesNotExist").map((operator) => ({ key: teamLabel, operator })),
  fc.constantFrom("red", "blue").map((value) => ({ key: teamLabel, operator: "In", values: [value] })),
  fc.constant({ key: teamLabel, operator: "NotIn", values: ["red"] }),
  fc.constantFrom("Gt", "Lt").map((operator) => ({ key: generationLabel, operator, values: ["4"] })),
  fc.constant({ key: generationLabel, operator: "DoesNotExist" }),
  fc.constantFrom("type-0", "type-1").map((value) => ({ key: instanceTypeLabel, operator: "In", values: [value] })),
  fc.constant({ key: "topology.kubernetes.io/region", operator: "NotIn", values: ["nowhere"] }),
);
const nodeTerm = fc
  .array(nodeExpression, { minLength: 1, maxLength: 2 })
  .map((matchExpressions) => ({ matchExpressions }));

const nodeSelector = fc.constantFrom<Record<string, string>>(
  { [zoneLabel]: "zone-1" },
  { [zoneLabel]: "zone-2" },
  { [capacityTypeLabel]: "on-demand" },
  { [archLabel]: "arm64" },
  { [teamLabel]: "red" },
  { [nodePoolLabel]: "pool-0" },
  { [rackLabel]: "rack-1" },
);

const toleration = fc.oneof(
  fc.constant({ operator: "Exists" }),
  fc.constantFrom("dedicated", "special").map((key) => ({ key, operator: "Exists" })),
  fc.constant({ key: "dedicated", value: "x", effect: "NoSchedule" }),
);

const port = fc.record(
  {
    hostPort: fc.constantFrom(80, 81),
    hostIP: fc.constantFrom("10.0.0.1", "10.0.0.2"),
    protocol: fc.constantFrom("TCP", "UDP"),
  },
  { requiredKeys: ["hostPort"] },
);

const requests = fc.record(
  {
    cpu: fc.constantFrom("100m", "200m", "500m", "1", "1500m", "3"),
    memory: fc.constantFrom("100Mi", "1Gi", "3Gi"),
    [gpuResource]: fc.constantFrom("0", "0", "0", "1"),
  },
  { requiredKeys: ["cpu"] },
);

const labels = fc.record(
  {
    app: fc.constantFrom(...apps),
    revision: fc.constantFrom("1", "2"),
    tenant: fc.constantFrom("x", "y"),
  },
  { requiredKeys: ["app"] },
);

const claims = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("bound-1", "bound-1-or-3", "class-2", "anywhere", "local").map((name) => [name]),
  },
  { weight: 2, arbitrary: fc.constant(["bound-1-or-3", "bound-1", "anywhere"]) },
  { weight: 1, arbitrary: fc.constantFrom(["lost"], ["missing"], ["bound-1", "class-2"]) },
);

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const weight = fc.integer({ min: 1, max: 100 });

const podFields = fc
  .record({
    labels,
    namespace: fc.constantFrom("default", "default", "default", "other"),
    requests,
    priority: seldom(fc.integer({ min: -1, max: 2 })),
    nodeSelector: seldom(nodeSelector, 10),
    nodeTerms: seldom(fc.array(nodeTerm, { minLength: 1, maxLength: 2 })),
    nodePreferences: seldom(fc.array(fc.record({ weight, preference: nodeTerm }), { minLength: 1, maxLength: 2 })),
    podAffinity: seldom(podTerms, 15),
    podAntiAffinity: seldom(fc.array(eitherPodTerm, { minLength: 1, maxLength: 2 }), 20),
    preferredPodAffinity: seldom(fc.record({ weight, podAffinityTerm: eitherPodTerm }), 8),
    preferredPodAntiAffinity: seldom(fc.record({ weight, podAffinityTerm: eitherPodTerm }), 8),
    spread: seldom(spreads, 35),
    tolerations: seldom(fc.array(toleration, { minLength: 1, maxLength: 2 }), 25),
    ports: seldom(fc.array(port, { minLength: 1, maxLength: 2 })),
    claims: seldom(claims, 10),
  })
  .map((drawn) => ({
    labels: drawn.labels,
    metadata: { namespace: drawn.namespace },
    requests: drawn.requests,
    priority: drawn.priority,
    nodeSelector: drawn.nodeSelector,
    tolerations: drawn.tolerations,
    affinity: {
      nodeAffinity: {
        [required]: drawn.nodeTerms && { nodeSelectorTerms: drawn.nodeTerms },
        [preferred]: drawn.nodePreferences,
      },
      podAffinity: {
        [required]: drawn.podAffinity,
        [preferred]: drawn.preferredPodAffinity && [drawn.preferredPodAffinity],
      },
      podAntiAffinity: {
        [required]: drawn.podAntiAffinity,
        [preferred]: drawn.preferredPodAntiAffinity && [drawn.preferredPodAntiAffinity],
      },
    },
    topologySpreadConstraints: drawn.spread,
    containers: [{ resources: { requests: drawn.requests }, ports: drawn.ports }],
    volumes: drawn.claims?.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  }));

type PodFields = typeof podFields extends fc.Arbitrary<infer T> ? T : never;

function podsOf(classes: readonly { fields: PodFields; count: number }[]): Wire[] {
  return classes.flatMap(({ fields, count }, index) =>
    Array.from({ length: count }, (_, each) => namedPod(`wait-${index}-${each}`, fields)),
  );
}

function namedPod(name: string, { metadata, ...fields }: PodFields, extra: Wire = {}): Wire {
  return pod(name, { ...fields, ...extra, metadata: { ...metadata, name, uid: name, labels: fields.labels } });
}

const waiting = fc.array(fc.record({ fields: podFields, count: fc.integer({ min: 1, max: 4 }) }), {
  minLength: 1,
  maxLength: 4,
});

const existing = fc
  .array(
    fc.record({
      zone: fc.constantFrom(...zones),
      poolIndex: fc.integer({ min: 0, max: 3 }),
      labels: fc.constantFrom({}, { [teamLabel]: "blue" }, { [rackLabel]: "rack-1", [generationLabel]: "5" }),
      cpu: fc.constantFrom(1, 4, 8),
      taints: seldom(fc.array(taint, { minLength: 1, maxLength: 1 })),
      attachLimit: seldom(fc.integer({ min: 0, max: 2 }), 35),
      isDeleting: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      running: fc.array(
        fc.record({ fields: podFields, isDeleting: fc.integer({ min: 0, max: 9 }).map((number) => number === 0) }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 3 },
  )
  .map((drawn) =>
    drawn.flatMap(({ zone, poolIndex, labels, cpu, taints, attachLimit, isDeleting, running }, index) => {
      const name = `node-${index}`;
      const owner = poolIndex < 3 ? { [nodePoolLabel]: `pool-${poolIndex}` } : {};
      const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z" };
      return [
        node(name, {
          allocatable: { cpu, memory: "8Gi", pods: 6 },
          labels: { [zoneLabel]: zone, [archLabel]: "amd64", [capacityTypeLabel]: "on-demand", ...labels, ...owner },
          metadata: isDeleting ? deletion : {},
          ...(taints ? { taints } : {}),
        }),
        ...(attachLimit === undefined
          ? []
          : [
              {
                kind: "CSINode",
                apiVersion: "storage.k8s.io/v1",
                metadata: { name },
                spec: { drivers: [{ name: driver, allocatable: { count: attachLimit } }] },
              },
            ]),
        ...running.map(({ fields, isDeleting }, each) => {
          const { metadata } = fields;
          const named = { ...fields, metadata: { ...metadata, ...(isDeleting ? deletion : {}) } };
          return namedPod(`run-${index}-${each}`, named, { nodeName: name });
        }),
      ];
    }),
  );

const daemons = fc
  .array(
    fc.record({
      requests: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("50m", "200m").map((cpu) => ({ cpu })) },
        { weight: 1, arbitrary: fc.constant({ cpu: "50m", [gpuResource]: "1" }) },
      ),
      nodeSelector: seldom(nodeSelector, 35),
      tolerations: seldom(fc.array(toleration, { minLength: 1, maxLength: 1 }), 35),
      ports: seldom(fc.array(port, { minLength: 1, maxLength: 1 })),
    }),
    { maxLength: 2 },
  )
  .map((drawn) =>
    drawn.map(({ requests, ports, ...spec }, index) => ({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: `daemon-${index}` },
      spec: { template: { spec: { ...spec, containers: [{ resources: { requests }, ports }] } } },
    })),
  );

const driver = "csi.example.com";

function volume(name: string, spec: Wire, ...zoneTerms: readonly string[]): Wire {
  const terms = zoneTerms.map((zone) => ({ matchExpressions: [{ key: zoneLabel, operator: "In", values: [zone] }] }));
  const nodeAffinity = terms.length > 0 ? { required: { nodeSelectorTerms: terms } } : undefined;
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec: { ...spec, nodeAffinity } };
}

function claim(namespace: string, name: string, spec: Wire, status: Wire = {}): Wire {
  const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { namespace, name, annotations }, spec, status };
}

function storageClass(name: string, ...allowed: readonly string[]): Wire {
  const allowedTopologies = allowed.map((zone) => ({ matchLabelExpressions: [{ key: zoneLabel, values: [zone] }] }));
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: driver,
    volumeBindingMode: "WaitForFirstConsumer",
    allowedTopologies,
  };
}

/** Volumes of every kind, and the claims that pods may name, in both namespaces. */
const storage: readonly Wire[] = [
  volume("volume-1", { csi: { driver } }, "zone-1"),
  volume("volume-1-or-3", { csi: { driver } }, "zone-1", "zone-3"),
  volume("volume-local", { local: { path: "/x" } }, "zone-2"),
  storageClass("in-zone-2", "zone-2"),
  storageClass("anywhere"),
  ...["default", "other"].flatMap((namespace) => [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: namespace === "other" ? { kind: "second" } : {} },
    },
    claim(namespace, "bound-1", { volumeName: "volume-1" }),
    claim(namespace, "bound-1-or-3", { volumeName: "volume-1-or-3" }),
    claim(namespace, "local", { volumeName: "volume-local" }),
    claim(namespace, "class-2", { storageClassName: "in-zone-2" }),
    claim(namespace, "anywhere", { storageClassName: "anywhere" }),
    claim(namespace, "lost", { volumeName: "volume-1" }, { phase: "Lost" }),
  ]),
];

/** Up to sixteen pods in a few classes, and up to three pools, three nodes and two daemon sets. */
export const randomRecipe: fc.Arbitrary<Recipe> = fc
  .record({ types, pools, existing, daemons, waiting })
  .map(({ types, pools, existing, daemons, waiting }) => ({
    types,
    objects: [...pools, ...existing, ...daemons, ...podsOf(waiting)],
  }));
