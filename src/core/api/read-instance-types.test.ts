import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceType } from "../model/instance-type.ts";
import { makeRequirement } from "../model/requirements.ts";
import { describeProblem } from "./problem.ts";
import { readInstanceTypes } from "./read-instance-types.ts";

function offering(zone: string, capacityType: string, rest: object = {}): object {
  return {
    Price: 0.5,
    Requirements: [
      { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
      { key: "karpenter.sh/capacity-type", operator: "In", values: [capacityType] },
    ],
    ...rest,
  };
}

function entry(rest: object = {}): object {
  return {
    name: "m5.2xlarge",
    architecture: "x86_64",
    operatingSystems: ["linux"],
    resources: { cpu: "8", memory: "16Gi" },
    offerings: [offering("a", "spot")],
    ...rest,
  };
}

function readOne(rest: object): InstanceType {
  const { instanceTypes, problems } = readInstanceTypes([entry(rest)]);
  assert.deepEqual(problems, []);
  return instanceTypes[0] ?? assert.fail();
}

function problemsOf(...catalogue: unknown[]): string[] {
  return readInstanceTypes(catalogue).problems.map(describeProblem);
}

const only = (...values: string[]) => makeRequirement("In", values);

describe("readInstanceTypes", () => {
  it("reads labels, sizes and offerings of a machine", () => {
    const offerings = [offering("a", "spot"), offering("b", "on-demand", { Price: 1, Available: false })];
    assert.deepEqual(readOne({ offerings }), {
      name: "m5.2xlarge",
      requirements: new Map([
        ["node.kubernetes.io/instance-type", only("m5.2xlarge")],
        ["kubernetes.io/arch", only("x86_64")],
        ["kubernetes.io/os", only("linux")],
        ["karpenter.kwok.sh/instance-size", only("2xlarge")],
        ["karpenter.kwok.sh/instance-family", only("m5")],
        ["karpenter.kwok.sh/instance-cpu", only("8")],
        ["karpenter.kwok.sh/instance-memory", only("16Gi")],
        ["topology.kubernetes.io/zone", only("a", "b")],
        ["karpenter.sh/capacity-type", only("spot", "on-demand")],
      ]),
      capacity: new Map([
        ["pods", 110],
        ["cpu", 8000],
        ["memory", 16 * 2 ** 30],
      ]),
      allocatable: new Map([
        ["pods", 110],
        ["cpu", 7900],
        ["memory", 16 * 2 ** 30 - 10 * 2 ** 20],
      ]),
      offerings: [
        {
          requirements: new Map([
            ["topology.kubernetes.io/zone", only("a")],
            ["karpenter.sh/capacity-type", only("spot")],
          ]),
          price: 0.5,
          isAvailable: true,
          reservationCapacity: undefined,
          reservationId: undefined,
          allocatable: undefined,
        },
        {
          requirements: new Map([
            ["topology.kubernetes.io/zone", only("b")],
            ["karpenter.sh/capacity-type", only("on-demand")],
          ]),
          price: 1,
          isAvailable: false,
          reservationCapacity: undefined,
          reservationId: undefined,
          allocatable: undefined,
        },
      ],
    });
  });

  it("reads reservations", () => {
    const reserved = offering("a", "reserved", { ReservationCapacity: 3 }) as { Requirements: object[] };
    reserved.Requirements.push({ key: "karpenter.kwok.sh/reservation-id", operator: "In", values: ["r-1"] });
    const [read] = readOne({ offerings: [reserved] }).offerings;
    assert.deepEqual([read?.reservationCapacity, read?.reservationId], [3, "r-1"]);
  });

  it("tells family and size from the name, or guesses them", () => {
    const label = (name: string) => {
      const { requirements } = readOne({ name });
      return ["family", "size"].map(
        (what) => [...(requirements.get(`karpenter.kwok.sh/instance-${what}`)?.values ?? [])][0],
      );
    };
    assert.deepEqual(["m5.large", "c7i.metal-24xl", "s-4x-amd64-linux", "n2", "u-6tb1.metal"].map(label), [
      ["m5", "large"],
      ["c7i", "8"],
      ["s", "8"],
      ["n", "8"],
      ["u", "8"],
    ]);
  });

  it("takes huge pages out of memory", () => {
    const { allocatable } = readOne({ resources: { cpu: 1, memory: "1Gi", "hugepages-2Mi": "512Mi" } });
    assert.equal(allocatable.get("memory"), (1024 - 10 - 512) * 2 ** 20);
  });

  it("leaves out an entry that is wrong and keeps the others", () => {
    const { instanceTypes, problems } = readInstanceTypes([entry({ offerings: [] }), entry({ name: "a" }), null]);
    assert.deepEqual(
      instanceTypes.map(({ name }) => name),
      ["a"],
    );
    assert.deepEqual(problems.map(describeProblem), [
      'InstanceType "m5.2xlarge": offerings must have at least one offering.',
      "InstanceType [2] must be an object.",
    ]);
  });

  it("says what is wrong with an entry", () => {
    const prices = [-1, Number.NaN, "free", undefined].map((Price) => offering("a", "spot", { Price }));
    const about = (field: string, message: string) => `InstanceType "m5.2xlarge": ${field} ${message}.`;
    const expected = "must be a price in dollars an hour, from 0 to 100000";
    assert.deepEqual(problemsOf(entry({ offerings: [prices[0], prices[2], prices[3]] })), [
      about("offerings[0].Price", `${expected}, found -1`),
      about("offerings[1].Price", `${expected}, found "free"`),
      about("offerings[2].Price", `${expected}, but is missing`),
    ]);
    assert.deepEqual(problemsOf(entry({ offerings: [prices[1]] })), [
      'InstanceType "m5.2xlarge" holds something that JSON has no word for.',
    ]);
    assert.deepEqual(
      problemsOf(entry({ name: undefined, architecture: 1, operatingSystems: [], resources: { cpu: "x" } })),
      [
        "InstanceType [0]: name must be a non-empty string, but is missing.",
        "InstanceType [0]: resources.memory must be a quantity, but is missing.",
        'InstanceType [0]: resources.cpu must be a quantity such as "500m" or "2Gi", found "x".',
        "InstanceType [0]: operatingSystems must name at least one operating system.",
        "InstanceType [0]: architecture must be a string, found 1.",
      ],
    );
    assert.deepEqual(problemsOf(entry({ offerings: [offering("a", "spot", { Requirements: [] })] })), [
      about("offerings[0].Requirements", "must name exactly one topology.kubernetes.io/zone"),
      about("offerings[0].Requirements", "must name exactly one karpenter.sh/capacity-type"),
    ]);
    assert.deepEqual(problemsOf(entry(), entry()), [
      about("name", "must be a name of its own, but an earlier entry has it"),
    ]);
  });

  it("says so when an amount is something that cannot be made a string", () => {
    const odd = JSON.parse('{"cpu": {"toString": false}, "memory": {"valueOf": 0, "toString": 0}}');
    const expected = 'must be a quantity such as "500m" or "2Gi", found an object';
    assert.deepEqual(problemsOf(entry({ resources: odd })), [
      `InstanceType "m5.2xlarge": resources.cpu ${expected}.`,
      `InstanceType "m5.2xlarge": resources.memory ${expected}.`,
    ]);
  });

  it("needs a list", () => {
    assert.deepEqual(readInstanceTypes({}).problems.map(describeProblem), [
      "Catalogue of instance types must be a list of instance types.",
    ]);
  });
});
