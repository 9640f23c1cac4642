import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { readInstanceTypes } from "../../core/api/read-instance-types.ts";
import { readSnapshot } from "../../core/api/read-objects.ts";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import { InProcessPlanner } from "./in-process-planner.ts";
import { WorkerPlanner } from "./worker-planner.ts";

const { instanceTypes } = readInstanceTypes(
  [2, 4, 8].map((cpus) => ({
    name: `m-${cpus}`,
    architecture: "amd64",
    operatingSystems: ["linux"],
    resources: { cpu: String(cpus), memory: `${4 * cpus}Gi` },
    offerings: [
      {
        Price: cpus / 10,
        Requirements: [
          { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
          { key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] },
        ],
      },
    ],
  })),
);

function request(pods: number, cpu = "1"): PlanRequest {
  const objects = [
    {
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "default" },
      spec: {
        template: { spec: { requirements: [], nodeClassRef: { group: "g", kind: "K", name: "n" } } },
      },
    },
    ...Array.from({ length: pods }, (_, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p-${index}`, uid: `u-${index}` },
      spec: { containers: [{ name: "c", resources: { requests: { cpu } } }] },
    })),
  ];
  const { snapshot, pendingPods } = readSnapshot(objects, instanceTypes, "unplaced");
  return {
    snapshot,
    pendingPods,
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    wellKnownLabels: new Set(),
    defaultSpread: [],
    hints: new Map(),
    placement: "Suggest",
  };
}

describe("WorkerPlanner", () => {
  // Of all cases that leave a thread that answers: to start one takes half a second.
  const worker = new WorkerPlanner();
  after(() => worker.stop());

  it("answers as the planner in place does, again and again", async () => {
    const inPlace = new InProcessPlanner();
    for (const pods of [5, 12, 0]) {
      assert.deepEqual(await worker.plan(request(pods)), await inPlace.plan(request(pods)));
    }
  });

  it("says why pods get no node", async () => {
    const { refusals } = await worker.plan(request(1, "64"));
    assert.match(refusals[0]?.reason ?? "", /cpu/);
  });

  it("fails the plans that are under way when it is stopped, and starts anew when it is asked again", async () => {
    const worker = new WorkerPlanner();
    const lost = assert.rejects(worker.plan(request(5)), /stopped/);
    await worker.stop();
    await lost;
    assert.equal((await worker.plan(request(5))).refusals.length, 0);
    await worker.stop();
  });

  it("answers several that ask at once, and keeps their questions apart", async () => {
    const inPlace = new InProcessPlanner();
    const counts = [1, 7, 0, 3];
    const answers = await Promise.all(counts.map((pods) => worker.plan(request(pods))));
    assert.deepEqual(answers, await Promise.all(counts.map((pods) => inPlace.plan(request(pods)))));
  });

  it("tells a new thread everything again", async () => {
    const asked = request(5);
    const before = await worker.plan(asked);
    await worker.stop();
    assert.deepEqual(await worker.plan(asked), before);
  });

  it("fails a question that cannot cross, and answers the next in a new thread", async () => {
    await worker.plan(request(1));
    const broken = { ...request(1), defaultSpread: [() => {}] } as unknown as PlanRequest;
    await assert.rejects(worker.plan(broken), /cannot be sent/);
    assert.equal((await worker.plan(request(3))).refusals.length, 0);
  });

  it("fails a plan that cannot be made, and makes the next", async () => {
    const broken = { ...request(1), pendingPods: [{ uid: "x" }] } as unknown as PlanRequest;
    await assert.rejects(worker.plan(broken), /Cannot plan/);
    assert.equal((await worker.plan(request(3))).refusals.length, 0);
  });
});
