import { awsWellKnownLabels } from "../../adapters/aws/aws-labels.ts";
import { wellKnownLabelsOf } from "../../adapters/kwok/kwok-provider.ts";
import { kwokNodeClasses } from "../../adapters/kwok/node-class.ts";
import { nameObject, openObject } from "../../core/api/field.ts";
import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import { readNodePool } from "../../core/api/read-node-pool.ts";
import { readPoolDisruption } from "../../core/api/read-pool-disruption.ts";
import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { normalizeLabelKey } from "../../core/model/labels.ts";
import type { NodeClassRef, NodePool } from "../../core/model/node-pool.ts";
import { ec2TypesOf, givenEc2Types } from "./ec2-pool-types.ts";
import type { Finding } from "./finding.ts";
import { isOurs, lintObject } from "./lint-object.ts";
import { lintOverlaps, type NamedPool } from "./lint-overlaps.ts";
import { lintPool, type PoolTypes } from "./lint-pool.ts";

export interface LintSettings {
  /** Of simulated machines, and of EC2 unless its own list is taken. */
  readonly instanceTypes: readonly InstanceType[];
  /** Judge pools on EC2 by the list of its machines that is built in. */
  readonly isOfEc2: boolean;
  readonly now: number;
}

export interface LintResult {
  readonly findings: readonly Finding[];
  /** How many objects were looked at. */
  readonly objects: number;
  /** How many are not Karpenter's. */
  readonly others: number;
}

/** Looks at manifests as they stand together in files, with no cluster at hand. */
export function lintManifests(wires: readonly unknown[], settings: LintSettings): LintResult {
  const { instanceTypes, now } = settings;
  const objects = wires.flatMap(unpack);
  const ours = objects.filter(isOurs);
  const typesFor = typesByClass(ours, settings);
  const findings: Finding[] = [...lintNames(ours)];
  const pools: NamedPool[] = [];
  for (const wire of ours) {
    findings.push(...lintObject(wire));
    if (wire.kind !== "NodePool" || wire.apiVersion !== "karpenter.sh/v1") continue;
    const object = nameObject(wire, "NodePool");
    const read = readNodePool(wire, []);
    if (read.problems !== undefined) continue;
    const isOnEc2 = read.value.nodeClassRef.group === ec2NodeClasses.group;
    const types = typesFor(read.value.nodeClassRef);
    const pool = { ...read.value, instanceTypes: types.instanceTypes };
    const wellKnownLabels = isOnEc2 ? awsWellKnownLabels : wellKnownLabelsOf(instanceTypes);
    const disruption = readPoolDisruption(openObject(wire, object));
    findings.push(
      ...lintPool({ object, pool, types, disruption, wellKnownLabels, now, pathOf: pathsIn(wire) }),
      ...lintNodeClass(object, pool, ours),
    );
    pools.push({ object, pool, types });
  }
  return {
    findings: [...findings, ...lintOverlaps(pools)].toSorted(
      (a, b) => Number(a.severity !== "error") - Number(b.severity !== "error"),
    ),
    objects: ours.length,
    others: objects.length - ours.length,
  };
}

/** What can be bought with a node class, made once for each. */
function typesByClass(
  objects: readonly JsonObject[],
  { instanceTypes, isOfEc2 }: LintSettings,
): (ref: NodeClassRef) => PoolTypes {
  const named = `${instanceTypes.length} types`;
  const simulated: PoolTypes = { instanceTypes, unjudged: new Set(), named };
  const made = new Map<JsonObject | undefined, PoolTypes>();
  return ({ group, name }) => {
    if (group !== ec2NodeClasses.group) return simulated;
    const nodeClass = objects.find(({ kind, metadata }) => {
      return kind === ec2NodeClasses.kind && isJsonObject(metadata) && metadata.name === name;
    });
    const types = made.get(nodeClass) ?? (isOfEc2 ? ec2TypesOf(nodeClass) : givenEc2Types(instanceTypes));
    made.set(nodeClass, types);
    return types;
  };
}

/** As in `spec.template.spec.requirements[2]`. */
function pathsIn(wire: JsonObject): (key: string) => string {
  const field = openObject(wire, "").at("spec").at("template").at("spec").at("requirements");
  const keys = field.items().map((item) => ({ path: item.path, key: normalizeLabelKey(item.at("key").text() ?? "") }));
  return (key) => keys.find((one) => one.key === key)?.path ?? field.path;
}

/** A List is the objects in it. */
function unpack(wire: unknown): readonly JsonObject[] {
  if (!isJsonObject(wire)) return [];
  return wire.kind === "List" && Array.isArray(wire.items) ? wire.items.filter(isJsonObject) : [wire];
}

function lintNames(objects: readonly JsonObject[]): readonly Finding[] {
  const seen = new Set<string>();
  return objects.flatMap((wire): Finding[] => {
    const object = nameObject(wire, String(wire.kind));
    const key = `${wire.apiVersion} ${object}`;
    const isAgain = seen.has(key);
    seen.add(key);
    if (!isAgain) return [];
    const message = "is there twice, and only the last counts";
    return [{ severity: "error", object, path: "metadata.name", message, fix: "rename or remove one of them" }];
  });
}

const path = "spec.template.spec.nodeClassRef";

function lintNodeClass(object: string, { nodeClassRef }: NodePool, objects: readonly JsonObject[]): readonly Finding[] {
  const { group, kind, name } = nodeClassRef;
  const isKnown = [ec2NodeClasses, kwokNodeClasses].some((one) => one.group === group && one.kind === kind);
  if (!isKnown) {
    const message = `refers to a ${kind} of ${group}, which no cloud here has`;
    const fix = `say {group: ${ec2NodeClasses.group}, kind: ${ec2NodeClasses.kind}, name: ${name}} on AWS`;
    return [{ severity: "error", object, path, message, fix }];
  }
  const classes = objects.filter((wire) => wire.kind === kind && String(wire.apiVersion).startsWith(`${group}/`));
  const names = classes.map(({ metadata }) => (isJsonObject(metadata) ? String(metadata.name) : ""));
  if (names.includes(name)) return [];
  const message = `refers to ${kind} "${name}", which is not in these files`;
  const fix =
    names.length === 0
      ? `see that the cluster has it: kubectl get ${kind.toLowerCase()} ${name}`
      : `use one of ${names.join(", ")}, or add it`;
  return [{ severity: names.length === 0 ? "warning" : "error", object, path: `${path}.name`, message, fix }];
}
