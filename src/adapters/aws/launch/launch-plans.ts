import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import { minValuesRelaxedAnnotation, type Planning, planLaunch } from "./plan-launch.ts";

const mostPlans = 1000;

/** Plans launches, once for claims that ask for the same of the same list: a thousand pods make few kinds of claims. */
export class LaunchPlans {
  #types: readonly InstanceType[] = [];
  readonly #plans = new Map<string, Planning>();

  plan(claim: NodeClaim, types: readonly InstanceType[]): Planning {
    if (types !== this.#types || this.#plans.size >= mostPlans) this.#plans.clear();
    this.#types = types;
    const isRelaxed = claim.annotations.get(minValuesRelaxedAnnotation) === "true";
    const key = JSON.stringify([claim.requirementEntries, [...claim.requests], isRelaxed]);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = planLaunch({ claim, types, isRefused: () => false });
    this.#plans.set(key, plan);
    return plan;
  }
}
