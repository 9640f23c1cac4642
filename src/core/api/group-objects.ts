import { identify, isRecord, nameObject } from "./field.ts";
import type { Problem } from "./problem.ts";

/** The kinds that planning reads: the API group each belongs to, and whether its objects live in namespaces. */
const kinds = {
  Pod: { group: "", isNamespaced: true },
  Node: { group: "", isNamespaced: false },
  Namespace: { group: "", isNamespaced: false },
  Service: { group: "", isNamespaced: true },
  ReplicationController: { group: "", isNamespaced: true },
  PersistentVolumeClaim: { group: "", isNamespaced: true },
  PersistentVolume: { group: "", isNamespaced: false },
  NodePool: { group: "karpenter.sh", isNamespaced: false },
  NodeClaim: { group: "karpenter.sh", isNamespaced: false },
  DaemonSet: { group: "apps", isNamespaced: true },
  ReplicaSet: { group: "apps", isNamespaced: true },
  StatefulSet: { group: "apps", isNamespaced: true },
  StorageClass: { group: "storage.k8s.io", isNamespaced: false },
  CSINode: { group: "storage.k8s.io", isNamespaced: false },
} as const;

export type Kind = keyof typeof kinds;

export function isNamespaced(kind: Kind): boolean {
  return kinds[kind].isNamespaced;
}

/** More than the largest clusters have, and few enough to hold. */
const mostObjects = 2_000_000;
/** Nobody nests lists of lists on purpose. */
const deepestList = 4;
const mostStrangers = 100;

export interface GroupedObjects {
  readonly byKind: ReadonlyMap<Kind, readonly unknown[]>;
  /** What was left out, and why. */
  readonly problems: readonly Problem[];
}

/** Sorts objects by kind, with those in lists taken out of them. */
export function groupObjects(objects: readonly unknown[]): GroupedObjects {
  const byKind = new Map<Kind, unknown[]>();
  const strangers = new Map<string, { readonly first: unknown; count: number }>();
  let count = 0;
  for (const object of flatten(objects, deepestList)) {
    if (++count > mostObjects) break;
    const kind = kindOf(object);
    if (kind !== undefined) {
      const group = byKind.get(kind);
      if (group === undefined) byKind.set(kind, [object]);
      else group.push(object);
    } else if (strangers.size < mostStrangers) {
      const type = typeOf(object);
      const known = strangers.get(type);
      if (known === undefined) strangers.set(type, { first: object, count: 1 });
      else known.count++;
    }
  }
  const problems = Array.from(strangers.values(), ({ first, count }) => ({
    object: describeObject(first),
    field: "",
    message: `${whyUnused(first)} and was left out${count === 1 ? "" : `, with ${count - 1} more of its kind`}`,
  }));
  if (count > mostObjects) {
    problems.push({
      object: "The input",
      field: "",
      message: `has more than ${mostObjects} objects; the rest was left out`,
    });
  }
  return { byKind, problems };
}

function* flatten(objects: readonly unknown[], depth: number): Generator<unknown> {
  for (const object of objects) {
    const items = listedItems(object);
    if (items === undefined || depth === 0) yield object;
    else yield* flatten(items, depth - 1);
  }
}

export function isListOfObjects(object: unknown): boolean {
  return listedItems(object) !== undefined;
}

/** The API server leaves the kind off the items of a PodList, which says it for all of them. */
function listedItems(object: unknown): readonly unknown[] | undefined {
  if (!isRecord(object) || !Array.isArray(object.items)) return undefined;
  const { kind, apiVersion, items } = object;
  if (typeof kind !== "string" || !kind.endsWith("List")) return undefined;
  const itemKind = kind.slice(0, -"List".length);
  if (itemKind === "") return items;
  return items.map((item: unknown) =>
    isRecord(item) && item.kind === undefined ? { ...item, kind: itemKind, apiVersion } : item,
  );
}

/** Undefined for what planning does not read. */
export function kindOf(object: unknown): Kind | undefined {
  if (!isRecord(object) || typeof object.kind !== "string" || !Object.hasOwn(kinds, object.kind)) return undefined;
  const kind = object.kind as Kind;
  return groupIn(object.apiVersion) === kinds[kind].group ? kind : undefined;
}

function groupIn(apiVersion: unknown): string | undefined {
  if (typeof apiVersion !== "string") return undefined;
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

function whyUnused(object: unknown): string {
  const isKnownButForItsGroup =
    isRecord(object) && typeof object.kind === "string" && Object.hasOwn(kinds, object.kind);
  return isKnownButForItsGroup && typeof object.apiVersion !== "string"
    ? "has no apiVersion"
    : "is not used in planning";
}

function typeOf(object: unknown): string {
  if (!isRecord(object) || typeof object.kind !== "string") return "";
  return `${object.kind}${versionOf(object)}`;
}

/** As in "Deployment shop/web (apps/v1)", as far as it can be made out. */
export function describeObject(object: unknown): string {
  if (isRecord(object) && typeof object.kind === "string") {
    return `${nameObject(object, object.kind.slice(0, 100))}${versionOf(object)}`;
  }
  const identity = identify(object);
  return identity === undefined ? "An object without a kind" : `Object ${identity} without a kind`;
}

function versionOf({ apiVersion }: Readonly<Record<string, unknown>>): string {
  return typeof apiVersion === "string" ? ` (${apiVersion.slice(0, 100)})` : "";
}
