import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeRequirement } from "../model/requirements.ts";
import { describeProblem } from "./problem.ts";
import { readInstanceTypes } from "./read-instance-types.ts";
import { readSnapshot } from "./read-objects.ts";

type Wire = Record<string, unknown>;

const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const unschedulable = { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] };
const waiting = { status: unschedulable };

function pod(
  name: string,
  { metadata, spec, status }: { metadata?: object; spec?: object; status?: object } = {},
): Wire {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [{ resources: { requests: { cpu: "1" } } }], ...spec },
    status,
  };
}

function ownedBy(apiVersion: string, kind: string, name = "owner"): object {
  return { ownerReferences: [{ apiVersion, kind, name, controller: true }] };
}

function node(name: string, metadata: object = {}): Wire {
  return { apiVersion: "v1", kind: "Node", metadata: { name, ...metadata }, status: { capacity: { cpu: "4" } } };
}

function places(...objects: unknown[]): { pending: string[]; placed: Record<string, string[]> } {
  const { snapshot, pendingPods, problems } = readSnapshot(objects, []);
  assert.deepEqual(problems, []);
  const placed = Array.from(snapshot.podsByNode, ([name, pods]) => [name, pods.map((pod) => pod.name)]);
  return { pending: pendingPods.map(({ name }) => name), placed: Object.fromEntries(placed) };
}

describe("readSnapshot", () => {
  it("takes those pods for pending that kube-scheduler has given up on", () => {
    const answer = places(
      pod("waits", waiting),
      pod("new"),
      pod("held", { spec: { schedulingGates: [{ name: "quota" }] }, ...waiting }),
      pod("gated", { status: { conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] } }),
      pod("going", { metadata: deleted, ...waiting }),
      pod("failed", { status: { ...unschedulable, phase: "Failed" } }),
      pod("daemon", { metadata: ownedBy("apps/v1", "DaemonSet"), ...waiting }),
      pod("mirror", { metadata: ownedBy("v1", "Node"), ...waiting }),
    );
    assert.deepEqual(answer, { pending: ["waits"], placed: {} });
  });

  it("leaves a pod alone that wants a node of no pool", () => {
    const matchExpressions = [{ key: "karpenter.sh/nodepool", operator: "DoesNotExist" }];
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    };
    assert.deepEqual(places(pod("elsewhere", { spec: { affinity: { nodeAffinity } }, ...waiting })).pending, []);
  });

  it("keeps the room of a nominated pod, unless its node is not there", () => {
    const nominated = (name: string, nominatedNodeName: string) =>
      pod(name, { status: { ...unschedulable, nominatedNodeName } });
    assert.deepEqual(places(node("n1"), nominated("a", "n1"), nominated("b", "n2")), {
      pending: ["b"],
      placed: { n1: ["a"] },
    });
  });

  it("moves the pods of a node that goes away, as far as they can be moved", () => {
    const on = (name: string, metadata: object = {}, status?: object) =>
      pod(name, { metadata, spec: { nodeName: "n1" }, ...(status === undefined ? {} : { status }) });
    const answer = places(
      node("n1", deleted),
      on("web"),
      on("stateful", { ...deleted, ...ownedBy("apps/v1", "StatefulSet") }),
      on("leaving", deleted),
      on("daemon", ownedBy("apps/v1", "DaemonSet")),
      on("stays", { annotations: { "karpenter.sh/do-not-disrupt": "true" } }),
      on("done", {}, { phase: "Succeeded" }),
    );
    assert.deepEqual(answer, { pending: ["web", "stateful"], placed: { n1: ["leaving", "daemon", "stays"] } });
  });

  it("models a daemon on its newest pod, but takes its affinity from the template", () => {
    const affinity = (term: object) => ({
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    });
    const pinned = affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] });
    const arm = affinity({ matchExpressions: [{ key: "kubernetes.io/arch", operator: "In", values: ["arm64"] }] });
    const template = (spec: object) => ({
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ resources: { limits: { cpu: "2" } } }], ...spec },
      },
    });
    const daemonSet = (name: string, spec: object) => ({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name },
      spec: template(spec),
    });
    const live = (name: string, creationTimestamp: string, cpu: string) =>
      pod(name, {
        metadata: { creationTimestamp, ...ownedBy("apps/v1", "DaemonSet", "logs") },
        spec: { nodeName: "n1", affinity: pinned, containers: [{ resources: { requests: { cpu } } }] },
      });
    const { snapshot, problems } = readSnapshot(
      [
        daemonSet("logs", { affinity: arm }),
        daemonSet("metrics", {}),
        live("logs-new", "2026-02-01T00:00:00Z", "300m"),
        live("logs-old", "2026-01-01T00:00:00Z", "200m"),
      ],
      [],
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      snapshot.daemonPods.map(({ name, nodeName, spec }) => [
        name,
        nodeName,
        spec.requests.get("cpu"),
        spec.requiredNodeTerms,
        spec.tolerations.length,
      ]),
      [
        ["logs-new", "", 300, [new Map([["kubernetes.io/arch", makeRequirement("In", ["arm64"])]])], 0],
        ["metrics", "", 2000, [], 6],
      ],
    );
  });

  it("joins nodes with their claims, limits and prices", () => {
    const { instanceTypes } = readInstanceTypes([
      {
        name: "m5.large",
        architecture: "amd64",
        operatingSystems: ["linux"],
        resources: { cpu: 2, memory: "8Gi" },
        offerings: [
          {
            Price: 0.1,
            Requirements: [
              { key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] },
              { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
            ],
          },
          {
            Price: 0.2,
            Requirements: [
              { key: "topology.kubernetes.io/zone", operator: "In", values: ["b"] },
              { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
            ],
          },
        ],
      },
    ]);
    const labels = {
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.kubernetes.io/zone": "b",
      "karpenter.sh/capacity-type": "spot",
    };
    const claim = (name: string, status: object) => ({
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, labels },
      spec: {},
      status,
    });
    const csiNode = {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name: "n1" },
      spec: { drivers: [{ name: "d", allocatable: { count: 3 } }] },
    };
    const { snapshot } = readSnapshot(
      [
        { ...node("n1"), spec: { providerID: "p://1" } },
        claim("c1", { providerID: "p://1" }),
        claim("c2", {}),
        node("n3"),
        csiNode,
      ],
      instanceTypes,
    );
    assert.deepEqual(
      snapshot.nodes.map(({ name, isInitialized, price, volumeLimits }) => ({
        name,
        isInitialized,
        price,
        volumeLimits,
      })),
      [
        { name: "n1", isInitialized: false, price: 0.2, volumeLimits: new Map([["d", 3]]) },
        { name: "n3", isInitialized: true, price: undefined, volumeLimits: new Map() },
        { name: "c2", isInitialized: false, price: 0.2, volumeLimits: new Map() },
      ],
    );
  });

  it("reads what selects pods, and where volumes are", () => {
    const object = (apiVersion: string, kind: string, spec: object, name = "x") => ({
      apiVersion,
      kind,
      metadata: { name, labels: { a: "b" } },
      spec,
    });
    const { snapshot, problems } = readSnapshot(
      [
        {
          apiVersion: "v1",
          kind: "List",
          items: [
            object("v1", "Namespace", {}),
            object("v1", "Service", { selector: { app: "x" } }),
            object("v1", "Service", {}, "headless"),
            object("apps/v1", "ReplicaSet", { selector: { matchLabels: { app: "x" } } }),
            object("v1", "ReplicationController", { selector: { app: "y" } }),
          ],
        },
        { apiVersion: "v1", kind: "PersistentVolumeClaimList", items: [{ metadata: { name: "c", namespace: "n" } }] },
        object("v1", "PersistentVolume", { csi: { driver: "d" } }),
        { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "s" }, provisioner: "p" },
      ],
      [],
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      snapshot.namespaces,
      new Map([
        [
          "x",
          new Map([
            ["a", "b"],
            ["kubernetes.io/metadata.name", "x"],
          ]),
        ],
      ]),
    );
    assert.deepEqual(snapshot.services, [{ namespace: "default", labels: new Map([["app", "x"]]) }]);
    assert.deepEqual(
      snapshot.controllerSelectors,
      new Map([
        ["default/ReplicaSet/x", { expressions: [{ key: "app", operator: "In", values: ["x"] }] }],
        ["default/ReplicationController/x", { expressions: [{ key: "app", operator: "In", values: ["y"] }] }],
      ]),
    );
    assert.deepEqual(
      [[...snapshot.volumeClaims.keys()], [...snapshot.volumes.keys()], [...snapshot.storageClasses.keys()]],
      [["n/c"], ["x"], ["s"]],
    );
  });

  it("says what it leaves out, and keeps the rest", () => {
    const { pendingPods, problems } = readSnapshot(
      [
        pod("good", waiting),
        pod("good", waiting),
        pod("bad", { spec: { priority: "high" } }),
        pod("bad", waiting),
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } },
        { apiVersion: "apps/v1", kind: "Deployment" },
        { apiVersion: "example.com/v1", kind: "Pod", metadata: { name: "other" } },
        { kind: "Node", metadata: { name: "n" } },
        "text",
      ],
      [],
    );
    assert.deepEqual(
      pendingPods.map(({ name }) => name),
      ["good"],
    );
    assert.deepEqual(problems.map(describeProblem), [
      "Deployment shop/web (apps/v1) is not used in planning and was left out, with 1 more of its kind.",
      "Pod other (example.com/v1) is not used in planning and was left out.",
      "Node n has no apiVersion and was left out.",
      "An object without a kind is not used in planning and was left out.",
      "Pod default/good is there twice; the first one counts.",
      'Pod default/bad: spec.priority must be a whole number from -2147483648 to 2147483647, found "high".',
      "Pod default/bad is there twice; the first one counts.",
    ]);
  });

  it("names pods without a node that it cannot read, with what is wrong first", () => {
    const spec = { priority: "high" };
    const nameless = { apiVersion: "v1", kind: "Pod", spec };
    const placed = pod("placed", { spec: { ...spec, nodeName: "n" } });
    const { refusedPods } = readSnapshot([pod("bad", { spec }), pod("bad"), placed, nameless, pod("good")], []);
    assert.deepEqual(
      Array.from(refusedPods, ([name, problem]) => [name, describeProblem(problem)]),
      [
        [
          "default/bad",
          'Pod default/bad: spec.priority must be a whole number from -2147483648 to 2147483647, found "high".',
        ],
      ],
    );
  });

  it("takes the first of two objects with one name, whatever they are", () => {
    const nodePool = (weight: number) => ({
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "x" },
      spec: { weight, template: { spec: { nodeClassRef: { group: "g", kind: "k", name: "n" } } } },
    });
    const pods = [{}, { metadata: { namespace: "" } }, { metadata: { namespace: "n" } }];
    const objects = [
      ...[node("x", { labels: { a: "1" } }), node("x", { labels: { a: "2" } })],
      ...[nodePool(1), nodePool(2)],
      ...pods.map((fields) => pod("x", { ...fields, ...waiting })),
    ];
    const { snapshot, pendingPods, problems } = readSnapshot(objects, []);
    assert.deepEqual(
      [
        snapshot.nodes.map(({ labels }) => labels.get("a")),
        snapshot.nodePools.map(({ weight }) => weight),
        pendingPods.map(({ namespace, name }) => `${namespace}/${name}`),
      ],
      [["1"], [1], ["default/x", "n/x"]],
    );
    assert.deepEqual(problems.map(describeProblem), [
      "Pod default/x is there twice; the first one counts.",
      "Node x is there twice; the first one counts.",
      "NodePool x is there twice; the first one counts.",
    ]);
  });
});
