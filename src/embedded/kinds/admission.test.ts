import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft, KubeObject } from "../kube-object.ts";
import { type AdmissionLookup, admit } from "./admission.ts";

const nothing: AdmissionLookup = {
  priorityClasses: () => [],
  runtimeClass: () => undefined,
  storageClasses: () => [],
  node: () => undefined,
  serviceAccount: (_, name) => objectOf({ metadata: { name } }),
};

function objectOf(fields: object): KubeObject {
  return { apiVersion: "v1", kind: "Any", ...fields } as unknown as KubeObject;
}

function draftOf(fields: object): Draft {
  return { apiVersion: "v1", kind: "Any", metadata: { name: "x", namespace: "default" }, ...fields };
}

function withClasses(...classes: object[]): AdmissionLookup {
  return { ...nothing, priorityClasses: () => classes.map(objectOf), storageClasses: () => classes.map(objectOf) };
}

const pods = { group: "", plural: "pods" };

test("a new pod gets an account, a priority and five minutes on a lost node", () => {
  const draft = draftOf({ spec: { containers: [] } });
  assert.equal(admit({ ...pods, draft }, nothing), undefined);
  assert.deepEqual(draft.spec, {
    containers: [],
    serviceAccountName: "default",
    serviceAccount: "default",
    priority: 0,
    preemptionPolicy: "PreemptLowerPriority",
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ],
  });
});

test("a pod without a class gets the lowest class that is the default", () => {
  const lookup = withClasses(
    { metadata: { name: "high" }, value: 9, globalDefault: true },
    { metadata: { name: "low" }, value: 7, globalDefault: true, preemptionPolicy: "Never" },
    { metadata: { name: "other" }, value: 1 },
  );
  const draft = draftOf({ spec: { containers: [] } });
  assert.equal(admit({ ...pods, draft }, lookup), undefined);
  const { priorityClassName, priority, preemptionPolicy } = draft.spec as Record<string, unknown>;
  assert.deepEqual(
    { priorityClassName, priority, preemptionPolicy },
    { priorityClassName: "low", priority: 7, preemptionPolicy: "Never" },
  );
});

test("the pull secrets of the account are those of the pod, unless it has its own", () => {
  const lookup = { ...nothing, serviceAccount: () => objectOf({ imagePullSecrets: [{ name: "s" }] }) };
  const draft = draftOf({ spec: { containers: [] } });
  admit({ ...pods, draft }, lookup);
  assert.deepEqual((draft.spec as Record<string, unknown>).imagePullSecrets, [{ name: "s" }]);
});

test("a pod gets the overhead of its runtime class, in amounts that an update of the pod does not change", () => {
  const runtimeClass = objectOf({ handler: "sandbox", overhead: { podFixed: { cpu: "100u", memory: "1Mi" } } });
  const draft = draftOf({ spec: { containers: [], runtimeClassName: "sandbox" } });
  assert.equal(admit({ ...pods, draft }, { ...nothing, runtimeClass: () => runtimeClass }), undefined);
  assert.deepEqual((draft.spec as Record<string, unknown>).overhead, { cpu: "1m", memory: "1Mi" });
  assert.deepEqual(runtimeClass.overhead, { podFixed: { cpu: "100u", memory: "1Mi" } });
});

test("a pod shares nothing with its runtime class", () => {
  const scheduling = { nodeSelector: { a: "b" }, tolerations: [{ key: "c", operator: "Exists" }] };
  const runtimeClass = objectOf({ handler: "sandbox", scheduling });
  const draft = draftOf({
    spec: { containers: [], runtimeClassName: "sandbox", tolerations: [{ key: "d", operator: "Exists" }] },
  });
  admit({ ...pods, draft }, { ...nothing, runtimeClass: () => runtimeClass });
  const { nodeSelector, tolerations = [] } = draft.spec as { nodeSelector?: object; tolerations?: object[] };
  assert.notEqual(nodeSelector, scheduling.nodeSelector);
  assert.deepEqual(
    tolerations.filter((toleration) => scheduling.tolerations.some((other) => other === toleration)),
    [],
  );
});

test("an update of a pod keeps its priority", () => {
  const old = objectOf({ spec: { containers: [], priority: 5, preemptionPolicy: "Never" } });
  const draft = draftOf({ spec: { containers: [], tolerations: [{ operator: "Exists" }] } });
  assert.equal(admit({ ...pods, draft, old }, nothing), undefined);
  assert.deepEqual(draft.spec, {
    containers: [],
    priority: 5,
    preemptionPolicy: "Never",
    tolerations: [{ operator: "Exists" }],
  });
});

test("a new node is not ready", () => {
  const draft = draftOf({ spec: { taints: [{ key: "a", effect: "NoSchedule" }] } });
  admit({ group: "", plural: "nodes", draft }, nothing);
  assert.deepEqual(draft.spec, {
    taints: [
      { key: "a", effect: "NoSchedule" },
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    ],
  });
});

test("a new claim gets the newest default storage class and is protected while in use", () => {
  const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };
  const lookup = withClasses(
    { metadata: { name: "old", annotations: isDefault, creationTimestamp: "2026-01-01T00:00:00Z" } },
    { metadata: { name: "b", annotations: isDefault, creationTimestamp: "2026-01-02T00:00:00Z" } },
    { metadata: { name: "a", annotations: isDefault, creationTimestamp: "2026-01-02T00:00:00Z" } },
    { metadata: { name: "c", creationTimestamp: "2026-01-03T00:00:00Z" } },
  );
  const draft = draftOf({ spec: {} });
  admit({ group: "", plural: "persistentvolumeclaims", draft }, lookup);
  assert.deepEqual(
    [draft.spec, draft.metadata.finalizers],
    [{ storageClassName: "a" }, ["kubernetes.io/pvc-protection"]],
  );
});

test("there is one default priority class", () => {
  const lookup = withClasses({ metadata: { name: "first" }, value: 1, globalDefault: true });
  const draft = draftOf({ globalDefault: true });
  assert.equal(
    admit({ group: "scheduling.k8s.io", plural: "priorityclasses", draft }, lookup),
    "PriorityClass first is already marked as default. Only one default can exist",
  );
});
