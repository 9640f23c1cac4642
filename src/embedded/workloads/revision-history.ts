import type { ControllerRevision } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import { ApiError } from "../api/api-error.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { type Controller, controllerReference } from "./claim-objects.ts";
import { ObjectIndex, ownerGroup } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { templateHash } from "./template-hash.ts";

export interface Versioned extends Controller {
  readonly template: PodTemplateSpec;
  readonly collisionCount: number;
}

/** The past templates of daemon sets and stateful sets, which `kubectl rollout` shows and goes back to. */
export class RevisionHistory {
  readonly #revisions: Resource<ControllerRevision>;
  readonly #byOwner: ObjectIndex<ControllerRevision>;
  readonly #hashLabel: string;

  /** `hashLabel`: under which label a revision carries its hash. */
  constructor(api: ObjectApi, hashLabel: string) {
    this.#revisions = new Resource<ControllerRevision>(api, "apps", "controllerrevisions");
    this.#byOwner = new ObjectIndex(this.#revisions, ownerGroup);
    this.#hashLabel = hashLabel;
  }

  stop(): void {
    this.#byOwner.stop();
  }

  /** Oldest first. */
  of(uid: string): Stored<ControllerRevision>[] {
    return this.#byOwner.get(uid).sort((a, b) => a.revision - b.revision);
  }

  hashOf({ metadata }: Stored<ControllerRevision>): string {
    return metadata.labels?.[this.#hashLabel] ?? "";
  }

  /** The revision of the present template, as the newest; "collision" when its name is taken by another. */
  newest(owner: Versioned): Stored<ControllerRevision> | "collision" {
    const past = this.of(owner.metadata.uid);
    const latest = past.at(-1);
    const data = dataOf(owner.template);
    const equal = past.findLast((revision) => areEqual(revision.data, data));
    const number = (latest?.revision ?? 0) + 1;
    if (equal === undefined) return this.#create(owner, number);
    if (equal === latest) return equal;
    return this.#revisions.change(equal, (current) => ({ ...current, revision: number }));
  }

  #create(owner: Versioned, revision: number): Stored<ControllerRevision> | "collision" {
    const { template, metadata } = owner;
    const hash = templateHash(template, owner.collisionCount);
    const annotations = metadata.annotations ?? {};
    try {
      return this.#revisions.create(
        {
          apiVersion: "apps/v1",
          kind: "ControllerRevision",
          metadata: {
            name: `${metadata.name.slice(0, 223)}-${hash}`,
            labels: { ...template.metadata?.labels, [this.#hashLabel]: hash },
            ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
            ownerReferences: [controllerReference(owner)],
          },
          data: dataOf(template) as NonNullable<ControllerRevision["data"]>,
          revision,
        },
        metadata.namespace,
      );
    } catch (error) {
      if (error instanceof ApiError && error.reason === "AlreadyExists") return "collision";
      throw error;
    }
  }

  /** Forgets the oldest beyond the limit that nothing uses. */
  cleanUp(uid: string, limit: number, isUsed: (revision: Stored<ControllerRevision>) => boolean): void {
    const unused = this.of(uid).filter((revision) => !isUsed(revision));
    for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) this.#revisions.delete(revision);
  }
}

/** What a patch makes a set have that template again with. */
function dataOf(template: PodTemplateSpec): object {
  return { spec: { template: { ...template, $patch: "replace" } } };
}

export function templateIn({ data }: Stored<ControllerRevision>): PodTemplateSpec {
  const { spec } = data as unknown as { spec: { template: PodTemplateSpec & { $patch?: string } } };
  const { $patch: _, ...template } = spec.template;
  return template;
}
