import type { AdmissionCase, CaseWriter } from "../admission-case.ts";

const name = "write a name such as team or example.com/team";
const bound = "a bound that lets the API server afford the rule with words for people; no node can have such a taint";

/** What taints and startup taints have in common wherever they stand. */
export function taintCases(
  { takes, refuses }: CaseWriter,
  objectWith: (spec: object) => object,
): readonly AdmissionCase[] {
  return ["taints", "startupTaints"].flatMap((list) => {
    const one = (taint: object) => objectWith({ [list]: [{ key: "a", effect: "NoSchedule", ...taint }] });
    const many = (count: number) => objectWith({ [list]: Array(count).fill({ key: "a", effect: "NoSchedule" }) });
    return [
      ...["NoSchedule", "PreferNoSchedule", "NoExecute"].map((effect) => takes(`${list}: ${effect}`, one({ effect }))),
      takes(`${list}: all parts`, one({ key: "example.com/a", value: "b", timeAdded: "2026-01-31T12:00:00Z" })),
      takes(`${list}: a value like a key`, one({ value: "example.com/b" })),
      takes(`${list}: the same twice`, many(2)),
      refuses(`${list}: the effect Never`, one({ effect: "Never" }), 'supported values: "NoSchedule"'),
      refuses(`${list}: no effect`, objectWith({ [list]: [{ key: "a" }] }), "effect: Required value"),
      refuses(`${list}: no key`, objectWith({ [list]: [{ effect: "NoSchedule" }] }), "key: Required value"),
      refuses(`${list}: an empty key`, one({ key: "" }), name),
      refuses(`${list}: a key with a space`, one({ key: "a b" }), name),
      refuses(`${list}: a value with a space`, one({ value: "a b" }), name),
      refuses(`${list}: an empty value`, one({ value: "" }), name),
      { ...refuses(`${list}: a key of 318 letters`, one({ key: "x".repeat(318) }), "Too long"), unlikeUpstream: bound },
      { ...refuses(`${list}: 1001 of them`, many(1001), "must have at most 1000 items"), unlikeUpstream: bound },
    ];
  });
}
