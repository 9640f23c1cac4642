import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archLabel, instanceTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import {
  daemonSet,
  expression,
  instanceType,
  node,
  nodeAffinity,
  offering,
  outcome,
  plan,
  pod,
  pods,
  pool,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";

/** What becomes of a pod of one processor in the face of this daemon. */
function withDaemon(fields: Wire, pools: readonly Wire[] = [pool()]): string[] {
  return [...outcome(plan([...pools, daemonSet("agent", fields), pod("web")])).launched];
}

const needsThree = { requests: { cpu: 3 } };

describe("daemons", () => {
  it("take room on every new node", () => {
    assert.deepEqual(withDaemon(needsThree), ["medium: web"]);
  });

  it("leave no node for a pod when they fill every type", () => {
    const answer = plan([pool(), daemonSet("agent", { requests: { cpu: 16 } }), pod("web")]);
    assert.deepEqual(outcome(answer), { launched: [], placed: {}, refused: { web: "no-fit" } });
  });

  it("leave no node even for a pod that asks for nothing when they are too large for every type", () => {
    const answer = plan([pool(), daemonSet("agent", { requests: { cpu: 17 } }), pod("web", { requests: {} })]);
    assert.deepEqual(outcome(answer).refused, { web: "no-fit" });
  });

  it("count by their limits where they have no requests", () => {
    const containers = [{ resources: { limits: { cpu: 3 } } }];
    assert.deepEqual(withDaemon({ containers }), ["medium: web"]);
  });

  it("take nothing of a pool whose labels they do not select", () => {
    assert.deepEqual(
      withDaemon({ ...needsThree, nodeSelector: { team: "red" } }, [pool("default", { labels: { team: "blue" } })]),
      ["small: web"],
    );
  });

  it("take nothing of a pool that lacks the labels they select", () => {
    assert.deepEqual(withDaemon({ ...needsThree, nodeSelector: { team: "red" } }), ["small: web"]);
  });

  it("take room in a pool whose labels they select", () => {
    assert.deepEqual(
      withDaemon({ ...needsThree, nodeSelector: { team: "red" } }, [pool("default", { labels: { team: "red" } })]),
      ["medium: web"],
    );
  });

  it("take nothing of a pool whose taints they do not tolerate", () => {
    const taints = [{ key: "team", value: "red", effect: "NoSchedule" }];
    const tolerations = [{ key: "team", operator: "Exists" }];
    const objects = [pool("default", { taints }), daemonSet("agent", needsThree), pod("web", { tolerations })];
    assert.deepEqual(outcome(plan(objects)).launched, ["small: web"]);
  });

  it("do not mind taints that only ask to be avoided", () => {
    const taints = [{ key: "team", value: "red", effect: "PreferNoSchedule" }];
    assert.deepEqual(withDaemon(needsThree, [pool("default", { taints })]), ["medium: web"]);
  });

  it("take room where any one of their affinity terms holds", () => {
    const affinity = nodeAffinity([expression("team", "In", "blue")], [expression(archLabel, "In", "amd64")]);
    assert.deepEqual(withDaemon({ ...needsThree, affinity }), ["medium: web"]);
  });

  it("take room whatever they prefer", () => {
    const affinity = preferredNodeAffinity([1, expression(archLabel, "In", "arm64")]);
    assert.deepEqual(withDaemon({ ...needsThree, affinity }), ["medium: web"]);
  });

  it("wait for a node to be registered and initialized without being forgotten", () => {
    const nodeSelector = { "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" };
    assert.deepEqual(withDaemon({ ...needsThree, nodeSelector }), ["medium: web"]);
  });

  it("take room only on the types that they select", () => {
    const instanceTypes = [
      instanceType("amd", { cpu: 4, price: 0.4 }),
      instanceType("arm", { cpu: 4, price: 0.5, arch: "arm64" }),
    ];
    const daemon = daemonSet("agent", { requests: { cpu: 3 }, nodeSelector: { [archLabel]: "amd64" } });
    const answer = plan([pool(), daemon, pod("web", { requests: { cpu: 2 } })], { instanceTypes });
    assert.deepEqual(outcome(answer).launched, ["arm: web"]);
  });

  it("that ask for devices by claim take nothing", () => {
    assert.deepEqual(withDaemon({ ...needsThree, resourceClaims: [{ name: "gpu" }] }), ["small: web"]);
  });

  it("follow the affinity of their template, not the host that a live pod of theirs is pinned to", () => {
    const affinity = nodeAffinity([expression(archLabel, "In", "amd64")]);
    const live = pod("agent-x", {
      requests: { cpu: 3 },
      metadata: { ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true }] },
      affinity: nodeAffinity([expression("kubernetes.io/hostname", "In", "n1")]),
      nodeName: "n1",
    });
    const answer = plan([
      pool(),
      node("n1", { allocatable: { cpu: 3, pods: 9 } }),
      daemonSet("agent", { requests: { cpu: 3 }, affinity }),
      live,
      pod("web"),
    ]);
    assert.deepEqual(outcome(answer), { launched: ["medium: web"], placed: {}, refused: {} });
  });

  it("are counted once on a node, however many pods it gets", () => {
    const answer = plan([pool(), daemonSet("agent", { requests: { cpu: "500m", memory: "1Gi" } }), ...pods(2, "web")]);
    const [{ requests } = { requests: undefined }] = answer.nodes;
    assert.deepEqual(requests && Object.fromEntries(requests), { cpu: 2500, memory: 2 ** 30, pods: 3 });
  });

  it("keep room on a node that exists until they run there", () => {
    const objects = [node("n1"), daemonSet("agent", needsThree), pool(), ...pods(2, "web")];
    assert.deepEqual(outcome(plan(objects)).placed, { n1: ["web-1"] });
  });

  it("that run on a node already take no room twice", () => {
    const metadata = {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true }],
    };
    const objects = [
      node("n1"),
      daemonSet("agent", { requests: { cpu: 1 } }),
      pod("agent-x", { nodeName: "n1", metadata }),
      ...pods(3, "web"),
    ];
    assert.deepEqual(outcome(plan(objects)).placed, { n1: ["web-1", "web-2", "web-3"] });
  });

  it("keep no room on a node that they cannot come to", () => {
    const objects = [
      node("n1"),
      daemonSet("agent", { requests: { cpu: 3 }, nodeSelector: { team: "red" } }),
      ...pods(4, "web"),
    ];
    assert.deepEqual(outcome(plan(objects)).placed, { n1: ["web-1", "web-2", "web-3", "web-4"] });
  });

  it("keep types off the list that they leave too little of", () => {
    const instanceTypes = [
      instanceType("amd", { cpu: 4, price: 0.9 }),
      instanceType("arm", { cpu: 4, price: 0.5, arch: "arm64" }),
    ];
    const daemon = daemonSet("agent", { requests: { cpu: 3 }, nodeSelector: { [archLabel]: "amd64" } });
    const [planned] = plan([pool(), daemon, pod("web", { requests: { cpu: 2 } })], { instanceTypes }).nodes;
    assert.deepEqual(planned?.instanceTypes, ["arm"]);
  });

  it("that select a zone take room only there", () => {
    const instanceTypes = [
      instanceType("four", {
        cpu: 4,
        offerings: [offering({ zone: "zone-1", price: 1 }), offering({ zone: "zone-2", price: 2 })],
      }),
    ];
    const daemon = daemonSet("agent", { requests: { cpu: 3 }, nodeSelector: { [zoneLabel]: "zone-1" } });
    const [planned] = plan([pool(), daemon, pod("web", { requests: { cpu: 2 } })], { instanceTypes }).nodes;
    assert.deepEqual([planned?.zone, planned?.requirements.get(zoneLabel)?.values], ["zone-2", new Set(["zone-2"])]);
  });

  it("that select one instance type leave the others alone", () => {
    const daemon = { ...needsThree, nodeSelector: { [instanceTypeLabel]: "small" } };
    assert.deepEqual(withDaemon(daemon), ["medium: web"]);
  });
});
