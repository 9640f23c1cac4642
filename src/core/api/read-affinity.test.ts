import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeRequirement } from "../model/requirements.ts";
import { Field } from "./field.ts";
import { ProblemLog } from "./problem.ts";
import { readNodeAffinity } from "./read-node-affinity.ts";
import { readPodAffinity } from "./read-pod-affinity.ts";
import { readSelector } from "./read-selector.ts";
import { readTopologySpread } from "./read-topology-spread.ts";

function open(value: unknown): Field {
  return new Field(value, new ProblemLog("Pod x"));
}

function said(field: Field): string[] {
  return field.log.problems.map(({ field, message }) => `${field} ${message}`);
}

function required(...nodeSelectorTerms: unknown[]): Field {
  return open({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } });
}

function expressions(...matchExpressions: unknown[]): object {
  return { matchExpressions };
}

describe("readNodeAffinity", () => {
  it("reads every operator, and puts together what a term says of one label", () => {
    const field = required(
      expressions(
        { key: "failure-domain.beta.kubernetes.io/zone", operator: "In", values: ["a", "b"] },
        { key: "topology.kubernetes.io/zone", operator: "NotIn", values: ["b"] },
        { key: "e", operator: "Exists" },
        { key: "d", operator: "DoesNotExist" },
        { key: "n", operator: "Gt", values: ["-3"] },
        { key: "n", operator: "Lt", values: ["8"] },
      ),
      expressions({ key: "f", operator: "Gte", values: ["1"] }, { key: "g", operator: "Lte", values: ["2"] }),
    );
    assert.deepEqual(readNodeAffinity(field, false), {
      requiredNodeTerms: [
        new Map([
          ["topology.kubernetes.io/zone", makeRequirement("In", ["a"])],
          ["e", makeRequirement("Exists", [])],
          ["d", makeRequirement("DoesNotExist", [])],
          ["n", { ...makeRequirement("Gt", ["-3"]), atMost: 7n }],
        ]),
        new Map([
          ["f", makeRequirement("Gte", ["1"])],
          ["g", makeRequirement("Lte", ["2"])],
        ]),
      ],
      preferredNodeTerms: [],
    });
    assert.deepEqual(said(field), []);
  });

  it("drops alternatives that no node can be, as long as one is left", () => {
    const impossible = expressions(
      { key: "a", operator: "In", values: ["x"] },
      { key: "a", operator: "In", values: ["y"] },
    );
    const absentAndPresent = expressions({ key: "a", operator: "Exists" }, { key: "a", operator: "DoesNotExist" });
    const possible = expressions(
      { key: "a", operator: "NotIn", values: ["x"] },
      { key: "a", operator: "DoesNotExist" },
    );
    const some = required({}, impossible, absentAndPresent, possible);
    assert.deepEqual(readNodeAffinity(some, false).requiredNodeTerms, [
      new Map([["a", makeRequirement("DoesNotExist", [])]]),
    ]);
    assert.deepEqual(said(some), []);
    const none = required({}, impossible);
    readNodeAffinity(none, false);
    assert.deepEqual(said(none), [
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms must have a term that some node could match, found none",
    ]);
  });

  it("says what is wrong with an expression", () => {
    const field = required(
      expressions(
        { key: "a", operator: "In" },
        { key: "a", operator: "Gt", values: ["1", "2"] },
        { key: "a", operator: "Lt", values: ["1.5"] },
        { key: "a", operator: "Is", values: ["x"] },
        { operator: "Exists" },
        { key: "-", operator: "Exists" },
        { key: "kubernetes.io/hostname", operator: "Exists" },
        { key: "a", operator: "In", values: ["no spaces"] },
        { key: "karpenter.sh/capacity-type", operator: "In", values: ["cheap"] },
        { key: "a", operator: "NotIn", values: [] },
        { key: "a", operator: "Exists", values: ["x"] },
        { key: "a", operator: "DoesNotExist", values: ["x", "y"] },
      ),
      { matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] },
    );
    readNodeAffinity(field, false);
    const path = "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    const entry = (index: number) => `${path}[0].matchExpressions[${index}]`;
    assert.deepEqual(said(field), [
      `${path}[1].matchFields is not supported: Karpenter provides nodes by their labels, not by their fields`,
      `${entry(0)}.values must have at least one value for operator In`,
      `${entry(1)}.values must be exactly one whole number for operator Gt, found "1", "2"`,
      `${entry(2)}.values must be exactly one whole number for operator Lt, found "1.5"`,
      `${entry(3)}.operator must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte, found "Is"`,
      `${entry(4)}.key must be a non-empty string, but is missing`,
      `${entry(5)}.key must be a label key such as example.com/team, found "-"`,
      `${entry(6)}.key must not be kubernetes.io/hostname, which Karpenter sets itself`,
      `${entry(7)}.values[0] must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit, found "no spaces"`,
      `${entry(8)}.values must include one of on-demand, spot, reserved, found "cheap"`,
      `${entry(9)}.values must have at least one value for operator NotIn`,
      `${entry(10)}.values must be empty for operator Exists, found "x"`,
      `${entry(11)}.values must be empty for operator DoesNotExist, found "x", "y"`,
    ]);
  });

  it("keeps what a placed pod asks for besides its node", () => {
    const matchFields = [{ key: "metadata.name", operator: "In", values: ["n"] }];
    const terms = (...items: unknown[]) => readNodeAffinity(required(...items), true).requiredNodeTerms;
    assert.deepEqual(terms({ matchFields, ...expressions({ key: "a", operator: "Exists" }) }), [
      new Map([["a", makeRequirement("Exists", [])]]),
    ]);
    assert.deepEqual(terms({ matchFields }, expressions({ key: "a", operator: "Exists" })), []);
  });

  it("reads preferences with their weights, and forgets those that nothing can meet", () => {
    const preference = expressions({ key: "kubernetes.io/hostname", operator: "In", values: ["a"] });
    const field = open({
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 7, preference },
        { weight: 1, preference: {} },
        { weight: 101, preference },
        { preference },
        { weight: 1, preference: expressions({ key: "a", operator: "Exists", values: ["x"] }) },
      ],
    });
    assert.deepEqual(readNodeAffinity(field, false).preferredNodeTerms[0], {
      weight: 7,
      term: new Map([["kubernetes.io/hostname", makeRequirement("In", ["a"])]]),
    });
    assert.deepEqual(said(field), [
      "preferredDuringSchedulingIgnoredDuringExecution[2].weight must be a whole number from 1 to 100, found 101",
      "preferredDuringSchedulingIgnoredDuringExecution[3].weight must be a whole number from 1 to 100, but is missing",
      'preferredDuringSchedulingIgnoredDuringExecution[4].preference.matchExpressions[0].values must be empty for operator Exists, found "x"',
    ]);
  });
});

describe("readPodAffinity", () => {
  it("tells no namespace selector from an empty one", () => {
    const term = {
      topologyKey: "failure-domain.beta.kubernetes.io/zone",
      labelSelector: { matchLabels: { app: "x" } },
    };
    const everywhere = {
      topologyKey: "kubernetes.io/hostname",
      namespaceSelector: {},
      namespaces: ["n"],
      matchLabelKeys: ["v"],
      mismatchLabelKeys: ["w"],
    };
    const field = open({
      requiredDuringSchedulingIgnoredDuringExecution: [term],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: everywhere }],
    });
    assert.deepEqual(readPodAffinity(field), {
      required: [
        {
          topologyKey: "topology.kubernetes.io/zone",
          selector: { expressions: [{ key: "app", operator: "In", values: ["x"] }] },
          namespaces: [],
          namespaceSelector: undefined,
          matchLabelKeys: [],
          mismatchLabelKeys: [],
        },
      ],
      preferred: [
        {
          weight: 5,
          term: {
            topologyKey: "kubernetes.io/hostname",
            selector: undefined,
            namespaces: ["n"],
            namespaceSelector: { expressions: [] },
            matchLabelKeys: ["v"],
            mismatchLabelKeys: ["w"],
          },
        },
      ],
    });
    assert.deepEqual(said(field), []);
  });

  it("needs a topology key and namespaces it can tell", () => {
    const field = open({
      requiredDuringSchedulingIgnoredDuringExecution: [
        { namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      ],
    });
    readPodAffinity(field);
    assert.deepEqual(said(field), [
      "requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey must be a non-empty string, but is missing",
      "requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchExpressions[0].values must have at least one value for operator In",
    ]);
  });
});

describe("readTopologySpread", () => {
  it("honours node affinity and ignores taints unless told otherwise", () => {
    const spread = { topologyKey: "z", maxSkew: 2, whenUnsatisfiable: "ScheduleAnyway" };
    assert.deepEqual(readTopologySpread(open(spread)), {
      topologyKey: "z",
      maxSkew: 2,
      minDomains: undefined,
      isRequired: false,
      selector: undefined,
      matchLabelKeys: [],
      honorsNodeAffinity: true,
      honorsNodeTaints: false,
    });
    const other = {
      ...spread,
      minDomains: 3,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: {},
      matchLabelKeys: ["v"],
      nodeAffinityPolicy: "Ignore",
      nodeTaintsPolicy: "Honor",
    };
    assert.deepEqual(readTopologySpread(open(other)), {
      topologyKey: "z",
      maxSkew: 2,
      minDomains: 3,
      isRequired: true,
      selector: { expressions: [] },
      matchLabelKeys: ["v"],
      honorsNodeAffinity: false,
      honorsNodeTaints: true,
    });
  });

  it("says what is missing or out of bounds", () => {
    const field = open({ topologyKey: "z", maxSkew: 0, minDomains: 0, whenUnsatisfiable: "Maybe" });
    readTopologySpread(field);
    readTopologySpread(field.at("nothing"));
    assert.deepEqual(said(field), [
      'whenUnsatisfiable must be one of DoNotSchedule, ScheduleAnyway, found "Maybe"',
      "maxSkew must be a whole number from 1 to 2147483647, found 0",
      "minDomains must be a whole number from 1 to 2147483647, found 0",
      "nothing.maxSkew must be a whole number greater than 0, but is missing",
      "nothing.whenUnsatisfiable must be one of DoNotSchedule, ScheduleAnyway, but is missing",
      "nothing.topologyKey must be a non-empty string, but is missing",
    ]);
  });

  it("has no use for minDomains where the spread is a wish", () => {
    const field = open({ topologyKey: "z", maxSkew: 1, minDomains: 2, whenUnsatisfiable: "ScheduleAnyway" });
    readTopologySpread(field);
    assert.deepEqual(said(field), ["minDomains must only be set when whenUnsatisfiable is DoNotSchedule"]);
  });
});

describe("readSelector", () => {
  it("has one problem with each mistake", () => {
    const senseless = [
      { matchExpressions: [{ key: "a", operator: "In", values: [] }] },
      { matchExpressions: [{ key: "a", operator: "NotIn" }] },
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
      { matchExpressions: [{ key: "a", operator: "Like", values: ["x"] }] },
      { matchExpressions: [{ key: "a" }] },
      { matchLabels: { b: "c" }, matchExpressions: [{ operator: "Exists" }] },
      { matchExpressions: [{ key: "a b", operator: "Exists" }] },
      { matchLabels: { "a b": "c" } },
      { matchLabels: { a: "-" } },
      { matchLabels: { a: 1 } },
      "app=web",
    ].map(open);
    for (const field of senseless) readSelector(field);
    const operators = "In, NotIn, Exists, DoesNotExist";
    assert.deepEqual(senseless.map(said), [
      ["matchExpressions[0].values must have at least one value for operator In"],
      ["matchExpressions[0].values must have at least one value for operator NotIn"],
      ['matchExpressions[0].values must be empty for operator Exists, found "x"'],
      [`matchExpressions[0].operator must be one of ${operators}, found "Like"`],
      [`matchExpressions[0].operator must be one of ${operators}, but is missing`],
      ["matchExpressions[0].key must be a non-empty string, but is missing"],
      ['matchExpressions[0].key must be a label key such as example.com/team, found "a b"'],
      ['matchLabels["a b"] must be a label key such as example.com/team, found "a b"'],
      [
        'matchLabels.a must be a label value: at most 63 letters, digits, dots, dashes and underscores, the first and last a letter or digit, found "-"',
      ],
      ["matchLabels.a must be a string, found 1"],
      [' must be an object, found "app=web"'],
    ]);
  });

  it("tells no selector from one that selects everything", () => {
    assert.deepEqual([undefined, null, {}].map(open).map(readSelector), [undefined, undefined, { expressions: [] }]);
  });

  it("turns labels into expressions", () => {
    const selector = { matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "NotIn", values: ["d"] }] };
    assert.deepEqual(readSelector(open(selector)), {
      expressions: [
        { key: "a", operator: "In", values: ["b"] },
        { key: "c", operator: "NotIn", values: ["d"] },
      ],
    });
  });
});
