import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { describeProblem, type Problem } from "./problem.ts";
import { readDaemonSet } from "./read-daemon-set.ts";
import { readInstanceTypes } from "./read-instance-types.ts";
import { readAttachLimits, readNode } from "./read-node.ts";
import { readNodeClaim } from "./read-node-claim.ts";
import { readNodePool } from "./read-node-pool.ts";
import { readSnapshot } from "./read-objects.ts";
import { createPodReader, readPod } from "./read-pod.ts";
import { readScenario } from "./read-scenario.ts";
import { readControllerSelector, readNamespace, readService } from "./read-selectables.ts";
import { readStorageClass, readVolume, readVolumeClaim } from "./read-volumes.ts";

const expression = { key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] };
const podTerm = {
  topologyKey: "z",
  labelSelector: { matchLabels: { a: "b" }, matchExpressions: [expression] },
  namespaceSelector: {},
  namespaces: ["n"],
};
const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: 2 } };

function affinity(term: unknown, inTerm: string): unknown {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: [term],
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, [inTerm]: term }],
  };
}

/** Objects with something in every field that is read. */
const samples: Record<string, Record<string, unknown>> = {
  Pod: {
    metadata: {
      name: "a",
      namespace: "n",
      labels: { a: "b" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", controller: true }],
    },
    spec: {
      containers: [{ name: "c", resources, ports: [{ hostPort: 1, protocol: "TCP" }] }],
      initContainers: [{ restartPolicy: "Always", resources }],
      resources,
      overhead: { cpu: "1m" },
      priority: 1,
      nodeSelector: { a: "b" },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [expression] } },
          ],
        },
        podAffinity: affinity(podTerm, "podAffinityTerm"),
        podAntiAffinity: affinity(podTerm, "podAffinityTerm"),
      },
      topologySpreadConstraints: [
        { ...podTerm, maxSkew: 1, minDomains: 1, whenUnsatisfiable: "DoNotSchedule", nodeTaintsPolicy: "Honor" },
      ],
      tolerations: [{ key: "a", operator: "Equal", value: "b", effect: "NoExecute" }],
      volumes: [
        { name: "v", persistentVolumeClaim: { claimName: "c" } },
        { name: "e", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      ],
      resourceClaims: [{}],
    },
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", reason: "Unschedulable" }],
      containerStatuses: [{ name: "c", allocatedResources: { cpu: 1 } }],
    },
  },
  NodePool: {
    metadata: { name: "p", annotations: { "karpenter.sh/default-requirements": "a" } },
    spec: {
      weight: 1,
      limits: { cpu: "1", "karpenter.sh/hourly-price": "0.5" },
      template: {
        metadata: { labels: { a: "b" }, annotations: {} },
        spec: {
          nodeClassRef: { group: "g", kind: "k", name: "n" },
          requirements: [
            { ...expression, minValues: 1 },
            { key: "a", operator: "Gt", values: ["1"] },
          ],
          taints: [{ key: "a", effect: "NoSchedule" }],
          startupTaints: [],
        },
      },
    },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  },
  NodeClaim: {
    metadata: { name: "c", labels: {} },
    spec: { requirements: [expression], taints: [], resources },
    status: {
      providerID: "p",
      capacity: { cpu: 1 },
      allocatable: { cpu: 1 },
      conditions: [{ type: "InstanceTerminating", status: "True" }],
    },
  },
  Node: {
    metadata: { name: "n", labels: {} },
    spec: { providerID: "p", taints: [], unschedulable: true },
    status: { capacity: { cpu: 1 }, allocatable: {} },
  },
  CSINode: { metadata: { name: "n" }, spec: { drivers: [{ name: "d", allocatable: { count: 1 } }] } },
  PersistentVolumeClaim: {
    metadata: { name: "c", annotations: {} },
    spec: { storageClassName: "s" },
    status: { phase: "Lost" },
  },
  PersistentVolume: {
    metadata: { name: "v" },
    spec: {
      csi: { driver: "d" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  },
  StorageClass: {
    metadata: { name: "s" },
    provisioner: "p",
    volumeBindingMode: "Immediate",
    allowedTopologies: [{ matchLabelExpressions: [{ key: "a", values: ["b"] }] }],
  },
  Namespace: { metadata: { name: "n", labels: { a: "b" } } },
  Service: { metadata: { name: "s", namespace: "n" }, spec: { selector: { a: "b" } } },
  ReplicaSet: {
    metadata: { name: "r", namespace: "n" },
    spec: { selector: { matchLabels: { a: "b" }, matchExpressions: [expression] } },
  },
  ReplicationController: { metadata: { name: "r", namespace: "n" }, spec: { selector: { a: "b" } } },
  InstanceType: {
    name: "a.b",
    architecture: "amd64",
    operatingSystems: ["linux"],
    resources: { cpu: 1, memory: "1Gi" },
    offerings: [
      {
        Price: 1,
        Available: true,
        Requirements: [expression, { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] }],
      },
    ],
  },
};
samples.DaemonSet = { metadata: { name: "d" }, spec: { template: { metadata: {}, spec: samples.Pod?.spec } } };

const readers: Record<string, (wire: unknown) => { readonly problems?: readonly Problem[] }> = {
  Pod: readPod,
  NodePool: (wire) => readNodePool(wire, []),
  NodeClaim: readNodeClaim,
  Node: readNode,
  CSINode: readAttachLimits,
  PersistentVolumeClaim: readVolumeClaim,
  PersistentVolume: readVolume,
  StorageClass: readStorageClass,
  InstanceType: (wire) => readInstanceTypes([wire]),
  DaemonSet: (wire) => readDaemonSet(wire, createPodReader()),
  Namespace: readNamespace,
  Service: readService,
  ReplicaSet: (wire) => readControllerSelector(wire, "ReplicaSet"),
  ReplicationController: (wire) => readControllerSelector(wire, "ReplicationController"),
};

/** Names that objects have from birth: code that leans on them breaks when somebody writes them into a file. */
const inbornNames = ["toString", "valueOf", "toJSON", "__proto__", "constructor", "hasOwnProperty", "length", "items"];
const oddObject = fc
  .array(fc.tuple(fc.constantFrom(...inbornNames), fc.jsonValue({ maxDepth: 1 })), { minLength: 1, maxLength: 4 })
  .map((entries): unknown => Object.fromEntries(entries));

/** What JSON can hold and hardly anybody thinks of, for every place in turn. */
const oddities: readonly unknown[] = [
  ...["false", '{"x": []}'].flatMap((value) => inbornNames.map((name) => `{"${name}": ${value}}`)),
  '{"toString": null, "valueOf": null, "toJSON": 1}',
  "[]",
  "[[]]",
  "[null]",
  '[{"toString": 0}]',
  "{}",
  '""',
  "-0",
  "1e308",
].map((text) => JSON.parse(text));

const garbage = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  oddObject,
  fc.array(oddObject, { maxLength: 3 }),
  fc.constantFrom<unknown>(
    undefined,
    Number.NaN,
    Number.MAX_VALUE,
    10n,
    new Date(Number.NaN),
    () => 0,
    "9".repeat(100_000),
    "-",
    "1e999999999",
  ),
);

/** The value with the part at some place replaced; each number of the path chooses among the parts there. */
function spoil(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [choice, ...rest] = path;
  if (choice === undefined || typeof value !== "object" || value === null) return replacement;
  const keys = Object.keys(value);
  if (keys.length === 0) return replacement;
  const key = keys[choice % keys.length] ?? "";
  const spoilt = spoil((value as Record<string, unknown>)[key], rest, replacement);
  if (Array.isArray(value)) return value.map((part, index) => (String(index) === key ? spoilt : part));
  return { ...value, [key]: spoilt };
}

/** A path for `spoil` to every part of the value, however deep. */
function placesIn(value: unknown): number[][] {
  const parts = typeof value === "object" && value !== null ? Object.values(value) : [];
  return [[], ...parts.flatMap((part, index) => placesIn(part).map((rest) => [index, ...rest]))];
}

const place = fc.array(fc.nat(50), { maxLength: 10 });

function check(problems: readonly Problem[] | undefined): void {
  for (const problem of problems ?? []) assert.ok(describeProblem(problem).length < 1000);
}

for (const [kind, read] of Object.entries(readers)) {
  describe(`A ${kind} that anybody may have written`, () => {
    it("is read whole when nothing is wrong with it", () => {
      assert.deepEqual(read(samples[kind]).problems ?? [], []);
    });

    it("may be odd in any place", () => {
      for (const path of placesIn(samples[kind])) {
        for (const oddity of oddities) check(read(spoil(samples[kind], path, oddity)).problems);
      }
    });

    it("is never more than a problem", () => {
      fc.assert(
        fc.property(garbage, (wire) => check(read(wire).problems)),
        { numRuns: 100 },
      );
      fc.assert(
        fc.property(place, place, garbage, garbage, (first, second, a, b) => {
          check(read(spoil(spoil(samples[kind], first, a), second, b)).problems);
        }),
        { numRuns: 300 },
      );
    });
  });
}

describe("A cluster that anybody may have written", () => {
  const apiVersions: Record<string, string> = {
    NodePool: "karpenter.sh/v1",
    NodeClaim: "karpenter.sh/v1",
    DaemonSet: "apps/v1",
    ReplicaSet: "apps/v1",
    StorageClass: "storage.k8s.io/v1",
    CSINode: "storage.k8s.io/v1",
  };
  const objects = Object.entries(samples).map(([kind, sample]) => ({
    apiVersion: apiVersions[kind] ?? "v1",
    kind,
    ...sample,
  }));
  const list = { apiVersion: "v1", kind: "List", items: objects };

  it("is never more than a list of problems", () => {
    fc.assert(
      fc.property(place, place, garbage, garbage, (first, second, a, b) => {
        const spoilt = spoil(spoil([list, ...objects], first, a), second, b);
        check(readSnapshot(Array.isArray(spoilt) ? spoilt : [spoilt], []).problems);
      }),
      { numRuns: 300 },
    );
  });

  it("is never more than a scenario with problems", () => {
    const defaultConstraints = [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }];
    const scenario = { name: "x", nodePools: [samples.NodePool], pods: [samples.Pod], objects, defaultConstraints };
    fc.assert(
      fc.property(place, place, garbage, garbage, (first, second, a, b) => {
        check(readScenario(spoil(scenario, first, a), spoil([samples.InstanceType], second, b)).problems);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves a good pod in whatever company", () => {
    fc.assert(
      fc.property(fc.array(garbage, { maxLength: 5 }), (company) => {
        const pod = { metadata: { name: "good" }, spec: { containers: [{}] } };
        const { scenario } = readScenario({ pods: [...company, pod] }, []);
        assert.deepEqual(
          scenario?.pendingPods.map(({ name }) => name),
          ["good"],
        );
      }),
      { numRuns: 100 },
    );
  });
});
