import { nodePoolDefinition } from "../../../src/core/api/definitions/node-pool.ts";
import { type AdmissionCase, casesOf } from "../admission-case.ts";
import { minValuesCases, requirementCases } from "./requirement-cases.ts";
import { taintCases } from "./taint-cases.ts";

const writer = casesOf(nodePoolDefinition);
const { takes, refuses, refusesChange } = writer;

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const template = (spec: object, metadata?: object) => ({
  template: { ...(metadata === undefined ? {} : { metadata }), spec: { nodeClassRef, requirements: [], ...spec } },
});
/** With these in the spec. */
const pool = (spec: object = {}) => ({ spec: { ...template({}), ...spec } });
/** With these in the template's spec. */
const poolOf = (spec: object) => ({ spec: template(spec) });
const withRequirements = (requirements: readonly object[]) => poolOf({ requirements });
const labelled = (labels: object) => ({ spec: template({}, { labels }) });
const disrupted = (disruption: object) => pool({ disruption: { consolidateAfter: "0s", ...disruption } });
const budgeted = (budget: object) => disrupted({ budgets: [budget] });

const durationOrNever = "write whole hours, minutes and seconds, such as 30s or 1h30m (30 days are 720h), or Never";
const duration = "write whole hours, minutes and seconds, such as 30s or 1h30m; leave the field out for no limit";

const durations: AdmissionCase[] = [
  ...["30s", "1h30m", "Never"].flatMap((text) => [
    takes(`expireAfter ${text}`, poolOf({ expireAfter: text })),
    takes(`consolidateAfter ${text}`, disrupted({ consolidateAfter: text })),
  ]),
  ...["-30s", "1.5h", "10d", "", "never", "100ms"].flatMap((text) => [
    refuses(`expireAfter "${text}"`, poolOf({ expireAfter: text }), durationOrNever),
    refuses(`consolidateAfter "${text}"`, disrupted({ consolidateAfter: text }), durationOrNever),
  ]),
  ...["30s", "1m30s"].map((text) => takes(`terminationGracePeriod ${text}`, poolOf({ terminationGracePeriod: text }))),
  ...["Never", "-30s", "1.5h", "10d", ""].map((text) =>
    refuses(`terminationGracePeriod "${text}"`, poolOf({ terminationGracePeriod: text }), duration),
  ),
  refuses("a number for a duration", poolOf({ expireAfter: 30 }), "must be of type string"),
];

const budgetNodes = "write a number of nodes such as";
const budgetDuration = "write whole hours, minutes or both";
const budgetPair = "a budget with a schedule needs a duration";
const budgetSchedule = "write a cron schedule in UTC";
const inBudget = { nodes: "1", schedule: "0 9 * * mon-fri", duration: "8h" };
const elsewhere = "a bound that lets the API server afford the rule with words for people";

const budgets: AdmissionCase[] = [
  ...["0", "15", "0%", "100%"].map((nodes) => takes(`a budget of ${nodes}`, budgeted({ nodes }))),
  ...["101%", "-1", "1.5", "abc", ""].map((nodes) =>
    refuses(`a budget of "${nodes}"`, budgeted({ nodes }), budgetNodes),
  ),
  takes("a budget without nodes", budgeted({})),
  refuses("a budget of a number", budgeted({ nodes: 5 }), "must be of type string"),
  takes("a schedule with a duration", budgeted(inBudget)),
  takes("no budgets", disrupted({ budgets: [] })),
  refuses("a schedule without a duration", budgeted({ nodes: "1", schedule: "@daily" }), budgetPair),
  refuses("a duration without a schedule", budgeted({ nodes: "1", duration: "1h" }), budgetPair),
  ...["1h30m", "90m", "1h30m0s", "8h0s"].map((text) =>
    takes(`a budget for ${text}`, budgeted({ ...inBudget, duration: text })),
  ),
  ...["30s", "1m30s", "30m1h", "Never"].map((text) =>
    refuses(`a budget for ${text}`, budgeted({ ...inBudget, duration: text }), budgetDuration),
  ),
  ...["@daily", "@daily and more", "* * * * *", "a b c d e"].map((schedule) =>
    takes(`the schedule ${schedule}`, budgeted({ ...inBudget, schedule })),
  ),
  ...["* * * *", "@never", ""].map((schedule) =>
    refuses(`the schedule "${schedule}"`, budgeted({ ...inBudget, schedule }), budgetSchedule),
  ),
  {
    ...refuses(
      "a schedule of 300 letters",
      budgeted({ ...inBudget, schedule: `@daily${" ".repeat(294)}` }),
      "Too long",
    ),
    unlikeUpstream: elsewhere,
  },
  takes("50 budgets", disrupted({ budgets: Array(50).fill({ nodes: "1" }) })),
  refuses("51 budgets", disrupted({ budgets: Array(51).fill({ nodes: "1" }) }), "must have at most 50 items"),
  takes("reasons", budgeted({ nodes: "1", reasons: ["Drifted", "Empty"] })),
  refuses("the reason Expired", budgeted({ nodes: "1", reasons: ["Expired"] }), 'supported values: "Underutilized"'),
  refuses("a reason twice", budgeted({ nodes: "1", reasons: ["Empty", "Empty"] }), 'Duplicate value: "Empty"'),
];

const disruption: AdmissionCase[] = [
  takes("a node class and no requirements", pool()),
  ...["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"].map((consolidationPolicy) =>
    takes(`the policy ${consolidationPolicy}`, disrupted({ consolidationPolicy })),
  ),
  refuses("the policy Always", disrupted({ consolidationPolicy: "Always" }), 'supported values: "WhenEmpty"'),
  refuses("disruption without consolidateAfter", pool({ disruption: {} }), "consolidateAfter: Required value"),
];

const staticLimits = "with replicas, only limits.nodes is possible: remove the other limits";
const staticWeight = "weight has no meaning with replicas: remove one of them";
const staticForGood = "a pool with replicas stays one, and one without stays without";

const sizes: AdmissionCase[] = [
  ...[1, 100].map((weight) => takes(`weight ${weight}`, pool({ weight }))),
  refuses("weight 0", pool({ weight: 0 }), "should be greater than or equal to 1"),
  refuses("weight 101", pool({ weight: 101 }), "should be less than or equal to 100"),
  takes("limits", pool({ limits: { cpu: "1500m", memory: "2Ti", nodes: 10, "example.com/gpu": "1e3" } })),
  refuses("a limit in words", pool({ limits: { cpu: "many" } }), "should match"),
  ...[0, 3].map((replicas) => takes(`${replicas} replicas`, pool({ replicas }))),
  refuses("-1 replicas", pool({ replicas: -1 }), "should be greater than or equal to 0"),
  refuses("replicas with a weight", pool({ replicas: 1, weight: 1 }), staticWeight),
  refuses("replicas with a limit of cpu", pool({ replicas: 1, limits: { cpu: 1 } }), staticLimits),
  refuses("replicas with two limits", pool({ replicas: 1, limits: { cpu: 1, nodes: 1 } }), staticLimits),
  takes("replicas with a limit of nodes", pool({ replicas: 1, limits: { nodes: 1 } })),
  takes("replicas with empty limits", pool({ replicas: 1, limits: {} })),
  takes("other replicas", pool({ replicas: 2 }), pool({ replicas: 1 })),
  refusesChange("replicas after none", { from: pool(), to: pool({ replicas: 1 }) }, staticForGood),
  refusesChange("no replicas any more", { from: pool({ replicas: 0 }), to: pool() }, staticForGood),
];

const otherClass = (part: object) => poolOf({ nodeClassRef: { ...nodeClassRef, ...part } });

const nodeClasses: AdmissionCase[] = [
  takes("another node class", otherClass({ name: "other" }), pool()),
  refusesChange("another group", { from: pool(), to: otherClass({ group: "other" }) }, "the group cannot change"),
  refusesChange("another kind", { from: pool(), to: otherClass({ kind: "Other" }) }, "the kind cannot change"),
  refuses("a group with a version", otherClass({ group: "a/v1" }), "leave the version out"),
  refuses("an empty group", otherClass({ group: "" }), "name the API group of the node class"),
  refuses("an empty kind", otherClass({ kind: "" }), "name the kind of the node class"),
  refuses("an empty name", otherClass({ name: "" }), "name the node class"),
  refuses("no name", poolOf({ nodeClassRef: { group: "a", kind: "B" } }), "nodeClassRef.name: Required value"),
  refuses("no node class", { spec: { template: { spec: { requirements: [] } } } }, "nodeClassRef: Required value"),
  refuses("no requirements", { spec: { template: { spec: { nodeClassRef } } } }, "requirements: Required value"),
  refuses("no template", { spec: {} }, "template: Required value"),
  refuses("no spec", {}, "spec: Required value"),
];

const ownDomain = "labels of karpenter.sh are set by Karpenter: take a domain of your own";
const labelValue = "write letters, digits, dots, dashes and underscores, the first and last a letter or digit";
const manyLabels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`label-${i}`, ""]));

const labels: AdmissionCase[] = [
  takes("labels", labelled({ team: "a", "example.com/tier": "", "kubernetes.io/foo": "x.y_z-1" })),
  takes("the capacity type as a label", labelled({ "karpenter.sh/capacity-type": "spot" })),
  refuses("the pool as a label", labelled({ "karpenter.sh/nodepool": "x" }), "with the name of its pool: leave it out"),
  ...["karpenter.sh/anything", "a.karpenter.sh/b", "mykarpenter.sh/b"].map((key) =>
    refuses(`the label ${key}`, labelled({ [key]: "x" }), ownDomain),
  ),
  refuses("the host name as a label", labelled({ "kubernetes.io/hostname": "x" }), "set by the kubelet: leave it out"),
  ...["a b", "-a", "a-", "ä"].map((value) => refuses(`the value "${value}"`, labelled({ team: value }), labelValue)),
  refuses("a value of 64 letters", labelled({ team: "x".repeat(64) }), "Too long"),
  takes("100 labels", labelled(manyLabels(100))),
  refuses("101 labels", labelled(manyLabels(101)), "must have at most 100 items"),
  takes("annotations", { spec: template({}, { annotations: { "any thing": "at all" } }) }),
];

export const nodePoolCases: readonly AdmissionCase[] = [
  ...disruption,
  ...durations,
  ...budgets,
  ...sizes,
  ...nodeClasses,
  ...labels,
  ...requirementCases(writer, withRequirements),
  ...minValuesCases(writer, withRequirements),
  refuses(
    "the pool as a requirement",
    withRequirements([{ key: "karpenter.sh/nodepool", operator: "Exists" }]),
    "with the name of its pool: leave it out",
  ),
  ...taintCases(writer, poolOf),
];
