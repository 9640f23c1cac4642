import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelWorkload } from "../../../test/support/model-workload.ts";
import type { Workload } from "../model/workload.ts";
import { createPodReader } from "./read-pod.ts";
import type { WireTemplate } from "./reading-parts.ts";
import { TemplateKeeper } from "./workload-template.ts";

const { template: _, ...web } = modelWorkload("web", { createdAt: Date.UTC(2026, 0, 1) });

function kept(keeper: TemplateKeeper, template: WireTemplate): Workload {
  const read = keeper.keep(web, template);
  return read.problems === undefined ? read.value : assert.fail(JSON.stringify(read.problems));
}

/** The pod that a template describes, read from all of it. */
function podOf({ metadata, spec }: WireTemplate) {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "uid-web", controller: true };
  const own = { name: "web", namespace: "default", uid: "uid-web/template", creationTimestamp: "2026-01-01T00:00:00Z" };
  const read = createPodReader()({
    metadata: { ...(metadata as object), ...own, ownerReferences: [owner] },
    spec,
    status: { phase: "Pending" },
  });
  return read.problems === undefined ? read.value : assert.fail(JSON.stringify(read.problems));
}

const resources = { requests: { cpu: "100m" }, limits: { cpu: 1, memory: "1Gi" } };
const container = {
  name: "main",
  image: "main:1",
  env: [{ name: "A", value: "b" }],
  resources,
  ports: [{ containerPort: 80 }, { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "127.0.0.1" }],
};
const labelSelector = { matchLabels: { app: "web" } };
const podTerms = [{ topologyKey: "zone", labelSelector, namespaces: ["other"] }];
const preferred = [{ weight: 5, podAffinityTerm: podTerms[0] }];
const nodeSelectorTerms = [{ matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] }];
const spread = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector };
const volumes = [
  { name: "config", configMap: { name: "web" } },
  { name: "data", persistentVolumeClaim: { claimName: "data" } },
  { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "1Gi" } } } } } },
];

const specs: Readonly<Record<string, object>> = {
  "one container": {},
  "init containers": {
    initContainers: [
      { ...container, restartPolicy: "Always" },
      { name: "init", resources },
    ],
  },
  "the network of the host": { hostNetwork: true },
  volumes: { volumes },
  priority: { priority: 7, priorityClassName: "high" },
  "a service account": { serviceAccountName: "robot" },
  "an old service account": { serviceAccount: "robot" },
  "a grace period": { terminationGracePeriodSeconds: 5 },
  "a gate": { schedulingGates: [{ name: "example.com/wait" }] },
  "a node selector": { nodeSelector: { "beta.kubernetes.io/arch": "arm64" } },
  "a node": { nodeName: "node-1" },
  tolerations: { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }] },
  overhead: { overhead: { cpu: "5m" } },
  "resources of the pod": { resources: { requests: { memory: "1Gi" } } },
  "resource claims": { resourceClaims: [{ name: "gpu" }] },
  "topology spread": { topologySpreadConstraints: [spread] },
  "node affinity": {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  },
  "pod affinity": { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: podTerms } } },
  "pod anti-affinity": {
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
  },
};

describe("the template of a workload is kept with", () => {
  for (const [name, spec] of Object.entries(specs)) {
    it(name, () => {
      const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container], ...spec } };
      assert.deepEqual(kept(new TemplateKeeper(), template).template, podOf(template));
    });
  }

  it("labels and annotations, and without any", () => {
    const annotations = { "karpenter.sh/do-not-disrupt": "true", note: "x" };
    for (const metadata of [{ labels: { app: "web", tier: "front" }, annotations }, {}, undefined]) {
      const template = { metadata, spec: { containers: [container] } };
      assert.deepEqual(kept(new TemplateKeeper(), template).template, podOf(template));
    }
  });
});

it("templates that say the same have the same spec and labels, each time they are asked for", () => {
  const keeper = new TemplateKeeper();
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };
  const [one, other] = [kept(keeper, template), kept(keeper, structuredClone(template))];
  assert.equal(one.template, one.template);
  assert.equal(one.template.spec, other.template.spec);
  assert.equal(one.template.labels, other.template.labels);
});
