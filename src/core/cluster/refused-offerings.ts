import type { InstanceType, Offering } from "../model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, zoneLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import { conflictingKey, has, intersectAll, requirementFor, requirementsFromLabels } from "../model/requirements.ts";
import { fits } from "../model/resources.ts";

const remembered = 180_000;

/** What the cloud had nothing left of lately: by instance type, zone and capacity type. */
export class RefusedOfferings {
  /** Until when, in milliseconds since 1970; the first to end is the first. */
  readonly #until = new Map<string, number>();
  /** What became of each list that was asked about, as long as nothing changes. */
  #answers = new WeakMap<readonly InstanceType[], readonly InstanceType[]>();

  /** The claim got no machine, although any of these that it allows would have done. */
  refuse(claim: RefusedClaim, types: readonly InstanceType[], now: number): void {
    for (const key of allowedKeys(claim, types)) {
      // What is refused again is last in line again, and no news.
      if (!this.#until.delete(key)) this.#forgetAnswers();
      this.#until.set(key, now + remembered);
    }
  }

  /** A machine with these labels was to be had. */
  accept(labels: Labels): void {
    const key = [instanceTypeLabel, zoneLabel, capacityTypeLabel].map((label) => labels.get(label) ?? "").join("/");
    if (this.#until.delete(key)) this.#forgetAnswers();
  }

  /** The types, with what was refused lately not available: nobody's target, but known. The same list while it lasts. */
  mark(types: readonly InstanceType[], now: number): readonly InstanceType[] {
    this.#expire(now);
    if (this.#until.size === 0) return types;
    const known = this.#answers.get(types);
    if (known !== undefined) return known;
    const marked = types.map((type) => this.#markType(type));
    const answer = marked.some((type, index) => type !== types[index]) ? marked : types;
    this.#answers.set(types, answer);
    return answer;
  }

  #markType(type: InstanceType): InstanceType {
    const isRefused = (offering: Offering): boolean => offering.isAvailable && this.#until.has(keyOf(type, offering));
    if (!type.offerings.some(isRefused)) return type;
    const offerings = type.offerings.map((one) => (isRefused(one) ? { ...one, isAvailable: false } : one));
    return { ...type, offerings };
  }

  #expire(now: number): void {
    for (const [key, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(key);
      this.#forgetAnswers();
    }
  }

  #forgetAnswers(): void {
    this.#answers = new WeakMap();
  }
}

type RefusedClaim = Pick<NodeClaim, "labels" | "requirements" | "requests">;

function allowedKeys({ labels, requirements, requests }: RefusedClaim, types: readonly InstanceType[]): string[] {
  const asked = intersectAll(requirements, requirementsFromLabels(labels));
  const names = requirementFor(asked, instanceTypeLabel);
  const wanted = types.filter(
    (type) => has(names, type.name) && conflictingKey(type.requirements, asked) === undefined,
  );
  return wanted.flatMap((type) =>
    type.offerings
      .filter((offering) => {
        const allocatable = new Map([...type.allocatable, ...(offering.allocatable ?? [])]);
        return (
          offering.isAvailable &&
          conflictingKey(offering.requirements, asked) === undefined &&
          fits(requests, allocatable)
        );
      })
      .map((offering) => keyOf(type, offering)),
  );
}

function keyOf({ name }: InstanceType, { requirements }: Offering): string {
  const [zone, capacityType] = [zoneLabel, capacityTypeLabel].map((key) => [...(requirements.get(key)?.values ?? [])]);
  return [name, zone, capacityType].join("/");
}
