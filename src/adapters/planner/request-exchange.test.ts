import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelPlannedPool } from "../../../test/support/model-pool.ts";
import type { Node } from "../../core/model/node.ts";
import type { Pod } from "../../core/model/pod.ts";
import { seededRandom } from "../../core/model/seeded-random.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import { RequestReceiver } from "./request-receiver.ts";
import { RequestSender } from "./request-sender.ts";

function node(name: string): Node {
  return {
    name,
    labels: new Map([["kubernetes.io/hostname", name]]),
    taints: [],
    capacity: new Map(),
    allocatable: new Map(),
    nodePool: "default",
    isInitialized: true,
    isDeleting: false,
    volumeLimits: new Map(),
    price: 1,
  };
}

function requestOf(snapshot: Partial<Snapshot>, pendingPods: readonly Pod[] = []): PlanRequest {
  return {
    snapshot: {
      nodePools: [],
      nodes: [],
      podsByNode: new Map(),
      daemonPods: [],
      namespaces: new Map(),
      volumeClaims: new Map(),
      volumes: new Map(),
      storageClasses: new Map(),
      services: [],
      controllerSelectors: new Map(),
      ...snapshot,
    },
    pendingPods,
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    wellKnownLabels: new Set(["a"]),
    defaultSpread: [],
    hints: new Map(),
    placement: "Suggest",
  };
}

/** Two sides that talk as threads do: everything is copied on its way. */
class Line {
  readonly sender = new RequestSender();
  readonly receiver = new RequestReceiver();
  /** Of the last request. */
  objectsSent = 0;
  deliveries = 0;

  cross(request: PlanRequest): PlanRequest {
    this.objectsSent = 0;
    this.deliveries = 0;
    const packing = this.sender.pack(request);
    for (let step = packing.next(); ; step = packing.next()) {
      const delivery = step.done === true ? step.value.delivery : step.value;
      for (const { values } of Object.values(delivery)) this.objectsSent += values.length;
      if (step.done === true) return this.receiver.unpack(structuredClone(step.value));
      this.deliveries++;
      this.receiver.learn(structuredClone(step.value));
    }
  }
}

const spec = modelPod("model").spec;
const labels = new Map([["app", "web"]]);

function alike(name: string, nodeName = ""): Pod {
  return { ...modelPod(name, { nodeName }), spec, labels };
}

describe("RequestSender", () => {
  it("loses nothing, whatever is asked next", () => {
    const line = new Line();
    const random = seededRandom(1);
    const pick = (count: number) => Math.floor(random() * count);
    let pods = Array.from({ length: 60 }, (_, index) => alike(`p-${index}`, `n-${index % 10}`));
    let nodes = Array.from({ length: 10 }, (_, index) => node(`n-${index}`));
    let namespaces: Snapshot["namespaces"] = new Map([["default", new Map()]]);
    for (let round = 0; round < 60; round++) {
      const changed = pick(pods.length);
      pods = pods.map((pod, index) => (index === changed ? { ...pod, phase: String(round) } : pod));
      if (round % 3 === 0) pods = pods.filter((_, index) => index !== pick(pods.length));
      if (round % 4 === 0)
        pods = [...pods, modelPod(`own-${round}`, { nodeName: `n-${pick(10)}`, app: String(round) })];
      if (round % 5 === 0) nodes = nodes.map((one, index) => (index === pick(10) ? { ...one, price: round } : one));
      if (round % 7 === 0) namespaces = new Map([...namespaces, [`ns-${round}`, new Map([["round", String(round)]])]]);
      if (round % 11 === 0) namespaces = new Map([...namespaces].slice(1));
      const present = nodes.filter(() => random() > 0.1);
      const podsByNode = new Map(
        present.map(({ name }) => [name, pods.filter((pod) => pod.nodeName === name)] as const),
      );
      const request = requestOf({ nodes: present, podsByNode, namespaces }, pods.slice(0, pick(5)));
      assert.deepEqual(line.cross(request), request);
    }
  });

  it("sends what is the same object only once, and it is the same object there", () => {
    const line = new Line();
    const nodes = [node("a"), node("b")];
    const nodePools = [modelPlannedPool("default")];
    const onA = [alike("one", "a"), alike("two", "a")];
    const namespaces = new Map([["default", labels]]);
    const first = line.cross(requestOf({ nodes, nodePools, podsByNode: new Map([["a", onA]]), namespaces }));
    const podsByNode = new Map([
      ["a", onA],
      ["b", [alike("three", "b")]],
    ]);
    const second = line.cross(requestOf({ nodes, nodePools, podsByNode, namespaces }, [alike("four")]));
    assert.equal(line.objectsSent, 2);
    assert.equal(second.snapshot.podsByNode.get("a"), first.snapshot.podsByNode.get("a"));
    assert.equal(second.snapshot.nodes[1], first.snapshot.nodes[1]);
    assert.equal(second.snapshot.namespaces, first.snapshot.namespaces);
    assert.equal(second.snapshot.nodePools[0], first.snapshot.nodePools[0]);
    assert.equal(first.snapshot.podsByNode.size, 1);
  });

  it("lets pods of different requests share their spec and labels there as here", () => {
    const line = new Line();
    const first = line.cross(requestOf({ podsByNode: new Map([["a", [alike("one", "a")]]]) }));
    const { snapshot, pendingPods } = line.cross(
      requestOf({ podsByNode: new Map([["a", [{ ...alike("one", "a"), isDeleting: true }]]]) }, [alike("two")]),
    );
    const there = first.snapshot.podsByNode.get("a")?.[0];
    for (const pod of [snapshot.podsByNode.get("a")?.[0], pendingPods[0]]) {
      assert.equal(pod?.spec, there?.spec);
      assert.equal(pod?.labels, there?.labels);
    }
    assert.equal(snapshot.podsByNode.get("a")?.[0]?.isDeleting, true);
  });

  it("does not send the limits of pods, which no plan asks for", () => {
    const { pendingPods } = new Line().cross(requestOf({}, [{ ...alike("one"), limits: new Map([["cpu", 1_000]]) }]));
    assert.deepEqual(pendingPods[0]?.limits, new Map());
  });

  it("sends a pod that moves from one list to another not again", () => {
    const line = new Line();
    const pod = alike("one", "a");
    const before = line.cross(requestOf({ podsByNode: new Map([["a", [pod]]]) }));
    const after = line.cross(requestOf({}, [pod]));
    assert.equal(line.objectsSent, 0);
    assert.equal(after.pendingPods[0], before.snapshot.podsByNode.get("a")?.[0]);
    line.cross(requestOf({ daemonPods: [pod] }));
    line.cross(requestOf({ podsByNode: new Map([["a", [pod]]]) }));
    assert.equal(line.objectsSent, 0);
  });

  it("lets the other side forget what is used no more", () => {
    const line = new Line();
    const podsByNode = new Map([["a", [modelPod("one"), modelPod("two")]]]);
    line.cross(requestOf({ nodes: [node("a")], podsByNode }, [modelPod("three")]));
    assert.deepEqual(line.receiver.sizes, { pods: 3, specs: 3, labels: 3, nodes: 1 });
    line.cross(requestOf({ podsByNode: new Map([["a", [modelPod("four")]]]) }));
    assert.deepEqual(line.receiver.sizes, { pods: 1, specs: 1, labels: 1, nodes: 0 });
    line.cross(requestOf({}));
    assert.deepEqual(line.receiver.sizes, { pods: 0, specs: 0, labels: 0, nodes: 0 });
  });

  it("sends a large cluster in pieces, and only the first time", () => {
    const line = new Line();
    const pods = Array.from({ length: 9_000 }, (_, index) => alike(`p-${index}`, `n-${index % 900}`));
    const podsByNode = Map.groupBy(pods, ({ nodeName }) => nodeName);
    const request = requestOf({ nodes: [...podsByNode.keys()].map(node), podsByNode });
    assert.deepEqual(line.cross(request), request);
    assert.equal(line.deliveries, 4);
    line.cross(request);
    assert.deepEqual([line.deliveries, line.objectsSent], [0, 0]);
  });

  it("is not understood by somebody who missed what came before", () => {
    const line = new Line();
    const pod = alike("one");
    line.cross(requestOf({}, [pod]));
    const { value } = line.sender.pack(requestOf({}, [pod])).next();
    assert.throws(() => new RequestReceiver().unpack(value as never), /never arrived/);
  });
});
