import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { capacityTypeLabel } from "../../src/core/model/labels.ts";
import {
  instanceType,
  offering,
  outcome,
  type PlanOptions,
  plan,
  pod,
  pods,
  pool,
  reservationLabel,
  type Wire,
} from "../support/builders.ts";

/** Four processors, with room for one of the pods below: some of it reserved, all of it on demand. */
function reservable(capacity: number, name = "metal"): InstanceType {
  const reserved = offering({ reservation: { id: `r-${name}`, capacity }, price: 0.01 });
  return instanceType(name, { cpu: 4, offerings: [reserved, offering({ price: 0.4 })] });
}

const fills = (count: number) => pods(count, "web", { requests: { cpu: 4 } });

function capacityTypes(
  objects: readonly Wire[],
  options: PlanOptions,
): { bought: string[]; refused: Record<string, string> } {
  const answer = plan(objects, options);
  return { bought: answer.nodes.map(({ capacityType }) => capacityType).sort(), refused: outcome(answer).refused };
}

describe("reserved capacity", () => {
  it("is used before anything is bought", () => {
    assert.deepEqual(capacityTypes([pool(), ...fills(2)], { instanceTypes: [reservable(2)] }), {
      bought: ["reserved", "reserved"],
      refused: {},
    });
  });

  it("is used even where something else is cheaper", () => {
    const offerings = [
      offering({ reservation: { id: "r-1", capacity: 1 }, price: 0.5 }),
      offering({ capacityType: "spot", price: 0.1 }),
    ];
    assert.deepEqual(
      capacityTypes([pool(), pod("web")], { instanceTypes: [instanceType("metal", { offerings })] }).bought,
      ["reserved"],
    );
  });

  it("lets the pods that find it taken wait rather than buying for them", () => {
    assert.deepEqual(capacityTypes([pool(), ...fills(2)], { instanceTypes: [reservable(1)] }), {
      bought: ["reserved"],
      refused: { "web-2": "reservation-taken" },
    });
  });

  it("lets pods wait although a lighter pool could serve them", () => {
    const pools = [pool("heavy", { weight: 10 }), pool("light")];
    assert.deepEqual(capacityTypes([...pools, ...fills(2)], { instanceTypes: [reservable(1)] }), {
      bought: ["reserved"],
      refused: { "web-2": "reservation-taken" },
    });
  });

  it("keeps nobody waiting when a simulation may fall back", () => {
    const settings = { reservedCapacity: "Fallback" } as const;
    assert.deepEqual(capacityTypes([pool(), ...fills(2)], { instanceTypes: [reservable(1)], settings }), {
      bought: ["on-demand", "reserved"],
      refused: {},
    });
  });

  it("that is used up keeps nobody waiting", () => {
    assert.deepEqual(capacityTypes([pool(), ...fills(1)], { instanceTypes: [reservable(0)] }), {
      bought: ["on-demand"],
      refused: {},
    });
  });

  it("of two pools is counted once", () => {
    const taints = (key: string) => [{ key, effect: "NoSchedule" }];
    const waiting = (name: string) =>
      pod(name, { requests: { cpu: 4 }, tolerations: [{ key: name, operator: "Exists" }] });
    const objects = [
      pool("a", { taints: taints("x") }),
      pool("b", { taints: taints("y") }),
      waiting("x"),
      waiting("y"),
    ];
    assert.equal(capacityTypes(objects, { instanceTypes: [reservable(1)] }).bought.length, 1);
  });

  it("is the least of what is said about it", () => {
    const zone = (name: string, capacity: number) =>
      offering({ zone: name, reservation: { id: "r-1", capacity }, price: 0.01 });
    const instanceTypes = [instanceType("metal", { cpu: 4, offerings: [zone("zone-1", 1), zone("zone-2", 5)] })];
    assert.equal(capacityTypes([pool(), ...fills(3)], { instanceTypes }).bought.length, 1);
  });

  it("of two reservations is used together", () => {
    const instanceTypes = [reservable(1), reservable(1, "other")];
    assert.deepEqual(capacityTypes([pool(), ...fills(3)], { instanceTypes }), {
      bought: ["reserved", "reserved"],
      refused: { "web-3": "reservation-taken" },
    });
  });

  it("is what the node says it is", () => {
    const [planned] = plan([pool(), pod("web")], { instanceTypes: [reservable(1)] }).nodes;
    const said = [capacityTypeLabel, reservationLabel].map((key) => [
      ...(planned?.requirements.get(key)?.values ?? []),
    ]);
    assert.deepEqual([said, planned?.reservationId], [[["reserved"], ["r-metal"]], "r-metal"]);
  });

  it("that a pod is too large for does not concern it", () => {
    const instanceTypes = [reservable(1), instanceType("big", { cpu: 16 })];
    assert.deepEqual(outcome(plan([pool(), pod("web", { requests: { cpu: 9 } })], { instanceTypes })).launched, [
      "big: web",
    ]);
  });

  it("does not concern pods that want none of it", () => {
    const onDemand = pods(2, "web", { requests: { cpu: 4 }, nodeSelector: { [capacityTypeLabel]: "on-demand" } });
    assert.deepEqual(capacityTypes([pool(), ...onDemand], { instanceTypes: [reservable(1)] }), {
      bought: ["on-demand", "on-demand"],
      refused: {},
    });
  });

  it("does not concern a pool that may not use it", () => {
    const requirements = [{ key: capacityTypeLabel, operator: "In", values: ["on-demand", "spot"] }];
    assert.deepEqual(
      capacityTypes([pool("default", { requirements }), ...fills(2)], { instanceTypes: [reservable(1)] }).bought,
      ["on-demand", "on-demand"],
    );
  });

  it("can be asked for", () => {
    const waiting = pods(2, "web", { requests: { cpu: 4 }, nodeSelector: { [capacityTypeLabel]: "reserved" } });
    assert.deepEqual(capacityTypes([pool(), ...waiting], { instanceTypes: [reservable(1)] }).bought, ["reserved"]);
  });

  it("goes to the pods of the highest priority", () => {
    const waiting = [pod("low", { requests: { cpu: 4 } }), pod("urgent", { requests: { cpu: 4 }, priority: 9 })];
    assert.deepEqual(outcome(plan([pool(), ...waiting], { instanceTypes: [reservable(1)] })), {
      launched: ["metal: urgent"],
      placed: {},
      refused: { low: "reservation-taken" },
    });
  });

  it("is filled like any other node", () => {
    const answer = plan([pool(), ...pods(4, "web")], { instanceTypes: [reservable(1)] });
    assert.deepEqual(outcome(answer), { launched: ["metal: web-1 web-2 web-3 web-4"], placed: {}, refused: {} });
  });

  it("of one reservation serves as many pods as it can hold", () => {
    const small = offering({ reservation: { id: "r-1", capacity: 1 }, price: 0.01 });
    const instanceTypes = [
      instanceType("small", { cpu: 2, offerings: [small] }),
      instanceType("large", { cpu: 8, offerings: [offering({ reservation: { id: "r-1", capacity: 1 }, price: 0.5 })] }),
    ];
    const answer = plan([pool(), ...pods(4, "web", { requests: { cpu: 2 } })], { instanceTypes });
    assert.deepEqual(outcome(answer).launched, ["large: web-1 web-2 web-3 web-4"]);
  });

  it("waits for the limits of its pool like anything else", () => {
    const answer = plan([pool("default", { limits: { cpu: 3 } }), ...fills(1)], { instanceTypes: [reservable(1)] });
    assert.deepEqual(outcome(answer).refused, { "web-1": "no-fit" });
  });

  it("beyond the limits of its pool sends pods to the next pool", () => {
    const pools = [pool("first", { weight: 10, limits: { cpu: 3 } }), pool("second")];
    const answer = plan([...pools, ...fills(1)], { instanceTypes: [reservable(1)] });
    assert.deepEqual(
      answer.nodes.map(({ pool, capacityType }) => [pool.name, capacityType]),
      [["second", "reserved"]],
    );
  });
});
