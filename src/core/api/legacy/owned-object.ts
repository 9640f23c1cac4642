import { ec2NodeClassDefinition } from "../definitions/ec2-node-class.ts";
import { nodePoolDefinition } from "../definitions/node-pool.ts";
import { isRecord } from "../field.ts";
import { nodePools } from "../karpenter-resources.ts";
import { applyDefaults } from "../schema/apply-defaults.ts";
import { copyJson } from "../schema/json.ts";
import { readSchema } from "../schema/schema-node.ts";
import { type Owner, provisionerUidAnnotation, type Wanted } from "./translate-provisioner.ts";

const specSchemas = {
  NodePool: specSchemaOf(nodePoolDefinition),
  EC2NodeClass: specSchemaOf(ec2NodeClassDefinition),
};

/** Annotations that mean something to a pool, and that its Provisioner need not have any more. */
const clearedAnnotations = ["karpenter.sh/default-requirements", "karpenter.sh/soft-expire-after"];

/** Whether an object is made of this very Provisioner. */
export function isOwnedBy(live: unknown, { uid, namespace }: Owner): boolean {
  const metadata = isRecord(live) && isRecord(live.metadata) ? live.metadata : {};
  if (namespace !== undefined) return uidOf(live) === uid;
  const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  return references.some((reference) => isRecord(reference) && reference.uid === uid);
}

/** The uid of the Provisioner that an object says it is made of. */
export function uidOf(live: unknown): unknown {
  const metadata = isRecord(live) && isRecord(live.metadata) ? live.metadata : {};
  return isRecord(metadata.annotations) ? metadata.annotations[provisionerUidAnnotation] : undefined;
}

/** The object as it is created. Garbage collection removes it with an owner that is in no namespace either. */
export function newObject({ resource, name, annotations, spec }: Wanted, owner: Owner): object {
  const { apiVersion, kind, uid } = owner;
  // It blocks nothing: some clusters ask for rights on the owner's finalizers where it does.
  const reference = { apiVersion, kind, name: owner.name, uid, controller: true };
  return {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name, annotations, ...(owner.namespace === undefined ? { ownerReferences: [reference] } : {}) },
    spec,
  };
}

/** A merge patch that makes an object what it should be; undefined for one that is. Others may add labels and annotations. */
export function patchToward(live: unknown, wanted: Wanted): object | undefined {
  const { metadata, spec } = isRecord(live) ? live : {};
  const present = isRecord(metadata) && isRecord(metadata.annotations) ? metadata.annotations : {};
  const annotations = Object.entries(wanted.annotations).filter(([key, value]) => present[key] !== value);
  const cleared = wanted.resource === nodePools ? clearedAnnotations : [];
  const stray = cleared.filter((key) => Object.hasOwn(present, key) && !Object.hasOwn(wanted.annotations, key));
  const wholeSpec = copyJson(wanted.spec);
  // The API fills these in, and would put them back.
  applyDefaults(specSchemas[wanted.resource.kind], wholeSpec);
  const specPatch = mergePatch(spec, wholeSpec);
  const patch = {
    ...(annotations.length + stray.length === 0
      ? {}
      : { metadata: { annotations: Object.fromEntries([...annotations, ...stray.map((key) => [key, null])]) } }),
    ...(specPatch === undefined ? {} : { spec: specPatch }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Undefined where both are the same. */
function mergePatch(from: unknown, to: unknown): unknown {
  if (!isRecord(from) || !isRecord(to))
    return JSON.stringify(sorted(from)) === JSON.stringify(sorted(to)) ? undefined : to;
  const changed = Object.entries(to).flatMap(([key, value]) => {
    const patch = mergePatch(Object.hasOwn(from, key) ? from[key] : undefined, value);
    return patch === undefined ? [] : [[key, patch] as const];
  });
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  if (changed.length + gone.length === 0) return undefined;
  return Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]);
}

/** With the keys of every map in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)] as const));
}

function specSchemaOf({ spec: { versions } }: typeof nodePoolDefinition) {
  return readSchema(versions[0].schema.openAPIV3Schema).properties.get("spec");
}
