import type { Field } from "../field.ts";
import type { ConvertOptions } from "./convert-options.ts";
import type { Term } from "./convert-selector.ts";
import type { NoteLog } from "./note.ts";

/** What stands in for something that an object does not say, where the cluster's name is known. */
export class ClusterDefaults {
  readonly #clusterName: string | undefined;
  readonly #notes: NoteLog;

  constructor({ clusterName }: ConvertOptions, notes: NoteLog, ownClusterName?: string) {
    this.#clusterName = clusterName || ownClusterName || undefined;
    this.#notes = notes;
  }

  /** Subnets or security groups that carry the tags of the cluster, by the old custom or the new one. */
  selectorTerms(place: Field, things: string): Term[] {
    const name = this.#clusterNameFor(place, "or select by tags or ids");
    if (name === undefined) return [];
    const [old, recent] = [`kubernetes.io/cluster/${name}`, "karpenter.sh/discovery"];
    this.#notes.changed(place, `is not set; ${things} with the tag ${recent}: ${name}, or ${old}, take its place`);
    return [{ tags: { [recent]: name } }, { tags: { [old]: "*" } }];
  }

  role(place: Field): string {
    const name = this.#clusterNameFor(place, "or name an instance profile");
    const role = `KarpenterNodeRole-${name}`;
    if (name !== undefined) {
      this.#notes.changed(place, `is not set; the role ${role} takes the place of the controller's default profile`);
    }
    return role;
  }

  #clusterNameFor(place: Field, otherwise: string): string | undefined {
    if (this.#clusterName === undefined) {
      place.note(`must be set unless the name of the cluster is known: give that, ${otherwise}`);
    }
    return this.#clusterName;
  }
}
