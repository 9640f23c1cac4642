import { makeRequirement, type Requirement } from "../../../core/model/requirements.ts";

/** Makes each requirement once, however many machines have it. Only for what AWS tells of its machines, which is not much. */
export class RequirementPool {
  readonly absent: Requirement = makeRequirement("DoesNotExist", []);
  readonly #byValues = new Map<string, Requirement>();

  only(value: string): Requirement {
    return this.#byValues.get(value) ?? this.#add(value, [value]);
  }

  /** None of the values contains a space. */
  oneOf(values: readonly string[]): Requirement {
    if (values.length === 0) return this.absent;
    const key = values.join(" ");
    return this.#byValues.get(key) ?? this.#add(key, values);
  }

  #add(key: string, values: readonly string[]): Requirement {
    const requirement = makeRequirement("In", values.map(copyText));
    this.#byValues.set(copyText(key), requirement);
    return requirement;
  }
}

/** A string of its own: a part of an answer that was cut out would keep the whole answer in memory. */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
