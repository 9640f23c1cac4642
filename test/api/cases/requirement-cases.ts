import type { AdmissionCase, CaseWriter } from "../admission-case.ts";

const inNeeds = "operator In needs values: list at least one";
const number = "operators Gt, Lt, Gte and Lte compare numbers: give exactly one value, a whole number from 0";
const ownDomain = "labels of karpenter.sh are set by Karpenter: take a domain of your own";

/** What requirements have in common wherever they stand. */
export function requirementCases(
  { takes, refuses }: CaseWriter,
  objectWith: (requirements: readonly object[]) => object,
): readonly AdmissionCase[] {
  const one = (entry: object) => objectWith([{ key: "example.com/a", ...entry }]);
  const keyed = (key: string) => objectWith([{ key, operator: "Exists" }]);
  return [
    takes("In", one({ operator: "In", values: ["x", "y"] })),
    takes("NotIn", one({ operator: "NotIn", values: ["x"] })),
    takes("Exists", one({ operator: "Exists" })),
    takes("Exists with values", one({ operator: "Exists", values: ["x"] })),
    takes("DoesNotExist", one({ operator: "DoesNotExist", values: [] })),
    refuses("In without values", one({ operator: "In" }), inNeeds),
    refuses("In with no value", one({ operator: "In", values: [] }), inNeeds),
    refuses("Equals", one({ operator: "Equals", values: ["x"] }), 'supported values: "Gte", "Lte", "In"'),
    refuses("no operator", one({}), "operator: Required value"),
    refuses("no key", objectWith([{ operator: "Exists" }]), "key: Required value"),
    ...["Gt", "Lt", "Gte", "Lte"].flatMap((operator) => [
      takes(`${operator} 0`, one({ operator, values: ["0"] })),
      refuses(`${operator} 1 and 2`, one({ operator, values: ["1", "2"] }), number),
      refuses(`${operator} -1`, one({ operator, values: ["-1"] }), number),
    ]),
    ...["7", "007", "+7", "-0", "9223372036854775807"].map((text) =>
      takes(`Gt ${text}`, one({ operator: "Gt", values: [text] })),
    ),
    ...["1.5", "x", "", " 7", "0x7", "1e3", "9223372036854775808"].map((text) =>
      refuses(`Gt "${text}"`, one({ operator: "Gt", values: [text] }), number),
    ),
    refuses("Gt without values", one({ operator: "Gt" }), number),
    refuses("Gt with no value", one({ operator: "Gt", values: [] }), number),
    takes("values that no label has", one({ operator: "In", values: ["a b", "x".repeat(64)] })),
    refuses("a number as a value", one({ operator: "In", values: [7] }), "must be of type string"),
    ...["team", "example.com/team", "kubernetes.io/foo", "karpenter.sh/capacity-type"].map((key) =>
      takes(`the key ${key}`, keyed(key)),
    ),
    ...["karpenter.sh/anything", "a.karpenter.sh/b", "mykarpenter.sh/b"].map((key) =>
      refuses(`the key ${key}`, keyed(key), ownDomain),
    ),
    refuses("the host name as a key", keyed("kubernetes.io/hostname"), "set by the kubelet: leave it out"),
    ...["a b", "/a", "a/", "Example.com/a", "a/b/c", "-a", ""].map((key) =>
      refuses(`the key "${key}"`, keyed(key), "write a name such as team or example.com/team"),
    ),
    takes("a key of 316 letters", keyed("x".repeat(316))),
    refuses("a key of 317 letters", keyed("x".repeat(317)), "Too long"),
    takes("100 requirements", objectWith(Array(100).fill({ key: "a", operator: "Exists" }))),
    refuses(
      "101 requirements",
      objectWith(Array(101).fill({ key: "a", operator: "Exists" })),
      "must have at most 100 items",
    ),
  ];
}

/** What only pools and claims can ask for. */
export function minValuesCases(
  { takes, refuses }: CaseWriter,
  objectWith: (requirements: readonly object[]) => object,
): readonly AdmissionCase[] {
  const one = (entry: object) => objectWith([{ key: "example.com/a", ...entry }]);
  const tooFew = "operator In with minValues needs at least that many values: list more values or lower minValues";
  return [
    takes("NotIn without values", one({ operator: "NotIn" })),
    takes("minValues 50", one({ operator: "Exists", minValues: 50 })),
    refuses("minValues 0", one({ operator: "Exists", minValues: 0 }), "should be greater than or equal to 1"),
    refuses("minValues 51", one({ operator: "Exists", minValues: 51 }), "should be less than or equal to 50"),
    takes("In 2 with minValues 2", one({ operator: "In", values: ["x", "y"], minValues: 2 })),
    refuses("In 2 with minValues 3", one({ operator: "In", values: ["x", "y"], minValues: 3 }), tooFew),
    takes("NotIn 2 with minValues 3", one({ operator: "NotIn", values: ["x", "y"], minValues: 3 })),
    takes("Exists with minValues 3", one({ operator: "Exists", minValues: 3 })),
  ];
}
