import { convertManifests } from "../../core/api/legacy/convert-manifests.ts";
import type { ConvertOptions } from "../../core/api/legacy/convert-options.ts";
import type { Note } from "../../core/api/legacy/note.ts";
import { provisionerConditions, templateConditions } from "../../core/api/legacy/tell-outcome.ts";
import { describeProblem } from "../../core/api/problem.ts";
import { readConditionOwner } from "../../core/api/read-condition-owner.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import type { Condition, ConditionOwner } from "../../core/model/condition.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KubeObject } from "../../runtime/kube-object.ts";
import type { LegacyCollection } from "./legacy-objects.ts";

export interface StatusWriterOptions {
  readonly clock: Clock;
}

export interface StatusResult {
  /** Somebody else wrote since the object was read. */
  readonly isConflict: boolean;
  /** Whether something was said that had not been said before. */
  readonly isNews: boolean;
}

const nothing: StatusResult = { isConflict: false, isNews: false };

/** Says on old objects what has become of them. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  writeProvisioner(
    collection: LegacyCollection,
    object: KubeObject,
    told: Parameters<typeof provisionerConditions>[1],
  ): Promise<StatusResult> {
    const now = this.#options.clock.now();
    return this.#write(collection, object, (owner) => provisionerConditions(owner, told, now));
  }

  writeTemplate(
    collection: LegacyCollection,
    object: KubeObject,
    { users, options }: { readonly users: readonly string[]; readonly options: ConvertOptions },
  ): Promise<StatusResult> {
    const now = this.#options.clock.now();
    const {
      apiVersion,
      kind,
      metadata: { name },
      spec,
    } = object;
    const { notes, problems } = convertManifests([{ apiVersion, kind, metadata: { name }, spec }], options);
    const ofKind = (kind: Note["kind"]) => notes.filter((note) => note.kind === kind).map(describeProblem);
    const told = {
      problems: problems.map(describeProblem),
      notes: { dropped: ofKind("dropped"), changed: ofKind("changed") },
      users,
    };
    return this.#write(collection, object, (owner) => templateConditions(owner, told, now));
  }

  async #write(
    collection: LegacyCollection,
    object: KubeObject,
    change: (owner: ConditionOwner) => readonly Condition[],
  ): Promise<StatusResult> {
    const read = readConditionOwner(object, collection.resource.kind);
    if (read.problems !== undefined) return nothing;
    const owner = read.value;
    const conditions = change(owner);
    if (conditions === owner.conditions) return nothing;
    const written = await collection.writeStatus(object, { conditions: writeConditions(conditions) });
    return {
      isConflict: written === "conflict",
      isNews: written === "written" && hasNews(owner.conditions, conditions),
    };
  }
}

function hasNews(before: readonly Condition[], after: readonly Condition[]): boolean {
  const said = (conditions: readonly Condition[]): string => {
    const found = conditions.find(({ type }) => type === "Converted");
    return JSON.stringify([found?.status, found?.reason, found?.message]);
  };
  return said(before) !== said(after);
}
