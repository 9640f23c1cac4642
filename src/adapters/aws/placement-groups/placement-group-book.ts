import type { Clock } from "../../../ports/clock.ts";
import type { AwsApi } from "../api/aws-api.ts";
import { isNotFound } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { PlacementGroup, PlacementGroups } from "../aws-parts.ts";
import { ExpiringMap } from "../expiring-map.ts";
import type { Ec2NodeClass, PlacementGroupTerm } from "../node-class/ec2-node-class.ts";
import { keyOf, placementGroupQuery, readPlacementGroup } from "./read-placement-group.ts";

export interface PlacementGroupBookOptions {
  readonly api: { readonly ec2: Pick<AwsApi["ec2"], "describePlacementGroups"> };
  readonly clock: Clock;
}

const freshMilliseconds = 60_000;
const knownMilliseconds = 24 * 60 * 60_000;

/** Finds the placement groups of node classes; while EC2 does not answer, what it said within a day is still known. */
export class PlacementGroupBook implements PlacementGroups {
  readonly #options: PlacementGroupBookOptions;
  /** What was asked within a minute, also when there was nothing. */
  readonly #fresh: ExpiringMap<{ readonly group: PlacementGroup | undefined }>;
  readonly #known: ExpiringMap<PlacementGroup>;
  /** Under way, so that whoever asks the same shares the answer. */
  readonly #asked = new Map<string, Promise<PlacementGroup | undefined>>();
  #version = 0;

  constructor(options: PlacementGroupBookOptions) {
    this.#options = options;
    this.#fresh = new ExpiringMap({ clock: options.clock, milliseconds: freshMilliseconds });
    this.#known = new ExpiringMap({ clock: options.clock, milliseconds: knownMilliseconds });
  }

  get version(): number {
    return this.#version;
  }

  async find({ spec }: Ec2NodeClass): Promise<PlacementGroup | undefined> {
    const term = spec.placementGroupSelector;
    if (term === undefined) return undefined;
    const key = keyOf(term);
    const fresh = this.#fresh.get(key);
    if (fresh !== undefined) return fresh.group;
    const asked = this.#asked.get(key) ?? this.#ask(term).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return await asked;
  }

  known({ spec }: Ec2NodeClass): PlacementGroup | "none" | "unknown" {
    const term = spec.placementGroupSelector;
    return term === undefined ? "none" : (this.#known.get(keyOf(term)) ?? "unknown");
  }

  async #ask(term: PlacementGroupTerm): Promise<PlacementGroup | undefined> {
    const { ec2 } = this.#options.api;
    const told = await ec2.describePlacementGroups(placementGroupQuery(term)).catch((error) => {
      if (isNotFound(error)) return [];
      throw explainRefusal(error, "ec2:DescribePlacementGroups");
    });
    const group = told[0] === undefined ? undefined : readPlacementGroup(told[0]);
    this.#learn(keyOf(term), group);
    return group;
  }

  #learn(key: string, group: PlacementGroup | undefined): void {
    if (!areSame(this.#known.get(key), group)) this.#version++;
    this.#fresh.set(key, { group });
    if (group === undefined) this.#known.delete(key);
    else this.#known.set(key, group);
  }
}

function areSame(left: PlacementGroup | undefined, right: PlacementGroup | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.id === right.id &&
    left.name === right.name &&
    left.strategy === right.strategy &&
    left.partitions === right.partitions
  );
}
