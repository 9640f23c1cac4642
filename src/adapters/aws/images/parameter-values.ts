import type { Clock } from "../../../ports/clock.ts";
import type { SsmApi } from "../api/aws-api.ts";
import { isNotFound } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import { ExpiringMap } from "../expiring-map.ts";

/**
 * Who may change a parameter, and how soon: "fixed" is that of a release, "moving" is what AWS lets name a newer image
 * from time to time, and "custom" is named by a user.
 */
export type ParameterKind = "fixed" | "moving" | "custom";

export interface ParameterValuesOptions {
  readonly ssm: SsmApi;
  readonly clock: Clock;
  /** How long what a moving one names counts. */
  readonly movingMilliseconds: number;
}

type Value = Promise<string | undefined>;

const dayMilliseconds = 24 * 60 * 60_000;
const customMilliseconds = 5 * 60_000;

/** Values of SSM parameters, kept for a while. */
export class ParameterValues {
  readonly #ssm: SsmApi;
  readonly #values: Readonly<Record<ParameterKind, ExpiringMap<Value>>>;

  constructor({ ssm, clock, movingMilliseconds }: ParameterValuesOptions) {
    this.#ssm = ssm;
    this.#values = {
      fixed: new ExpiringMap({ clock, milliseconds: dayMilliseconds }),
      moving: new ExpiringMap({ clock, milliseconds: movingMilliseconds }),
      custom: new ExpiringMap({ clock, milliseconds: customMilliseconds }),
    };
  }

  /** Undefined when there is no such parameter. Rejects when nobody can tell. */
  get(name: string, kind: ParameterKind): Value {
    const values = this.#values[kind];
    const known = values.get(name);
    if (known !== undefined) return known;
    const value = this.#ask(name);
    values.set(name, value);
    const forget = (): void => {
      if (values.get(name) === value) values.delete(name);
    };
    // What is not there may be there in a minute.
    value.then((found) => found === undefined && forget(), forget);
    return value;
  }

  /** The parameters that move, with what they told last. */
  async moving(): Promise<ReadonlyMap<string, string>> {
    const told = new Map<string, string>();
    for (const [name, value] of [...this.#values.moving.entries()]) {
      const id = await value.catch(() => undefined);
      if (id !== undefined) told.set(name, id);
    }
    return told;
  }

  forgetMoving(name: string): void {
    this.#values.moving.delete(name);
  }

  async #ask(name: string): Value {
    try {
      return await this.#ssm.getParameter(name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw explainRefusal(error, `ssm:GetParameter on ${name}`);
    }
  }
}
