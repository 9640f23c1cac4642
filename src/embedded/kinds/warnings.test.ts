import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../kube-object.ts";
import { podResource } from "./pod.ts";
import { serviceResource } from "./service.ts";

// All of them as kube-apiserver 1.36 words them.

function warningsOf(spec: object): readonly string[] | undefined {
  return podResource.warn?.({ metadata: { name: "a" }, spec } as unknown as Draft);
}

test("ports that clash in any container of a pod are warned of", () => {
  const port = (more: object) => ({ containerPort: 80, protocol: "TCP", ...more });
  const ports = [port({ name: "p" }), port({ hostPort: 80 }), port({ hostPort: 80, hostIP: "192.0.2.1" })];
  const lonely = { containerPort: 81, protocol: "TCP", hostIP: "192.0.2.1" };
  assert.deepEqual(
    warningsOf({ initContainers: [{ ports }], containers: [{ ports: [lonely, port({ name: "p" })] }] }),
    [
      "spec.initContainers[0].ports[1]: overlapping port definition with spec.initContainers[0].ports[0]",
      "spec.initContainers[0].ports[2]: overlapping port definition with spec.initContainers[0].ports[0]",
      "spec.initContainers[0].ports[2]: dangerously ambiguous port definition with spec.initContainers[0].ports[1]",
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:81 Protocol:TCP HostIP:192.0.2.1}",
      "spec.containers[0].ports[1]: duplicate port definition with spec.initContainers[0].ports[0]",
      "spec.containers[0].ports[1]: overlapping port definition with spec.initContainers[0].ports[1]",
      "spec.containers[0].ports[1]: overlapping port definition with spec.initContainers[0].ports[2]",
      'spec.containers[0].ports[1]: duplicate port name "p" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]',
    ],
  );
});

test("a variable that is built on its earlier value hides nothing", () => {
  const env = [
    { name: "A", value: "1" },
    { name: "A", value: "$(A)2" },
    { name: "A", value: "$(A)" },
  ];
  assert.deepEqual(warningsOf({ containers: [{ env }] }), [
    'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
  ]);
});

test("a headless service is warned of what it ignores", () => {
  const spec = { type: "ClusterIP", clusterIP: "None", sessionAffinity: "ClientIP", externalIPs: ["192.0.2.1"] };
  assert.deepEqual(serviceResource.warn?.({ metadata: { name: "a" }, spec } as unknown as Draft), [
    "spec.externalIPs is ignored for headless services",
    "spec.SessionAffinity is ignored for headless services",
  ]);
});
