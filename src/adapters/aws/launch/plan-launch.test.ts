import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import { makeRequirement, type Requirement } from "../../../core/model/requirements.ts";
import { labelOf, type Planning, planLaunch } from "./plan-launch.ts";

const capacityType = "karpenter.sh/capacity-type";
const zone = "topology.kubernetes.io/zone";
const reservationType = "karpenter.k8s.aws/capacity-reservation-type";
const interruptible = "karpenter.k8s.aws/capacity-reservation-interruptible";

describe("planLaunch", () => {
  it("prefers spot to on-demand, the cheapest first", () => {
    const plan = planned(claim(), [
      type("large", [offer("on-demand", "a", 3), offer("spot", "a", 2)]),
      type("small", [offer("on-demand", "a", 2.5), offer("spot", "a", 1), offer("spot", "b", 1.5)]),
    ]);
    assert.equal(plan.capacityType, "spot");
    assert.deepEqual(namesOf(plan), ["small a b", "large a"]);
  });

  it("leaves out spot that costs more than on-demand", () => {
    const plan = planned(claim(), [
      type("large", [offer("on-demand", "a", 3), offer("spot", "a", 2.7)]),
      type("small", [offer("on-demand", "a", 2), offer("spot", "a", 1)]),
    ]);
    assert.deepEqual(namesOf(plan), ["small a"]);
  });

  it("takes nothing that does not fit, is not available, is refused or does not meet the requirements", () => {
    const requirements = new Map([[zone, makeRequirement("In", ["a"])]]);
    const outcome = planLaunch({
      claim: claim({ requirements, requests: new Map([["cpu", 1000]]) }),
      types: [
        type("tiny", [offer("on-demand", "a", 1)], { cpu: 500 }),
        type("out", [{ ...offer("on-demand", "a", 1), isAvailable: false }]),
        type("elsewhere", [offer("on-demand", "b", 1)]),
        type("refused", [offer("on-demand", "a", 1)]),
      ],
      isRefused: ({ name }) => name === "refused",
    });
    assert.equal(outcome.kind, "nothing");
  });

  it("leaves metal and accelerators alone as long as anything else will do", () => {
    const metal = type("metal", [offer("on-demand", "a", 1)], { size: "metal-24xl" });
    const gpu = type("gpu", [offer("on-demand", "a", 1)], { gpus: 1 });
    const plain = type("plain", [offer("on-demand", "a", 5)]);
    assert.deepEqual(namesOf(planned(claim(), [metal, gpu, plain])), ["plain a"]);
    assert.deepEqual(namesOf(planned(claim(), [metal, gpu])), ["gpu a", "metal a"]);
  });

  it("takes reserved capacity first, of one kind, from the reservation with the most left", () => {
    const plan = planned(claim(), [
      type("large", [
        offer("spot", "a", 1),
        reserved("a", "cr-1", { left: 2 }),
        reserved("a", "cr-2", { left: 5 }),
        reserved("b", "cr-3", { left: 1, kind: "capacity-block" }),
      ]),
      type("small", [offer("spot", "a", 0.5)]),
    ]);
    assert.equal(plan.capacityType, "reserved");
    assert.equal(plan.reservationType, "default");
    assert.deepEqual(
      plan.candidates.map(({ offerings }) => offerings.map(({ reservationId }) => reservationId)),
      [["cr-2"]],
    );
  });

  it("names one capacity block only", () => {
    const plan = planned(claim(), [
      type("large", [reserved("a", "cr-1", { kind: "capacity-block", price: 2 })]),
      type("small", [reserved("b", "cr-2", { kind: "capacity-block", price: 1 })]),
    ]);
    assert.equal(plan.reservationType, "capacity-block");
    assert.deepEqual(namesOf(plan), ["small b"]);
  });

  it("names sixty types at most, and refuses when they are too few for the variety asked for", () => {
    const types = Array.from({ length: 80 }, (_, i) => type(`t${i}`, [offer("on-demand", "a", i)]));
    assert.equal(planned(claim(), types).candidates.length, 60);
    const variety = new Map([["node.kubernetes.io/instance-type", { ...exists, minValues: 61 }]]);
    assert.equal(plan(claim({ requirements: variety }), types).kind, "monotonous");
    const relaxed = new Map([["karpenter.sh/nodeclaim-min-values-relaxed", "true"]]);
    assert.equal(plan(claim({ requirements: variety, annotations: relaxed }), types).kind, "planned");
  });

  it("keeps the dear types that bring the variety asked for among the sixty", () => {
    const types = Array.from({ length: 80 }, (_, i) =>
      type(`t${i}`, [offer("on-demand", "a", i)], { size: i < 70 ? "large" : `size-${i}` }),
    );
    const variety = new Map([["karpenter.k8s.aws/instance-size", { ...exists, minValues: 5 }]]);
    const names = namesOf(planned(claim({ requirements: variety }), types));
    assert.equal(names.length, 60);
    assert.deepEqual(names.slice(-5), ["t55 a", "t70 a", "t71 a", "t72 a", "t73 a"]);
  });

  it("asks for dedicated machines only when others will not do", () => {
    const dedicated = new Map([["karpenter.k8s.aws/instance-tenancy", makeRequirement("In", ["dedicated"])]]);
    const types = [type("small", [offer("on-demand", "a", 1)])];
    assert.equal(planned(claim(), types).tenancy, "default");
    assert.equal(planned(claim({ requirements: dedicated }), types).tenancy, "dedicated");
  });
});

const exists = makeRequirement("Exists", []);

function plan(wanting: NodeClaim, types: readonly InstanceType[]): Planning {
  return planLaunch({ claim: wanting, types, isRefused: () => false });
}

function planned(wanting: NodeClaim, types: readonly InstanceType[]) {
  const outcome = plan(wanting, types);
  assert.ok(outcome.kind === "planned", JSON.stringify(outcome));
  return outcome.plan;
}

function namesOf({ candidates }: ReturnType<typeof planned>): readonly string[] {
  return candidates.map(
    ({ type: { name }, offerings }) => `${name} ${offerings.map((offering) => labelOf(offering, zone)).join(" ")}`,
  );
}

function claim(fields: Partial<NodeClaim> = {}): NodeClaim {
  return { requirements: new Map(), requests: new Map(), annotations: new Map(), ...fields } as NodeClaim;
}

function type(
  name: string,
  offerings: readonly Offering[],
  { cpu = 4000, size = "large", gpus = 0 }: { cpu?: number; size?: string; gpus?: number } = {},
): InstanceType {
  const capacity = new Map([
    ["cpu", cpu],
    ["nvidia.com/gpu", gpus],
  ]);
  const requirements = new Map([
    ["node.kubernetes.io/instance-type", makeRequirement("In", [name])],
    ["karpenter.k8s.aws/instance-size", makeRequirement("In", [size])],
  ]);
  return { name, requirements, capacity, allocatable: capacity, offerings };
}

function offer(kind: string, where: string, price: number, more: readonly [string, Requirement][] = []): Offering {
  return {
    requirements: new Map([
      [capacityType, makeRequirement("In", [kind])],
      [zone, makeRequirement("In", [where])],
      ...more,
    ]),
    price,
    isAvailable: true,
    reservationCapacity: undefined,
    reservationId: undefined,
    allocatable: undefined,
  };
}

function reserved(
  where: string,
  reservationId: string,
  { left = 1, kind = "default", price = 0 }: { left?: number; kind?: string; price?: number },
): Offering {
  const more: [string, Requirement][] = [
    [reservationType, makeRequirement("In", [kind])],
    [interruptible, makeRequirement("In", ["false"])],
  ];
  return { ...offer("reserved", where, price, more), reservationCapacity: left, reservationId };
}
