import { instanceTypeLabel, isProvisionerName, type Labels, nodePoolLabel, wellKnownLabels } from "../model/labels.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { toEntries } from "../model/requirement-entries.ts";
import {
  anyValue,
  intersectAll,
  makeRequirement,
  operatorOf,
  type Requirements,
  requirementsFromLabels,
} from "../model/requirements.ts";
import type { Resources } from "../model/resources.ts";
import type { Taint } from "../model/taints.ts";
import { nodePoolHashAnnotations } from "./drift-hash.ts";
import { writeResources } from "./write-resources.ts";

export const terminationFinalizer = "karpenter.sh/termination";
const minValuesRelaxedAnnotation = "karpenter.sh/nodeclaim-min-values-relaxed";

/** What a claim says beyond its pool's template. A claim of a static pool says no more. */
export interface ClaimDetails {
  readonly name: string;
  readonly requirements: Requirements;
  /** Names, the cheapest first; none leaves it to the cloud. */
  readonly instanceTypes: readonly string[];
  readonly requests: Resources;
  readonly isMinValuesRelaxed: boolean;
  /** Labels of the cloud, which decides what they are. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** Besides those of the template. */
  readonly annotations?: Labels;
}

/** No more instance types are named than this; the cheapest are. */
const mostInstanceTypes = 600;

/** The NodeClaim for a new machine of a pool that has no problems. */
export function writeNodeClaim(object: NodePoolObject, details: ClaimDetails): object {
  const { pool } = object;
  if (pool === undefined) throw new Error(`NodePool "${object.name}" has problems and can have no claims`);
  const labels = new Map([...pool.labels, [nodePoolLabel, object.name]]);
  const requirements = intersectAll(details.requirements, requirementsFromLabels(labels), namedTypes(details, object));
  const { group, kind, name } = object.nodeClassRef;
  // It is a label and no more: the API takes no requirement for it.
  const entries = toEntries(requirements).filter(({ key }) => !isProvisionerName(key));
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: {
      name: details.name,
      labels: {
        ...Object.fromEntries(customLabels(requirements, details.wellKnownLabels)),
        ...Object.fromEntries(labels),
        [nodeClassLabel(object.nodeClassRef)]: name,
      },
      annotations: {
        ...Object.fromEntries(pool.annotations),
        ...nodePoolHashAnnotations(object.hash),
        [minValuesRelaxedAnnotation]: String(details.isMinValuesRelaxed),
        ...Object.fromEntries(details.annotations ?? []),
      },
      finalizers: [terminationFinalizer],
      ownerReferences: [
        {
          apiVersion: "karpenter.sh/v1",
          kind: "NodePool",
          name: object.name,
          uid: object.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      requirements: entries.map(({ key, operator, values, minValues }) => ({
        key,
        operator,
        ...(values.length === 0 ? {} : { values }),
        ...(minValues === undefined ? {} : { minValues }),
      })),
      ...(pool.taints.length === 0 ? {} : { taints: pool.taints.map(writeTaint) }),
      ...(pool.startupTaints.length === 0 ? {} : { startupTaints: pool.startupTaints.map(writeTaint) }),
      nodeClassRef: { group, kind, name },
      ...(details.requests.size === 0 ? {} : { resources: { requests: writeResources(details.requests) } }),
      ...(object.expireAfter === undefined ? {} : { expireAfter: object.expireAfter }),
      ...(object.terminationGracePeriod === undefined ? {} : { terminationGracePeriod: object.terminationGracePeriod }),
    },
  };
}

/** The label by which claims and nodes name their node class. */
export function nodeClassLabel({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind.toLowerCase()}`;
}

export function writeTaint({ key, value, effect }: Taint): object {
  return value === "" ? { key, effect } : { key, value, effect };
}

function namedTypes({ instanceTypes }: ClaimDetails, { pool }: NodePoolObject): Requirements {
  if (instanceTypes.length === 0) return new Map();
  const minValues = pool?.requirements.get(instanceTypeLabel)?.minValues;
  return new Map([[instanceTypeLabel, makeRequirement("In", instanceTypes.slice(0, mostInstanceTypes), minValues)]]);
}

/** One value for each label that nobody but the pool and the pods care about; the cloud does not set those. */
function customLabels(requirements: Requirements, cloudLabels: ReadonlySet<string>): [string, string][] {
  return [...requirements].flatMap(([key, requirement]): [string, string][] => {
    if (wellKnownLabels.has(key) || cloudLabels.has(key) || operatorOf(requirement) === "DoesNotExist") return [];
    return [[key, anyValue(requirement)]];
  });
}
