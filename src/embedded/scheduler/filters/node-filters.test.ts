import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cacheOf, decide, nodeOf, podOf, refusalCounts, zoneKey } from "../sample-objects.ts";
import { feasibleNodes } from "../scheduler.ts";

describe("rules about fields of nodes", () => {
  it("keep pods off a cordoned node, unless they tolerate it", () => {
    const cache = cacheOf(nodeOf("a", { spec: { unschedulable: true } }));
    const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }];
    assert.deepEqual(refusalCounts(cache, podOf("p")), { "node(s) were unschedulable": 1 });
    assert.deepEqual(feasibleNodes(cache, podOf("p", { tolerations })), ["a"]);
  });

  it("let a pod that names a node go to no other", () => {
    const cache = cacheOf(nodeOf("a"), nodeOf("b"));
    assert.deepEqual(feasibleNodes(cache, podOf("p", { nodeName: "b" })), ["b"]);
  });

  it("keep pods off a node with a taint that they do not tolerate", () => {
    const taints = [{ key: "dedicated", value: "a", effect: "NoSchedule" }];
    const cache = cacheOf(nodeOf("a", { spec: { taints } }));
    const refused = { "node(s) had untolerated taint(s)": 1 };
    assert.deepEqual(refusalCounts(cache, podOf("p")), refused);
    assert.deepEqual(refusalCounts(cache, podOf("p", { tolerations: [{ key: "dedicated", value: "b" }] })), refused);
    assert.deepEqual(feasibleNodes(cache, podOf("p", { tolerations: [{ key: "dedicated", value: "a" }] })), ["a"]);
    assert.deepEqual(feasibleNodes(cache, podOf("p", { tolerations: [{ operator: "Exists" }] })), ["a"]);
  });

  it("do not mind a taint that is only a preference", () => {
    const cache = cacheOf(nodeOf("a", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }));
    assert.deepEqual(feasibleNodes(cache, podOf("p")), ["a"]);
  });
});

describe("node affinity", () => {
  const cache = cacheOf(
    nodeOf("a", { zone: "z1", labels: { size: "5" } }),
    nodeOf("b", { zone: "z2", labels: { size: "10" } }),
  );
  const requiring = (...nodeSelectorTerms: object[]) =>
    podOf("p", {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    });

  for (const [operator, values, expected] of [
    ["In", ["z1"], ["a"]],
    ["NotIn", ["z1"], ["b"]],
    ["Exists", [], ["a", "b"]],
    ["DoesNotExist", [], []],
  ] as const) {
    it(`knows ${operator}`, () => {
      const pod = requiring({ matchExpressions: [{ key: zoneKey, operator, values }] });
      assert.deepEqual(feasibleNodes(cache, pod).sort(), expected);
    });
  }

  it("compares numbers", () => {
    const beyond = (operator: string) => requiring({ matchExpressions: [{ key: "size", operator, values: ["7"] }] });
    assert.deepEqual([feasibleNodes(cache, beyond("Gt")), feasibleNodes(cache, beyond("Lt"))], [["b"], ["a"]]);
  });

  it("takes a node that any term matches, but none for an empty term", () => {
    const pod = requiring({}, { matchExpressions: [{ key: zoneKey, operator: "In", values: ["z2"] }] });
    assert.deepEqual(feasibleNodes(cache, pod), ["b"]);
  });

  it("looks only at nodes that the pod names", () => {
    const pod = requiring({ matchFields: [{ key: "metadata.name", operator: "In", values: ["nowhere"] }] });
    assert.deepEqual(refusalCounts(cache, pod), { "node(s) didn't satisfy plugin(s) [NodeAffinity]": 2 });
  });

  it("refuses a pod that names two nodes at once", () => {
    const field = (name: string) => ({ key: "metadata.name", operator: "In", values: [name] });
    assert.equal(
      decide(cache, requiring({ matchFields: [field("a"), field("b")] })),
      "0/2 nodes are available: pod affinity terms conflict. not found",
    );
  });

  it("asks for every label of the node selector", () => {
    assert.deepEqual(feasibleNodes(cache, podOf("p", { nodeSelector: { [zoneKey]: "z2", size: "10" } })), ["b"]);
    assert.deepEqual(refusalCounts(cache, podOf("p", { nodeSelector: { size: "11" } })), {
      "node(s) didn't match Pod's node affinity/selector": 2,
    });
  });
});

describe("host ports", () => {
  const withPort = (hostPort: number, rest: object = {}) => ({
    container: { ports: [{ containerPort: 80, hostPort, ...rest }] },
  });
  const cache = cacheOf(nodeOf("a"), podOf("there", { nodeName: "a", ...withPort(8080, { hostIP: "10.0.0.1" }) }));

  it("clash with the same port on the same or on every address", () => {
    const refused = { "node(s) didn't have free ports for the requested pod ports": 1 };
    assert.deepEqual(refusalCounts(cache, podOf("p", withPort(8080))), refused);
    assert.deepEqual(refusalCounts(cache, podOf("p", withPort(8080, { hostIP: "10.0.0.1" }))), refused);
  });

  it("do not clash across addresses, protocols or numbers", () => {
    const others = [withPort(8080, { hostIP: "10.0.0.2" }), withPort(8080, { protocol: "UDP" }), withPort(8081)];
    assert.deepEqual(
      others.map((port) => feasibleNodes(cache, podOf("p", port))),
      [["a"], ["a"], ["a"]],
    );
  });
});
