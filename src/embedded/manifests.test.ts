import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EmbeddedCluster } from "./cluster.ts";
import { loadManifests, saveManifests } from "./manifests.ts";
import { VirtualClock } from "./time/virtual-clock.ts";

const without = ["scheduler", "workloads", "kubelet"] as const;
const start = () => new EmbeddedCluster({ clock: new VirtualClock(1_700_000_000_000), seed: 1, without });

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, default: 3}}}
          status: {type: object, properties: {phase: {type: string}}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, namespace: default, ownerReferences: [{apiVersion: v1, kind: Node, name: n1, uid: u1}]}
spec: {}
status: {phase: Good}
---
apiVersion: v1
kind: Node
metadata: {name: n1, uid: u1, creationTimestamp: "2020-01-01T00:00:00Z"}
status: {allocatable: {cpu: "4"}}
`;

const sandboxed = `
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: sandbox}
handler: sandbox
overhead: {podFixed: {cpu: 250m}}
scheduling: {nodeSelector: {sandbox: "true"}}
---
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default}
spec: {runtimeClassName: sandbox, containers: [{name: main, image: i}]}
`;

describe("manifests", () => {
  it("bring a cluster back: what is saved and loaded is the same", () => {
    const first = start();
    const loaded = loadManifests(first, widgets);
    const saved = saveManifests(first.api);
    const second = start();
    const again = loadManifests(second, saved);
    assert.deepEqual([loaded.problems, again.problems, saveManifests(second.api)], [[], [], saved]);
  });

  it("have the runtime class of a pod before the pod", () => {
    const first = start();
    const loaded = loadManifests(first, sandboxed);
    const saved = saveManifests(first.api);
    const second = start();
    const again = loadManifests(second, saved);
    assert.deepEqual([loaded.problems, again.problems, saveManifests(second.api)], [[], [], saved]);
  });

  it("keep uid, age and status, and fill in what is missing", () => {
    const cluster = start();
    loadManifests(cluster, widgets);
    const nodes = cluster.api.registry.find("", "v1", "nodes");
    const custom = cluster.api.registry.find("example.com", "v1", "widgets");
    assert.ok(nodes && custom);
    const { metadata } = cluster.api.get({ definition: nodes, name: "n1" });
    const widget = cluster.api.get({ definition: custom, namespace: "default", name: "one" });
    assert.deepEqual(
      [metadata.uid, metadata.creationTimestamp, widget.spec, widget.status],
      ["u1", "2020-01-01T00:00:00Z", { size: 3 }, { phase: "Good" }],
    );
  });

  it("say which object could not be loaded, and why, and load the others", () => {
    const text = `
apiVersion: v1
kind: Gadget
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
dada: {}
---
just text
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
`;
    const { count, problems } = loadManifests(start(), text);
    assert.deepEqual(
      [count, problems],
      [
        1,
        [
          "Document 3 is not an object",
          "Cannot load Gadget a: no resource serves Gadget of v1",
          'Cannot load ConfigMap b: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dada"',
        ],
      ],
    );
  });
});
