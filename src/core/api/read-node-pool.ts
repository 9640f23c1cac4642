import type { InstanceType } from "../model/instance-type.ts";
import {
  isLabelValue,
  isProvisionerName,
  isQualifiedName,
  type Labels,
  nodePoolLabel,
  normalizeLabelKey,
  oldProvisionerNameLabel,
  provisionerNameLabel,
} from "../model/labels.ts";
import type { NodeClassRef, NodePool } from "../model/node-pool.ts";
import type { Taint } from "../model/taints.ts";
import { type Field, nameObject, openObject, quote } from "./field.ts";
import type { Read } from "./problem.ts";
import { readCondition } from "./read-conditions.ts";
import { readDuration } from "./read-duration.ts";
import { labelValueGrammar } from "./read-labels.ts";
import { readPoolLimits } from "./read-pool-limits.ts";
import { readPoolRequirements } from "./read-pool-requirements.ts";
import { checkLabelKey } from "./read-requirement.ts";
import { readTaints } from "./read-taints.ts";

/** Keys, separated by commas, of requirements that a pod's own selector replaces. */
const defaultRequirementsAnnotation = "karpenter.sh/default-requirements";

/** A NodePool, with the machines that its node class can launch. */
export function readNodePool(wire: unknown, instanceTypes: readonly InstanceType[]): Read<NodePool> {
  const pool = openObject(wire, nameObject(wire, "NodePool"));
  const spec = pool.at("spec");
  const template = spec.at("template");
  const replicas = spec.at("replicas").integer(0, Number.MAX_SAFE_INTEGER);
  const requirements = readPoolRequirements(template.at("spec").at("requirements"));
  const taints = readPoolTaints(template.at("spec"));
  if (replicas !== undefined) checkStaticPool(spec);
  checkDurations(spec);
  return pool.log.conclude({
    name: pool.at("metadata").at("name").requiredText(),
    weight: spec.at("weight").integer(1, 100) ?? 0,
    replicas,
    unusableBecause: readUnusableBecause(pool),
    labels: new Map([
      ...readTemplateLabels(template.at("metadata").at("labels")),
      ...readProvisionerName(pool.at("metadata").at("annotations").at(provisionerNameLabel)),
    ]),
    annotations: template.at("metadata").at("annotations").labels(),
    ...taints,
    requirements,
    defaultKeys: readDefaultKeys(pool.at("metadata").at("annotations"), new Set(requirements.keys())),
    limits: readPoolLimits(spec.at("limits")),
    nodeClassRef: readNodeClassRef(template.at("spec").at("nodeClassRef")),
    instanceTypes,
  });
}

/** A pool that nobody has looked at yet, as in a file, counts as ready. */
function readUnusableBecause(pool: Field): string | undefined {
  if (!pool.at("metadata").at("deletionTimestamp").isAbsent) return "it is being deleted";
  const ready = readCondition(pool, "Ready");
  if (ready === undefined || ready.status === "True") return undefined;
  const details = [ready.reason, ready.message].filter((text) => text !== "");
  return ["it is not ready", ...details].join(": ");
}

function readTemplateLabels(field: Field): Labels {
  const labels = new Map<string, string>();
  for (const [written, value] of field.entries(100)) {
    const key = normalizeLabelKey(written);
    if (key === nodePoolLabel || isProvisionerName(key)) {
      value.note("must not be set: every node gets the name of its own pool");
    } else checkLabelKey(value, key);
    const text = value.text() ?? "";
    if (!isLabelValue(text)) value.reject(labelValueGrammar);
    labels.set(key, text);
  }
  return labels;
}

/** A template cannot say it, because the API keeps labels of karpenter.sh to Karpenter: an annotation of the pool does. */
function readProvisionerName(annotation: Field): Labels {
  const name = annotation.text();
  if (name === undefined) return new Map();
  if (!isLabelValue(name)) annotation.reject(labelValueGrammar);
  return new Map([
    [provisionerNameLabel, name],
    [oldProvisionerNameLabel, name],
  ]);
}

function readPoolTaints(spec: Field): Pick<NodePool, "taints" | "startupTaints"> {
  const seen = new Set<string>();
  const read = (field: Field): readonly Taint[] => {
    const taints = readTaints(field);
    for (const { key, value, effect } of taints) {
      if (key !== "" && !isQualifiedName(key)) field.note(`must have label keys, found ${quote(key)}`);
      if (value !== "" && !isQualifiedName(value)) field.note(`must have label values, found ${quote(value)}`);
      const identity = `${key}:${effect}`;
      if (seen.has(identity)) field.note(`must not repeat ${identity}, in taints and startupTaints together`);
      seen.add(identity);
    }
    return taints;
  };
  return { taints: read(spec.at("taints")), startupTaints: read(spec.at("startupTaints")) };
}

function readDefaultKeys(annotations: Field, requirementKeys: ReadonlySet<string>): ReadonlySet<string> {
  const annotation = annotations.at(defaultRequirementsAnnotation);
  const names = (annotation.text() ?? "").split(",").map((name) => normalizeLabelKey(name.trim()));
  const keys = names.filter((name) => name !== "");
  for (const key of keys) {
    if (!requirementKeys.has(key)) annotation.note(`must list keys of requirements, found ${quote(key)}`);
  }
  return new Set(keys);
}

function readNodeClassRef(field: Field): NodeClassRef {
  const group = field.at("group").requiredText();
  if (group.includes("/")) field.at("group").reject("must be a group without a version");
  return { group, kind: field.at("kind").requiredText(), name: field.at("name").requiredText() };
}

/** Claims take these over as they are written. */
function checkDurations(spec: Field): void {
  const template = spec.at("template").at("spec");
  readDuration(spec.at("disruption").at("consolidateAfter"));
  readDuration(template.at("expireAfter"));
  if (template.at("terminationGracePeriod").value === "Never") {
    template.at("terminationGracePeriod").note('must be a duration such as "1h30m", or left out to wait for ever');
  } else readDuration(template.at("terminationGracePeriod"));
}

/** A static pool has as many nodes as it says, so nothing else can bound or rank it. */
function checkStaticPool(spec: Field): void {
  if (!spec.at("weight").isAbsent) spec.at("weight").note("must not be set together with replicas");
  const others = spec
    .at("limits")
    .entries()
    .filter(([name]) => name !== "nodes");
  if (others.length > 0) spec.at("limits").note("must only limit nodes when replicas is set");
}
