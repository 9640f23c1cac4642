import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claimOf } from "../../../test/support/kwok-stage.ts";
import { readInstanceTypes } from "../../core/api/read-instance-types.ts";
import { capacityTypeLabel, zoneLabel } from "../../core/model/labels.ts";
import { Offerings } from "./offerings.ts";

const typeLabel = "node.kubernetes.io/instance-type";
const rack = "example.com/rack";

interface Sold {
  readonly price: number;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly rack?: string;
  readonly isAvailable?: boolean;
  readonly left?: number;
}

function type(name: string, cpu: number, ...offerings: readonly Sold[]): object {
  return {
    name,
    architecture: "amd64",
    operatingSystems: ["linux"],
    resources: { cpu: String(cpu), memory: `${cpu * 4}Gi` },
    offerings: offerings.map(({ price, zone = "a", capacityType = "on-demand", rack: value, isAvailable, left }) => ({
      Price: price,
      Available: isAvailable,
      ReservationCapacity: left,
      Requirements: [
        only(zoneLabel, zone),
        only(capacityTypeLabel, capacityType),
        ...(value === undefined ? [] : [only(rack, value)]),
      ],
    })),
  };
}

function only(key: string, ...values: readonly string[]): object {
  return { key, operator: "In", values };
}

function choose(types: readonly object[], spec: object = {}, labels: object = {}): string {
  const { instanceTypes, problems } = readInstanceTypes(types);
  assert.deepEqual(problems, []);
  const outcome = new Offerings(instanceTypes).choose(claimOf({ metadata: { name: "claim", labels }, spec }));
  if (outcome.kind === "unknown-types") return `unknown: ${outcome.names.join(" ")}`;
  if (outcome.kind === "none") return "none";
  const { type: chosen, offering } = outcome.choice;
  const [zone] = offering.requirements.get(zoneLabel)?.values ?? [];
  return `${chosen.name} ${zone} ${offering.price}`;
}

describe("Offerings", () => {
  const small = type("small", 2, { price: 2 }, { price: 1, zone: "b" });
  const large = type("large", 8, { price: 8 }, { price: 5, zone: "b", capacityType: "spot" });

  it("takes the cheapest of all types for a claim that names none", () => {
    assert.equal(choose([large, small]), "small b 1");
  });

  it("takes only types that the claim names", () => {
    assert.equal(choose([large, small], { requirements: [only(typeLabel, "large")] }), "large b 5");
  });

  it("skips types that do not exist, unless there are no others", () => {
    assert.equal(choose([large, small], { requirements: [only(typeLabel, "none", "large")] }), "large b 5");
    assert.equal(choose([large, small], { requirements: [only(typeLabel, "y", "x")] }), "unknown: x y");
  });

  it("takes a type that holds the requests after what the system keeps", () => {
    assert.equal(choose([small, large], { resources: { requests: { cpu: "1900m" } } }), "small b 1");
    assert.equal(choose([small, large], { resources: { requests: { cpu: "2" } } }), "large b 5");
    assert.equal(choose([small, large], { resources: { requests: { "example.com/gpu": "1" } } }), "none");
  });

  it("meets requirements on types and on offerings", () => {
    assert.equal(choose([small, large], { requirements: [only(zoneLabel, "a", "c")] }), "small a 2");
    assert.equal(choose([small, large], { requirements: [only(capacityTypeLabel, "spot")] }), "large b 5");
    assert.equal(choose([small, large], { requirements: [only("kubernetes.io/arch", "arm64")] }), "none");
    const moreThanFour = { key: "karpenter.kwok.sh/instance-cpu", operator: "Gt", values: ["4"] };
    assert.equal(choose([small, large], { requirements: [moreThanFour] }), "large b 5");
  });

  it("leaves labels alone that only the pool gives", () => {
    assert.equal(choose([small], { requirements: [only("example.com/team", "x")] }), "small b 1");
  });

  it("meets requirements on labels of one's own that offerings carry, also where an offering lacks the label", () => {
    const racks = type("racks", 2, { price: 1 }, { price: 2, rack: "x" }, { price: 3, rack: "y" });
    assert.equal(choose([racks], { requirements: [only(rack, "y")] }), "racks a 3");
    assert.equal(choose([racks], { requirements: [{ key: rack, operator: "Exists" }] }), "racks a 2");
    assert.equal(choose([racks], { requirements: [{ key: rack, operator: "DoesNotExist" }] }), "racks a 1");
  });

  it("takes nothing that cannot be had", () => {
    const gone = type("gone", 2, { price: 1, isAvailable: false }, { price: 1, zone: "b", left: 0 }, { price: 9 });
    assert.equal(choose([gone]), "gone a 9");
  });

  it("takes the first by name among equals, whatever their order", () => {
    const [one, two] = [type("one", 2, { price: 1, zone: "b" }, { price: 1 }), type("two", 2, { price: 1 })];
    assert.equal(choose([one, two]), "one a 1");
    assert.equal(choose([two, one]), "one a 1");
  });

  it("says that there is nothing where a named type is too small", () => {
    const requests = { resources: { requests: { cpu: "4" } } };
    assert.equal(choose([small, large], { requirements: [only(typeLabel, "small")], ...requests }), "none");
  });

  it("takes again what the labels of the claim say was taken", () => {
    const labels = { [typeLabel]: "large", [zoneLabel]: "a", "example.com/team": "x" };
    assert.equal(choose([small, large], {}, labels), "large a 8");
  });
});
