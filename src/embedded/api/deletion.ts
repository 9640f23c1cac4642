import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { timestamp } from "../timestamp.ts";
import { conflict } from "./api-error.ts";
import type { DeleteOptions } from "./write-options.ts";

const foreground = "foregroundDeletion";
const orphan = "orphan";

/** What becomes of an object that somebody wants to delete. */
export interface DeletionStep {
  /** The object with its mark; undefined where there is nothing to be marked. */
  readonly marked?: Draft;
  /** Whether it goes now, after the mark. */
  readonly isLast: boolean;
}

/** The next step on the way of an object out of the cluster. */
export function deletionStep(
  object: KubeObject,
  { definition, options, now }: { definition: ResourceDefinition; options: DeleteOptions; now: number },
): DeletionStep {
  const { metadata } = object;
  const finalizers = finalizersFor(object, definition, options);
  const grace = graceFor(object, definition, options);
  if (grace === "pending") return { isLast: false };
  const mustWait = finalizers.length > 0 || definition.prepareDelete !== undefined;
  if (grace === undefined && !mustWait) return { isLast: true };
  const wasMarked = metadata.deletionTimestamp !== undefined;
  const seconds = grace ?? 0;
  const start = wasMarked
    ? Date.parse(metadata.deletionTimestamp ?? "") - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
    : now;
  const isUnchanged = wasMarked && grace === undefined;
  const { finalizers: _, ...rest } = metadata;
  const marked = {
    ...object,
    metadata: {
      ...rest,
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      deletionTimestamp: isUnchanged ? metadata.deletionTimestamp : timestamp(start + seconds * 1000),
      ...(definition.prepareDelete === undefined ? ofMark(metadata, seconds) : {}),
    },
  } as unknown as Draft;
  definition.prepareDelete?.(marked);
  return { marked, isLast: isFinished(marked) };
}

/** Kinds that prepare their end in their own way have no more than the time of it. */
function ofMark({ generation, deletionTimestamp }: KubeObject["metadata"], seconds: number): object {
  const isCounted = generation !== undefined && deletionTimestamp === undefined;
  return { deletionGracePeriodSeconds: seconds, ...(isCounted ? { generation: generation + 1 } : {}) };
}

/** Seconds until the object ends; undefined for what ends at once, "pending" where that has long been decided. */
function graceFor(
  object: KubeObject,
  { gracePeriodSeconds: graceOf }: ResourceDefinition,
  { gracePeriodSeconds: asked }: DeleteOptions,
): number | "pending" | undefined {
  if (graceOf === undefined) return undefined;
  const requested = asked !== undefined && asked < 0 ? 1 : asked;
  if (object.metadata.deletionTimestamp === undefined) return graceOf(object, requested);
  const current = object.metadata.deletionGracePeriodSeconds;
  if (current === undefined) return undefined;
  // Whoever deletes again may only make it shorter.
  return requested === undefined || requested >= current ? "pending" : requested;
}

/** What holds the object back: what held it before, and what the propagation policy adds or removes. */
function finalizersFor(
  { metadata }: KubeObject,
  { orphansByDefault }: ResourceDefinition,
  { propagationPolicy }: DeleteOptions,
): readonly string[] {
  const current = metadata.finalizers ?? [];
  const hasPolicy = current.includes(foreground) || current.includes(orphan);
  const policy = propagationPolicy ?? (orphansByDefault === true && !hasPolicy ? "Orphan" : undefined);
  if (policy === undefined) return current;
  const others = current.filter((name) => name !== foreground && name !== orphan);
  if (policy === "Background") return others;
  return [...others, policy === "Foreground" ? foreground : orphan];
}

/** Whether an object that is being deleted has nothing left to wait for. */
export function isFinished({ metadata, spec }: Draft): boolean {
  if (metadata.deletionTimestamp === undefined || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  const ownFinalizers = (spec as { finalizers?: readonly string[] } | undefined)?.finalizers;
  return (metadata.finalizers ?? []).length === 0 && (!Array.isArray(ownFinalizers) || ownFinalizers.length === 0);
}

/** Whether the object is the one that the client means. */
export function checkPreconditions(
  { metadata }: KubeObject,
  { kind, group }: ResourceDefinition,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  const refuse = (why: string) => {
    throw conflict({ plural: kind, group }, metadata.name, why);
  };
  if (uid !== undefined && uid !== metadata.uid) {
    refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}
