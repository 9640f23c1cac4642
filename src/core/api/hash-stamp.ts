import { type Condition, isConditionTrue } from "../model/condition.ts";
import type { Labels } from "../model/labels.ts";

/** Drift, which a claim keeps although the way of hashing has changed. */
const driftedCondition = "Drifted";

interface StampNames {
  readonly hashAnnotation: string;
  readonly versionAnnotation: string;
  /** Names how the hash is made. */
  readonly version: string;
}

/** How an object and the claims that are made of it bear its hash. */
export class HashStamp {
  readonly #names: StampNames;

  constructor(names: StampNames) {
    this.#names = names;
  }

  annotations(hash: string): Readonly<Record<string, string>> {
    const { hashAnnotation, versionAnnotation, version } = this.#names;
    return { [hashAnnotation]: hash, [versionAnnotation]: version };
  }

  /**
   * What to write on a claim whose hash was made another way: the present hash, as if the claim had just been made,
   * unless it has drifted already and must go on so. Undefined when there is nothing to write.
   */
  renew(
    claim: { readonly annotations: Labels; readonly conditions: readonly Condition[] },
    hash: string,
  ): Readonly<Record<string, string>> | undefined {
    const { versionAnnotation, version } = this.#names;
    if (claim.annotations.get(versionAnnotation) === version) return undefined;
    return isConditionTrue(claim, driftedCondition) ? { [versionAnnotation]: version } : this.annotations(hash);
  }
}
