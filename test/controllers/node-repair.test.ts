import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Repairer, type RepairSettings } from "../../src/controllers/inspector/repairer.ts";
import { nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import { writeTime } from "../../src/core/api/write-time.ts";
import { deadlineAnnotation } from "../../src/core/model/deadline.ts";
import type { RepairPolicy } from "../../src/ports/cloud-provider.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import { nodes } from "../../src/runtime/resources.ts";
import { TerminatorStage } from "../support/terminator-stage.ts";

const minute = 60_000;
const policies: readonly RepairPolicy[] = [
  { conditionType: "Ready", conditionStatus: "False", tolerationMilliseconds: 10 * minute },
  { conditionType: "Ready", conditionStatus: "Unknown", tolerationMilliseconds: 10 * minute },
  { conditionType: "DiskHealthy", conditionStatus: "False", tolerationMilliseconds: 30 * minute },
];

describe("node repair", () => {
  let stage: TerminatorStage;
  beforeEach(() => {
    stage = new TerminatorStage();
  });
  afterEach(() => stage.stop());

  /** Healthy nodes, and a repairer; without a terminator, so that what it wrote can be seen. */
  async function start(names: readonly string[], repair: Partial<RepairSettings> = {}): Promise<void> {
    for (const name of names)
      stage.addNode(name, {
        node: { labels: { "karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "spot" } },
      });
    await stage.bench.observe();
    run(repair);
    await stage.clock.advance(2_000);
  }

  function run(repair: Partial<RepairSettings> = {}): Repairer {
    const { cluster, clock, telemetry, kube } = stage.bench;
    const cloud = { ...stage.park.cloud, repairPolicies: policies };
    const settings = { maxUnhealthyPercent: 20, after: new Map(), ...repair };
    return stage.bench.run(new Repairer({ cluster, clock, telemetry, kube, cloud, repair: settings }));
  }

  async function setCondition(name: string, type: string, status: string): Promise<void> {
    const now = writeTime(stage.clock.now());
    const condition = { type, status, reason: "Tested", message: "", lastHeartbeatTime: now, lastTransitionTime: now };
    const target = { name, subresource: "status" } as const;
    const body = { status: { conditions: [condition] } };
    orThrow(await stage.bench.user.patch(nodes, target, { kind: "strategic-merge", body }), "set a condition");
    await stage.clock.advance(0);
  }

  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
  const going = () =>
    [...stage.cluster.claims.values()].flatMap(({ name, deletedAt }) => (deletedAt === undefined ? [] : [name]));
  const deadline = (name: string) => stage.cluster.claims.get(name)?.annotations.get(deadlineAnnotation);
  const blocked = () => stage.bench.telemetry.happenings.filter(({ reason }) => reason === "NodeRepairBlocked");

  it("ends a node exactly when it has been unhealthy for too long, whatever protects its pods", async () => {
    await start(names(3));
    stage.addPod("held", "n0", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } } });
    await setCondition("n0", "DiskHealthy", "False");
    const due = stage.clock.now() + 30 * minute;
    await stage.clock.advance(due - 1_000 - stage.clock.now());
    assert.deepEqual(going(), []);
    await stage.clock.advance(1_000);
    assert.deepEqual(going(), ["n0"]);
    assert.equal(Date.parse(deadline("n0") ?? "") <= stage.clock.now(), true);
    const cause = 'nodepool="default",capacity_type="spot"';
    assert.equal(
      stage.number(
        `nodeclaims_disrupted_total{reason="unhealthy",${cause},consolidation_policy="",termination_mode="graceful"}`,
      ),
      1,
    );
    assert.equal(
      stage.number(`nodeclaims_unhealthy_disrupted_total{condition="disk_healthy",${cause},image_id=""}`),
      1,
    );
    await stage.start();
    await stage.clock.advance(minute);
    assert.deepEqual(stage.left.claims.includes("n0"), false);
  });

  it("leaves a node alone that gets well in time", async () => {
    await start(names(3));
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(29 * minute);
    await setCondition("n0", "DiskHealthy", "True");
    await stage.clock.advance(5 * minute);
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(29 * minute);
    assert.deepEqual(going(), []);
  });

  it("goes by the ailment that is due first", async () => {
    await start(names(3));
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(10 * minute);
    stage.bench.embedded.kubelets.neverReady("n0");
    await stage.clock.advance(12 * minute);
    assert.deepEqual(going(), ["n0"]);
    assert.equal(
      [...stage.bench.telemetry.numbers.keys()].some((series) => series.includes('condition="ready"')),
      true,
    );
  });

  it("ends a node whose kubelet has fallen silent", async () => {
    await start(names(3));
    stage.bench.embedded.kubelets.stopNode("n0");
    await stage.clock.advance(9 * minute);
    assert.deepEqual(going(), []);
    await stage.clock.advance(3 * minute);
    assert.deepEqual(going(), ["n0"]);
  });

  it("holds back while too many nodes of the pool ail, says so on all it concerns, and goes on when they are well", async () => {
    stage.bench.load({
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "default" },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
            requirements: [],
          },
        },
      },
    });
    await start(names(10));
    for (const name of ["n0", "n1", "n2"]) await setCondition(name, "DiskHealthy", "False");
    await stage.clock.advance(31 * minute);
    assert.deepEqual(going(), []);
    assert.deepEqual(
      new Set(blocked().map(({ object, message }) => `${object.kind} ${object.name}: ${message}`)),
      new Set(
        ["Node n0", "NodeClaim n0", "Node n1", "NodeClaim n1", "Node n2", "NodeClaim n2", "NodePool default"].map(
          (object) => `${object}: more than 20% nodes are unhealthy in the nodepool (3 of 10)`,
        ),
      ),
    );
    await setCondition("n2", "DiskHealthy", "True");
    await stage.clock.advance(5 * minute);
    assert.deepEqual(going(), ["n0", "n1"]);
  });

  it("repairs one of three, because a share is rounded up", async () => {
    await start(names(3));
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(30 * minute);
    assert.deepEqual([going(), blocked().length], [["n0"], 0]);
  });

  it("can be held back sooner, and wait longer, than by default", async () => {
    await start(names(3), { maxUnhealthyPercent: 0, after: new Map([["DiskHealthy", hours(2)]]) });
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(hours(2) - minute);
    assert.deepEqual([going(), blocked().length], [[], 0]);
    await stage.clock.advance(minute);
    assert.deepEqual([going(), blocked().length], [[], 2]);
  });

  it("says which of the times that were set nobody needs", async () => {
    await start([], { after: new Map([["Redy", minute]]) });
    const [line] = stage.bench.telemetry.lines.filter(({ level }) => level === "error");
    assert.deepEqual(line?.fields.conditions, ["Redy"]);
  });

  it("moves a later deadline to now and keeps an earlier one, of claims that go already too", async () => {
    await start(names(10));
    const at = (milliseconds: number) => writeTime(stage.clock.now() + milliseconds);
    const [early, late] = [at(minute), at(hours(5))];
    const mark = (name: string, time: string) =>
      stage.bench.kube.patch(
        nodeClaims,
        { name },
        { body: { metadata: { annotations: { [deadlineAnnotation]: time } } } },
      );
    await mark("n0", early);
    await mark("n1", late);
    await stage.deleteClaim("n1");
    for (const name of ["n0", "n1"]) await setCondition(name, "DiskHealthy", "False");
    await stage.clock.advance(30 * minute);
    assert.deepEqual(going(), ["n0", "n1"]);
    assert.equal(deadline("n0"), early);
    assert.equal(Date.parse(deadline("n1") ?? "") <= stage.clock.now(), true);
    assert.equal(
      [...stage.bench.telemetry.numbers].filter(([series]) => series.startsWith("nodeclaims_disrupted_total")).length,
      1,
    );
  });

  it("finds out after a restart, and once the claim knows its machine", async () => {
    await start(names(10));
    stage.addClaim("late", { providerId: "" });
    stage.addBareNode("late");
    await setCondition("late", "DiskHealthy", "False");
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(minute);
    run();
    const target = { name: "late", subresource: "status" } as const;
    await stage.bench.kube.patch(nodeClaims, target, { body: { status: { providerID: "test:///late" } } });
    await stage.clock.advance(30 * minute);
    assert.deepEqual(going().sort(), ["late", "n0"]);
  });

  it("gets there although half of its writes are refused", async () => {
    await start(names(10));
    stage.bench.embedded.faults.inject({ effect: "refuse", status: 409, probability: 0.3 });
    stage.bench.embedded.faults.inject({ effect: "refuse", status: 500, probability: 0.3 });
    await setCondition("n0", "DiskHealthy", "False");
    await stage.clock.advance(33 * minute);
    assert.deepEqual(going(), ["n0"]);
    assert.notEqual(deadline("n0"), undefined);
  });
});

function hours(count: number): number {
  return count * 60 * minute;
}
