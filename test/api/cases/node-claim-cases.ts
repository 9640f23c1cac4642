import { nodeClaimDefinition } from "../../../src/core/api/definitions/node-claim.ts";
import { type AdmissionCase, casesOf } from "../admission-case.ts";
import { minValuesCases, requirementCases } from "./requirement-cases.ts";
import { taintCases } from "./taint-cases.ts";

const writer = casesOf(nodeClaimDefinition);
const { takes, refuses, refusesChange } = writer;

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const claim = (spec: object = {}) => ({ spec: { nodeClassRef, requirements: [], ...spec } });
const withRequirements = (requirements: readonly object[]) => claim({ requirements });

const fixed = "a NodeClaim cannot change: delete it";
const changes: readonly [string, object][] = [
  ["expiry", { expireAfter: "1h" }],
  ["node class", { nodeClassRef: { ...nodeClassRef, name: "other" } }],
  ["requirement", { requirements: [{ key: "a", operator: "Exists" }] }],
  ["request", { resources: { requests: { cpu: 1 } } }],
  ["taint", { taints: [{ key: "a", effect: "NoSchedule" }] }],
  ["grace period", { terminationGracePeriod: "1h" }],
];

export const nodeClaimCases: readonly AdmissionCase[] = [
  takes("a node class and no requirements", claim()),
  takes("requests", claim({ resources: { requests: { cpu: "500m", memory: "1Gi", pods: 3 } } })),
  refuses("a request in words", claim({ resources: { requests: { cpu: "some" } } }), "should match"),
  takes("the same spec again", claim(), claim()),
  ...changes.map(([what, change]) => refusesChange(`another ${what}`, { from: claim(), to: claim(change) }, fixed)),
  takes("expireAfter Never", claim({ expireAfter: "Never" })),
  refuses("expireAfter 10d", claim({ expireAfter: "10d" }), "write whole hours, minutes and seconds"),
  refuses(
    "terminationGracePeriod Never",
    claim({ terminationGracePeriod: "Never" }),
    "leave the field out for no limit",
  ),
  refuses("no group", claim({ nodeClassRef: { ...nodeClassRef, group: "" } }), "name the API group of the node class"),
  refuses(
    "a group with a version",
    claim({ nodeClassRef: { ...nodeClassRef, group: "a/v1" } }),
    "leave the version out",
  ),
  refuses("no kind", claim({ nodeClassRef: { ...nodeClassRef, kind: "" } }), "name the kind of the node class"),
  refuses("no name", claim({ nodeClassRef: { ...nodeClassRef, name: "" } }), "name the node class"),
  refuses("no node class", { spec: { requirements: [] } }, "nodeClassRef: Required value"),
  refuses("no requirements", { spec: { nodeClassRef } }, "requirements: Required value"),
  refuses("no spec", {}, "spec: Required value"),
  ...requirementCases(writer, withRequirements),
  ...minValuesCases(writer, withRequirements),
  takes("the pool as a requirement", withRequirements([{ key: "karpenter.sh/nodepool", operator: "Exists" }])),
  ...taintCases(writer, claim),
];
