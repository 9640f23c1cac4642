import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import {
  daemonSet,
  expression,
  instanceType,
  node,
  nodeAffinity,
  offering,
  plan,
  pod,
  pods,
  pool,
  type Wire,
} from "../support/builders.ts";

const zones = ["zone-1", "zone-2", "zone-3"];
const values = (requirement: { values: ReadonlySet<string> } | undefined): string[] =>
  [...(requirement?.values ?? [])].sort();

/** Spot and on-demand in three zones. */
function everywhere(price: number): Wire[] {
  return zones.flatMap((zone) => [
    offering({ zone, capacityType: "spot", price: price / 3 }),
    offering({ zone, price }),
  ]);
}

function spotTypes(count: number): InstanceType[] {
  return Array.from({ length: count }, (_, index) => {
    const cpu = 2 + index;
    return instanceType(`type-${String(cpu).padStart(2, "0")}`, { cpu, offerings: everywhere(cpu / 10) });
  });
}

describe("a planned node", () => {
  it("names every type that would hold its pods, the cheapest first", () => {
    const [planned] = plan([pool(), pod("web", { requests: { cpu: 3 } })]).nodes;
    assert.deepEqual(planned?.instanceTypes, ["medium", "large", "huge"]);
  });

  it("names every zone and capacity type that would do", () => {
    const instanceTypes = [instanceType("a", { offerings: everywhere(1) })];
    const [planned] = plan([pool(), pod("web")], { instanceTypes }).nodes;
    const said = [zoneLabel, capacityTypeLabel].map((key) => values(planned?.requirements.get(key)));
    assert.deepEqual(said, [zones, ["on-demand", "spot"]]);
  });

  it("names only what its pods select", () => {
    const instanceTypes = [instanceType("a", { offerings: everywhere(1) })];
    const nodeSelector = { [zoneLabel]: "zone-2", [capacityTypeLabel]: "on-demand" };
    const [planned] = plan([pool(), pod("web", { nodeSelector })], { instanceTypes }).nodes;
    const said = [zoneLabel, capacityTypeLabel].map((key) => values(planned?.requirements.get(key)));
    assert.deepEqual(said, [["zone-2"], ["on-demand"]]);
  });

  it("names every value of a label that its pods do not tell apart", () => {
    const families = ["a", "b", "c"];
    const instanceTypes = families.map((family) => instanceType(family, { labels: { "example.com/family": family } }));
    const affinity = nodeAffinity([expression("example.com/family", "NotIn", "b")]);
    const [planned] = plan([pool(), pod("web", { affinity })], { instanceTypes }).nodes;
    const said = values(planned?.requirements.get("example.com/family"));
    assert.deepEqual(
      [planned?.instanceTypes, said],
      [
        ["a", "c"],
        ["a", "c"],
      ],
    );
  });

  it("names only what all of its pods select", () => {
    const a = pod("a", { affinity: nodeAffinity([expression(zoneLabel, "In", "zone-1", "zone-2")]) });
    const b = pod("b", { affinity: nodeAffinity([expression(zoneLabel, "In", "zone-2", "zone-3")]) });
    const [planned] = plan([pool(), a, b]).nodes;
    assert.deepEqual(values(planned?.requirements.get(zoneLabel)), ["zone-2"]);
  });

  it("names no type that is sold out", () => {
    const instanceTypes = [instanceType("a"), instanceType("b", { offerings: [offering({ available: false })] })];
    const [planned] = plan([pool(), pod("web")], { instanceTypes }).nodes;
    assert.deepEqual(planned?.instanceTypes, ["a"]);
  });

  it("leaves a type out that would not do in one of the combinations", () => {
    const instanceTypes = [
      instanceType("amd", { cpu: 4, price: 1 }),
      instanceType("arm", { cpu: 4, price: 2, arch: "arm64" }),
    ];
    // Wants zone-1, or arm: a claim for both types in all zones could become amd in zone-2.
    const affinity = nodeAffinity([expression(zoneLabel, "In", "zone-1")], [expression(archLabel, "In", "arm64")]);
    const [planned] = plan([pool(), pod("web", { affinity })], { instanceTypes }).nodes;
    assert.deepEqual(
      holesOf(planned!, instanceTypes, (type, zone) => zone === "zone-1" || type === "arm"),
      [],
    );
  });

  it("leaves a type out that a daemon fills in one of the zones", () => {
    const instanceTypes = [instanceType("two", { cpu: 2, price: 1 }), instanceType("four", { cpu: 4, price: 3 })];
    const daemon = daemonSet("agent", { nodeSelector: { [zoneLabel]: "zone-2" } });
    const [planned] = plan([pool(), daemon, pod("web", { requests: { cpu: 2 } })], { instanceTypes }).nodes;
    assert.deepEqual(
      holesOf(planned!, instanceTypes, (type, zone) => type === "four" || zone !== "zone-2"),
      [],
    );
  });

  it("names at most 600 types, the cheapest", () => {
    const instanceTypes = Array.from({ length: 700 }, (_, index) =>
      instanceType(`type-${index}`, { cpu: 4, price: 1 + index / 1000 }),
    );
    const [planned] = plan([pool(), pod("web")], { instanceTypes }).nodes;
    assert.deepEqual(
      planned?.instanceTypes,
      instanceTypes.slice(0, 600).map(({ name }) => name),
    );
  });

  it("is always among what it names", () => {
    const cheap = Array.from({ length: 650 }, (_, index) =>
      instanceType(`cheap-${index}`, { cpu: 4, memory: "4Gi", price: 1 }),
    );
    const answer = plan([pool(), ...pods(3, "web", { requests: { cpu: 3, memory: "1Gi" } })], { instanceTypes: cheap });
    assert.deepEqual(
      answer.nodes.map(({ instanceType, instanceTypes }) => instanceTypes.includes(instanceType)),
      [true, true, true],
    );
  });

  it("keeps what its pool requires besides", () => {
    const ours = pool("default", {
      requirements: [expression("team", "In", "red"), expression(archLabel, "In", "amd64")],
    });
    const [planned] = plan([ours, pod("web")]).nodes;
    assert.deepEqual(
      [values(planned?.requirements.get("team")), values(planned?.requirements.get(archLabel))],
      [["red"], ["amd64"]],
    );
  });

  it("says nothing about labels that only its template gives", () => {
    const [planned] = plan([
      pool("default", { labels: { team: "red" } }),
      pod("web", { nodeSelector: { team: "red" } }),
    ]).nodes;
    assert.equal(planned?.requirements.has("team"), false);
  });

  it("says nothing about its host", () => {
    const affinity = nodeAffinity([expression(zoneLabel, "Exists")]);
    const [planned] = plan([pool(), node("n1", { allocatable: {} }), pod("web", { affinity })]).nodes;
    assert.equal(planned?.requirements.has("kubernetes.io/hostname"), false);
  });
});

/** Combinations that the claim allows, that exist and that would not do. */
function holesOf(
  planned: { instanceTypes: readonly string[]; requirements: ReadonlyMap<string, { values: ReadonlySet<string> }> },
  instanceTypes: readonly InstanceType[],
  isGood: (type: string, zone: string) => boolean,
): string[] {
  const allowed = values(planned.requirements.get(zoneLabel));
  const offered = new Set(instanceTypes.map(({ name }) => name));
  const combinations = planned.instanceTypes
    .filter((name) => offered.has(name))
    .flatMap((type) => allowed.map((zone) => ({ type, zone })));
  return combinations.filter(({ type, zone }) => !isGood(type, zone)).map(({ type, zone }) => `${type} in ${zone}`);
}

describe("a node on spot capacity", () => {
  const spot = pool("default", { requirements: [expression(capacityTypeLabel, "In", "spot")] });

  it("can be at least fifteen types when there are so many", () => {
    const answer = plan([spot, ...pods(40, "web", { requests: { cpu: 2 } })], { instanceTypes: spotTypes(40) });
    assert.deepEqual(
      answer.nodes.filter(({ instanceTypes }) => instanceTypes.length < 15),
      [],
    );
  });

  it("can be at least fifteen types although another pod selects one type", () => {
    const picky = pod("picky", { nodeSelector: { [instanceTypeLabel]: "type-41" } });
    const answer = plan([spot, picky, ...pods(40, "web", { requests: { cpu: 2 } })], { instanceTypes: spotTypes(40) });
    const rigid = answer.nodes.filter(
      ({ instanceTypes, pods }) => instanceTypes.length < 15 && !pods.some(({ name }) => name === "picky"),
    );
    assert.deepEqual(
      rigid.map(({ instanceType, pods }) => [instanceType, pods.length]),
      [],
    );
  });

  it("is what a pod gets that only few types hold", () => {
    const [planned] = plan([spot, pod("web", { requests: { cpu: 40 } })], { instanceTypes: spotTypes(40) }).nodes;
    assert.deepEqual(planned?.instanceTypes, ["type-40", "type-41"]);
  });

  it("is bought in a catalogue of few types", () => {
    const [planned] = plan([spot, pod("web")], { instanceTypes: spotTypes(3) }).nodes;
    assert.equal(planned?.capacityType, "spot");
  });
});
