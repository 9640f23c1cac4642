import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLogLine, workloadOf } from "./read-log-line.ts";

const at = Date.UTC(2026, 0, 1);

function tell(fields: object): string | undefined {
  const line = { level: "INFO", time: new Date(at).toISOString(), logger: "controller", ...fields };
  return readLogLine(JSON.stringify(line))?.text;
}

describe("a line of the log", () => {
  it("tells what was bought, for whom, for how much and why this", () => {
    const created = {
      message: "created nodeclaim",
      controller: "provisioner",
      NodePool: { name: "general" },
      NodeClaim: { name: "general-x7k2p" },
      pods: 12,
      "planned-instance-type": "c7a.4xlarge",
      "planned-zone": "us-west-2b",
      "planned-capacity-type": "spot",
      "price-per-hour": 0.21456,
      "instance-types": "c7a.4xlarge, c6a.4xlarge, m7a.4xlarge, m6a.4xlarge, r7a.4xlarge and 60 other(s)",
    };
    assert.deepEqual(
      [tell(created), tell({ ...created, pods: 1, "instance-types": "c7a.4xlarge" })],
      [
        "created general-x7k2p for 12 pods: c7a.4xlarge, spot, us-west-2b, $0.215/h, the cheapest of 65 types that hold them",
        "created general-x7k2p for 1 pod: c7a.4xlarge, spot, us-west-2b, $0.215/h, the only type that holds it",
      ],
    );
  });

  it("tells what a plan costs, and what it would cost at least where that is known", () => {
    const plan = { message: "computed new nodeclaim(s) to fit pod(s)", nodeclaims: 3, pods: 40, "cost-per-hour": 1.5 };
    assert.equal(
      tell({ ...plan, "least-cost-per-hour": 1.25 }),
      "planned 3 nodes for 40 pods at $1.500/h; no plan costs less than $1.250/h",
    );
    assert.equal(tell(plan), "planned 3 nodes for 40 pods at $1.500/h");
  });

  it("tells of pods without a node once for each, and of all of a workload together", () => {
    const line = {
      message: "could not schedule pod",
      Pod: { namespace: "shop", name: "training-6d5cfccc88-nsmz7" },
      reason: 'Pool "general" is full.',
    };
    const telling = readLogLine(JSON.stringify({ level: "ERROR", time: new Date(at).toISOString(), ...line }));
    assert.deepEqual(
      [telling?.at, telling?.tone, telling?.text, telling?.sameAs, telling?.group?.describe(3)],
      [
        at,
        "bad",
        'no node for pod shop/training-6d5cfccc88-nsmz7: Pool "general" is full.',
        "refusal/shop/training-6d5cfccc88-nsmz7",
        'no node for 3 pods of shop/training: Pool "general" is full.',
      ],
    );
  });

  it("tells what is wrong with a pool, and whose it is once", () => {
    const about = { NodePool: { name: "mine" } };
    assert.deepEqual(
      [
        tell({ ...about, message: "a NodePool is probably not what was meant", warning: "NodePool mine: no limits." }),
        tell({ ...about, message: "a NodePool cannot be used", problem: "no such label." }),
      ],
      ["NodePool mine: no limits.", "NodePool mine cannot be used: no such label."],
    );
  });

  it("tells how nodes go", () => {
    assert.deepEqual(
      [
        tell({ message: "deleted expired nodeclaim", NodeClaim: { name: "general-x7k2p" } }),
        tell({
          message: "disrupting node(s)",
          reason: "underutilized",
          "disrupted-nodes": [{ Node: { name: "node-1" } }, { Node: { name: "node-2" } }],
          "replacement-node-count": 1,
          "pod-count": 3,
          "savings-per-hour": 0.25,
        }),
        tell({
          message: "disrupting node(s)",
          reason: "empty",
          "disrupted-nodes": [{ Node: { name: "node-1" } }],
          "replacement-node-count": 0,
          "pod-count": 0,
        }),
        tell({ message: "failed disrupting node(s), which stay", nodes: ["node-1"], error: "no capacity" }),
        tell({ message: "tainted node", Node: { name: "node-1" }, "taint.Key": "karpenter.sh/disrupted" }),
        tell({ message: "deleted node", Node: { name: "node-1" } }),
      ],
      [
        "deleting general-x7k2p: it has expired",
        "underutilized: 2 nodes node-1, node-2 can go, 1 node in place of them, which saves $0.250/h and moves 3 pods",
        "empty: node node-1 can go",
        "node-1 can not go after all: no capacity",
        "draining node node-1: no new pods, and those on it are evicted",
        "deleted node node-1: it is drained, and its machine is gone",
      ],
    );
  });

  it("tells whether the controller is at work", () => {
    const stopped = { message: "stopped leading", Lease: { namespace: "kube-system", name: "lease" } };
    assert.deepEqual(
      [
        tell({ message: "leading", nodes: 1, pods: 19 }),
        tell({ ...stopped, reason: "stopping" }),
        tell({ ...stopped, reason: "somebody else holds the lease" }),
      ],
      [
        "the controller is at work: it sees 1 node and 19 pods",
        "the controller stops, and gives the lease back",
        "the controller no longer leads: somebody else holds the lease",
      ],
    );
  });

  it("tells everything else as it is said, without what only machines read", () => {
    assert.deepEqual(
      [
        tell({ message: "terminating due to timeout", Node: { name: "node-1" }, after: "1h" }),
        tell({ message: "Reconciler error", controller: "x", key: "a", error: "no\nway", stack: "at …" }),
        tell({ message: "found provisionable pod(s)", Pods: "shop/a" }),
      ],
      ["terminating due to timeout  Node=node-1  after=1h", "Reconciler error  key=a  error=no\nway", undefined],
    );
  });
});

describe("the workload of a pod", () => {
  it("is its name without what was added to it", () => {
    assert.deepEqual(
      ["shop/cart-6d5cfccc88-nsmz7", "shop/report-1-wtlbd", "shop/web-0", "shop/alone"].map(workloadOf),
      ["shop/cart", "shop/report-1", "shop/web-0", "shop/alone"],
    );
  });
});
