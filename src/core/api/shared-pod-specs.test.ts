import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec } from "../model/pod.ts";
import { makeRequirement } from "../model/requirements.ts";
import { createPodReader } from "./read-pod.ts";

function wirePod(spec: object = {}): unknown {
  return { metadata: { name: "web-1" }, spec: { containers: [{ name: "app" }], ...spec } };
}

describe("createPodReader", () => {
  const readShared = createPodReader();
  const readSpec = (wire: unknown): PodSpec => {
    const { value, problems } = { problems: undefined, value: undefined, ...readShared(wire) };
    return value?.spec ?? assert.fail(JSON.stringify(problems));
  };

  it("gives pods that ask for the same one spec, however they are called and written", () => {
    const spec = readSpec({
      metadata: { name: "a" },
      spec: { containers: [{ image: "x", resources: { requests: { cpu: "1", memory: "1Gi" } } }] },
    });
    const same = readSpec({
      metadata: { name: "b" },
      spec: { containers: [{ image: "y", resources: { requests: { memory: "1024Mi", cpu: 1 } } }] },
    });
    assert.equal(spec, same);
  });

  it("tells pods apart that ask for something else", () => {
    const specs = [
      {},
      { priority: 1 },
      { nodeSelector: { a: "b" } },
      { tolerations: [{ operator: "Exists" }] },
      { hostNetwork: true, containers: [{ ports: [{ containerPort: 1 }] }] },
      { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] },
      { resourceClaims: [{ name: "r" }] },
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "t" }] } } },
      { topologySpreadConstraints: [{ topologyKey: "t", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }] },
    ];
    assert.equal(new Set(specs.map((spec) => readSpec(wirePod(spec)))).size, specs.length);
  });

  it("lets pods share a spec unless an ephemeral volume is named after them", () => {
    const pod = (name: string, volumes: unknown) => ({ metadata: { name }, spec: { containers: [{}], volumes } });
    const token = (name: string) => pod(name, [{ name: `token-${name}`, projected: {} }]);
    const scratch = (name: string) => pod(name, [{ name: "scratch", ephemeral: {} }]);
    assert.equal(readSpec(token("a")), readSpec(token("b")));
    assert.notEqual(readSpec(scratch("a")), readSpec(scratch("b")));
    assert.equal(readSpec(scratch("a")), readSpec(scratch("a")));
  });

  it("does not let a pod that has its node excuse one that has none", () => {
    const nodeSelector = { "kubernetes.io/hostname": "node-1" };
    readSpec(wirePod({ nodeSelector, nodeName: "node-1" }));
    assert.equal(readShared(wirePod({ nodeSelector })).problems?.length, 1);
  });

  it("shares labels too", () => {
    const labelled = (name: string) =>
      readShared({ metadata: { name, labels: { app: "x" } }, spec: { containers: [{}] } });
    const [a, b] = [labelled("a"), labelled("b")];
    assert.ok(a.problems === undefined && b.problems === undefined && a.value.labels === b.value.labels);
  });

  it("pins nothing on a daemon's pod that only names its node", () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }],
        },
      },
    };
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "ds", controller: true }];
    const wire = { metadata: { name: "ds-1", ownerReferences }, spec: { containers: [{}], affinity } };
    assert.equal(readSpec(wire), readSpec({ metadata: { name: "x" }, spec: { containers: [{}] } }));
    assert.deepEqual(readSpec(wire).requiredNodeTerms, []);
  });

  it("keeps requirements apart that differ in a bound only", () => {
    const above = (value: string) =>
      readSpec(
        wirePod({
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: "cpu", operator: "Gt", values: [value] }] }],
              },
            },
          },
        }),
      );
    assert.deepEqual(above("4").requiredNodeTerms, [new Map([["cpu", makeRequirement("Gt", ["4"])]])]);
    assert.notEqual(above("4"), above("5"));
  });
});
