import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft, KubeObject } from "../kube-object.ts";
import { podResource } from "./pod.ts";

function podOf(fields: object): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, ...fields } as unknown as KubeObject;
}

test("a pod ends within its grace period, and at once where it does not run", () => {
  const grace = (fields: object, requested?: number) => podResource.gracePeriodSeconds?.(podOf(fields), requested);
  const spec = { nodeName: "n", terminationGracePeriodSeconds: 30 };
  assert.deepEqual(
    [
      grace({ spec }),
      grace({ spec }, 5),
      grace({ spec }, 0),
      grace({ spec }, -1),
      grace({ spec: { terminationGracePeriodSeconds: 30 } }),
      grace({ spec, status: { phase: "Succeeded" } }, 5),
    ],
    [30, 5, 0, 1, 0, 0],
  );
});

test("a write of the status keeps the class and the owners of the pod", () => {
  const draft = podOf({ metadata: { ownerReferences: [] }, status: { phase: "Running" } }) as unknown as Draft;
  podResource.prepareStatus?.(draft, podOf({ status: { qosClass: "Burstable" } }));
  assert.deepEqual(draft.status, { qosClass: "Burstable", phase: "Running" });
  assert.deepEqual(draft.metadata, {});
});

test("a container that has ended for good stays ended", () => {
  const ended = { containerStatuses: [{ name: "a", state: { terminated: { exitCode: 0 } } }] };
  const running = { containerStatuses: [{ name: "a", state: { running: {} } }] };
  const errors = (restartPolicy: string) =>
    podResource.validateStatus?.(
      podOf({ spec: { restartPolicy }, status: running }) as unknown as Draft,
      podOf({ status: ended }),
    );
  const refusal = {
    type: "forbidden",
    field: "status.containerStatuses[0].state",
    detail: "may not be transitioned to non-terminated state",
  };
  assert.deepEqual([errors("Always"), errors("OnFailure"), errors("Never")], [[], [refusal], [refusal]]);
});

test("a bound pod is nominated nowhere else", () => {
  const draft = podOf({ spec: { nodeName: "n", restartPolicy: "Always" }, status: { nominatedNodeName: "m" } });
  assert.deepEqual(podResource.validateStatus?.(draft as unknown as Draft, podOf({})), [
    {
      type: "forbidden",
      field: "status.nominatedNodeName",
      detail: "may not be set on pods that are already bound to a node",
    },
  ]);
});

test("the writer of a pod is warned of what will surprise", () => {
  const env = [{ name: "A" }, { name: "A" }];
  const ports = [
    { containerPort: 80, protocol: "TCP" },
    { containerPort: 80, protocol: "TCP" },
  ];
  const spec = {
    nodeSelector: { "beta.kubernetes.io/os": "linux" },
    topologySpreadConstraints: [{ topologyKey: "failure-domain.beta.kubernetes.io/zone" }],
    containers: [{ name: "a", env, ports, resources: { requests: { memory: "100m" } } }],
  };
  const draft = podOf({ metadata: { name: "a.b" }, spec }) as unknown as Draft;
  assert.deepEqual(podResource.warn?.(draft), [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
  ]);
});
