import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, PodSpec } from "../model/pod.ts";
import { describeProblem } from "./problem.ts";
import { readPod } from "./read-pod.ts";

function wirePod(spec: object = {}, rest: object = {}): unknown {
  return { metadata: { name: "web-1" }, spec: { containers: [{ name: "app" }], ...spec }, ...rest };
}

function read(wire: unknown): Pod {
  const result = readPod(wire);
  if (result.problems !== undefined) assert.fail(result.problems.map(describeProblem).join("\n"));
  return result.value;
}

function problemsOf(wire: unknown): string[] {
  return (readPod(wire).problems ?? []).map(describeProblem);
}

const emptySpec: PodSpec = {
  requests: new Map([["pods", 1]]),
  priority: 0,
  nodeSelector: new Map(),
  requiredNodeTerms: [],
  preferredNodeTerms: [],
  podAffinity: [],
  podAntiAffinity: [],
  preferredPodAffinity: [],
  preferredPodAntiAffinity: [],
  topologySpread: [],
  tolerations: [],
  hostPorts: [],
  volumeClaims: [],
  usesResourceClaims: false,
};

describe("readPod", () => {
  it("gives everything left out its default", () => {
    assert.deepEqual(read(wirePod()), {
      namespace: "default",
      name: "web-1",
      uid: "default/web-1",
      labels: new Map(),
      annotations: new Map(),
      createdAt: 0,
      startedAt: undefined,
      readyAt: undefined,
      isDeleting: false,
      deletesAt: undefined,
      graceSeconds: 30,
      priorityClassName: "",
      serviceAccountName: "default",
      phase: "",
      scheduledReason: "",
      scheduledAt: undefined,
      isGated: false,
      isEdited: false,
      isUncounted: false,
      nodeName: "",
      nominatedNodeName: "",
      owners: [],
      limits: new Map(),
      spec: emptySpec,
    });
  });

  it("reads who the pod is and how it fares", () => {
    const pod = read({
      metadata: {
        name: "a",
        namespace: "n",
        uid: "u",
        labels: { app: "x" },
        annotations: { note: "y", "karpenter.sh/do-not-disrupt": "true" },
        creationTimestamp: "2026-01-01T00:00:00Z",
        deletionTimestamp: "2026-01-02T00:00:00Z",
        generation: 3,
        finalizers: ["batch.kubernetes.io/job-tracking"],
        ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", controller: true }],
      },
      spec: {
        containers: [{}],
        nodeName: "node-1",
        schedulingGates: [{ name: "quota" }],
        terminationGracePeriodSeconds: 5,
        priorityClassName: "high",
        serviceAccountName: "robot",
      },
      status: {
        phase: "Pending",
        nominatedNodeName: "node-2",
        startTime: "2026-01-01T00:00:01Z",
        conditions: [
          { type: "Ready", status: "False" },
          {
            type: "PodScheduled",
            status: "False",
            reason: "Unschedulable",
            lastTransitionTime: "2026-01-01T00:00:02Z",
          },
        ],
      },
    });
    assert.deepEqual(pod, {
      namespace: "n",
      name: "a",
      uid: "u",
      labels: new Map([["app", "x"]]),
      annotations: new Map([["karpenter.sh/do-not-disrupt", "true"]]),
      createdAt: Date.UTC(2026, 0, 1),
      startedAt: Date.UTC(2026, 0, 1, 0, 0, 1),
      readyAt: undefined,
      isDeleting: true,
      deletesAt: Date.UTC(2026, 0, 2),
      graceSeconds: 5,
      priorityClassName: "high",
      serviceAccountName: "robot",
      phase: "Pending",
      scheduledReason: "Unschedulable",
      scheduledAt: Date.UTC(2026, 0, 1, 0, 0, 2),
      isGated: true,
      isEdited: true,
      isUncounted: true,
      nodeName: "node-1",
      nominatedNodeName: "node-2",
      owners: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "", isController: true }],
      limits: new Map(),
      spec: emptySpec,
    });
  });

  it("adds up requests, with sidecars, overhead and limits that stand in for requests", () => {
    const { requests } = read(
      wirePod({
        containers: [
          { resources: { requests: { cpu: "100m" }, limits: { cpu: "1", memory: "64Mi" } } },
          { resources: { requests: { cpu: 0.25, "nvidia.com/gpu": 1 } } },
        ],
        initContainers: [
          { restartPolicy: "Always", resources: { requests: { cpu: "50m" } } },
          { resources: { requests: { memory: "1Gi" } } },
        ],
        overhead: { cpu: "5m" },
      }),
    ).spec;
    assert.deepEqual(
      requests,
      new Map([
        ["cpu", 405],
        ["memory", 2 ** 30],
        ["nvidia.com/gpu", 1],
        ["pods", 1],
      ]),
    );
  });

  it("lets the pod's own resources stand above its containers'", () => {
    const containers = [{ resources: { requests: { cpu: "100m" } } }];
    const resources = { requests: { memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi", "hugepages-2Mi": "4Mi" } };
    assert.deepEqual(
      read(wirePod({ containers, resources })).spec.requests,
      new Map([
        ["cpu", 100],
        ["hugepages-2Mi", 4 * 2 ** 20],
        ["memory", 2 ** 30],
        ["pods", 1],
      ]),
    );
  });

  it("counts what a resize in place has not yet given back", () => {
    const containers = [{ name: "app", resources: { requests: { cpu: "100m" } } }];
    const status = { containerStatuses: [{ name: "app", allocatedResources: { cpu: "300m" } }] };
    assert.equal(read(wirePod({ containers }, { status })).spec.requests.get("cpu"), 300);
  });

  it("reads ports on the host, and takes all ports for those on the host's network", () => {
    const containers = [
      { ports: [{ containerPort: 80 }, { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "::1" }] },
    ];
    const dns = { ip: "::1", port: 53, protocol: "UDP" };
    assert.deepEqual(read(wirePod({ containers })).spec.hostPorts, [dns]);
    assert.deepEqual(read(wirePod({ containers, hostNetwork: true })).spec.hostPorts, [
      { ip: "0.0.0.0", port: 80, protocol: "TCP" },
      dns,
    ]);
  });

  it("reads the ports of sidecars, and not those of init containers that end", () => {
    const initContainers = [9, 10].map((hostPort) => ({ ports: [{ containerPort: hostPort, hostPort }] }));
    const [first, second] = initContainers;
    assert.deepEqual(
      read(wirePod({ initContainers: [first, { ...second, restartPolicy: "Always" }] })).spec.hostPorts,
      [{ ip: "0.0.0.0", port: 10, protocol: "TCP" }],
    );
  });

  it("reads claims once, and names those of ephemeral volumes after the pod", () => {
    const resources = { requests: { storage: "1Ki" } };
    const volumes = [
      { name: "token", projected: {} },
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "again", persistentVolumeClaim: { claimName: "data" } },
      { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "fast", resources } } } },
      { name: "usual", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: "static", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "" } } } },
    ];
    assert.deepEqual(read(wirePod({ volumes })).spec.volumeClaims, [
      { claimName: "data", isEphemeral: false, storageClassName: "", storage: 0 },
      { claimName: "web-1-scratch", isEphemeral: true, storageClassName: "fast", storage: 1_024 },
      { claimName: "web-1-usual", isEphemeral: true, storageClassName: undefined, storage: 0 },
      { claimName: "web-1-static", isEphemeral: true, storageClassName: "", storage: 0 },
    ]);
  });

  it("reads the rest of the spec", () => {
    const { spec } = read(
      wirePod({
        priority: -5,
        nodeSelector: { "beta.kubernetes.io/arch": "arm64" },
        tolerations: [{ operator: "Exists" }, { key: "a", value: "b", effect: "NoExecute" }],
        resourceClaims: [{ name: "gpu" }],
      }),
    );
    assert.deepEqual(spec, {
      ...emptySpec,
      priority: -5,
      nodeSelector: new Map([["kubernetes.io/arch", "arm64"]]),
      tolerations: [
        { key: "", operator: "Exists", value: "", effect: "" },
        { key: "a", operator: "Equal", value: "b", effect: "NoExecute" },
      ],
      usesResourceClaims: true,
    });
  });

  it("says everything that is wrong with a pod at once", () => {
    const wire = wirePod({
      containers: [{ resources: { requests: { cpu: "lots", memory: "-1" } }, ports: [{ hostPort: 70_000 }] }],
      priority: 1.5,
      tolerations: [{ operator: "Equal" }, { key: "a", operator: "Exists", value: "b" }, { key: "a", effect: "Never" }],
    });
    assert.deepEqual(problemsOf(wire), [
      'Pod default/web-1: spec.containers[0].resources.requests.cpu must be a quantity such as "500m" or "2Gi", found "lots".',
      'Pod default/web-1: spec.containers[0].resources.requests.memory must not be negative, found "-1".',
      "Pod default/web-1: spec.priority must be a whole number from -2147483648 to 2147483647, found 1.5.",
      'Pod default/web-1: spec.tolerations[0].operator must be Exists when the key is empty, found "Equal".',
      'Pod default/web-1: spec.tolerations[1].value must be empty when the operator is Exists, found "b".',
      'Pod default/web-1: spec.tolerations[2].effect must be one of NoSchedule, PreferNoSchedule, NoExecute, found "Never".',
      "Pod default/web-1: spec.containers[0].ports[0].hostPort must be a whole number from 0 to 65535, found 70000.",
    ]);
  });

  it("complains once of what should be an object", () => {
    assert.deepEqual(problemsOf({ metadata: { name: "web-1" }, spec: "x", status: [] }), [
      'Pod default/web-1: spec must be an object, found "x".',
      "Pod default/web-1: status must be an object, found a list.",
    ]);
    assert.deepEqual(problemsOf(wirePod({ containers: ["a"], affinity: 7, topologySpreadConstraints: [1] })), [
      "Pod default/web-1: spec.affinity must be an object, found 7.",
      'Pod default/web-1: spec.containers[0] must be an object, found "a".',
      "Pod default/web-1: spec.topologySpreadConstraints[0] must be an object, found 1.",
    ]);
  });

  it("refuses labels that Karpenter sets itself, but not of a pod that has its node", () => {
    const nodeSelector = { "kubernetes.io/hostname": "node-1", "karpenter.sh/mine": "x" };
    assert.deepEqual(problemsOf(wirePod({ nodeSelector })), [
      'Pod default/web-1: spec.nodeSelector["kubernetes.io/hostname"] must not be kubernetes.io/hostname, which Karpenter sets itself.',
      'Pod default/web-1: spec.nodeSelector["karpenter.sh/mine"] must not be karpenter.sh/mine, which Karpenter sets itself.',
    ]);
    assert.equal(read(wirePod({ nodeSelector, nodeName: "node-1" })).spec.nodeSelector.size, 2);
  });

  it("refuses a spec without measure", () => {
    const deep = JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`);
    assert.deepEqual(problemsOf(wirePod({ affinity: deep })), ["Pod default/web-1: spec is nested too deeply."]);
  });

  it("needs a container", () => {
    const expected = ["Pod default/web-1: spec.containers must have at least one container."];
    const without = [{ metadata: { name: "web-1" } }, wirePod({ containers: null }), wirePod({ containers: [] })];
    assert.deepEqual(without.map(problemsOf), [expected, expected, expected]);
  });

  it("takes only labels that the API server takes, but any annotation", () => {
    const texts = { "a b": "c", "example.com/x": "no spaces", "": "", good: "" };
    const metadata = { name: "web-1", labels: texts, annotations: texts };
    const grammar =
      "must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit";
    assert.deepEqual(problemsOf(wirePod({}, { metadata })), [
      'Pod default/web-1: metadata.labels["a b"] must be a label key such as example.com/team, found "a b".',
      `Pod default/web-1: metadata.labels["example.com/x"] ${grammar}, found "no spaces".`,
      'Pod default/web-1: metadata.labels[""] must be a label key such as example.com/team, found "".',
    ]);
    assert.deepEqual(problemsOf(wirePod({}, { metadata: { name: "web-1", annotations: texts } })), []);
  });

  it("keeps only the annotations that something reads", () => {
    const kept = {
      "karpenter.sh/do-not-disrupt": "5m",
      "karpenter.sh/do-not-evict": "true",
      "controller.kubernetes.io/pod-deletion-cost": "7",
      "karpenter.sh/drain-strategy": "surge",
    };
    const annotations = { ...kept, "example.com/configuration": "x".repeat(1_000) };
    const pod = read(wirePod({}, { metadata: { name: "web-1", annotations } }));
    assert.deepEqual(Object.fromEntries(pod.annotations), kept);
  });

  it("refuses a pod for any selector that means nothing", () => {
    const labelSelector = { matchExpressions: [{ key: "app", operator: "Foo" }] };
    const namespaceSelector = { matchExpressions: [{ key: "team", operator: "Exists", values: ["a"] }] };
    const required = "requiredDuringSchedulingIgnoredDuringExecution";
    const wire = wirePod({
      topologySpreadConstraints: [{ topologyKey: "z", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", labelSelector }],
      affinity: { podAntiAffinity: { [required]: [{ topologyKey: "z", labelSelector: {}, namespaceSelector }] } },
    });
    assert.deepEqual(problemsOf(wire), [
      `Pod default/web-1: spec.affinity.podAntiAffinity.${required}[0].namespaceSelector.matchExpressions[0].values must be empty for operator Exists, found "a".`,
      'Pod default/web-1: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist, found "Foo".',
    ]);
  });
});
