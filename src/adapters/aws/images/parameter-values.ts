import type { Clock } from "../../../ports/clock.ts";
import type { SsmApi } from "../api/aws-api.ts";
import { isNotFound } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";

export interface Parameter {
  readonly name: string;
  /** Named by a user, who may change it at any time. */
  readonly isCustom?: boolean;
  /** AWS lets it name a newer image from time to time. */
  readonly isMoving?: boolean;
}

interface Entry {
  readonly parameter: Parameter;
  readonly value: Promise<string | undefined>;
  readonly expiresAt: number;
}

const dayMilliseconds = 24 * 60 * 60_000;
const customMilliseconds = 5 * 60_000;
const mostEntries = 1000;

/** Values of SSM parameters, kept for a day so that not all clusters move to a new image in the same hour. */
export class ParameterValues {
  readonly #ssm: SsmApi;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(options: { readonly ssm: SsmApi; readonly clock: Clock }) {
    this.#ssm = options.ssm;
    this.#clock = options.clock;
  }

  /** Undefined when there is no such parameter. Rejects when nobody can tell. */
  get(parameter: Parameter): Promise<string | undefined> {
    const { name, isCustom = false } = parameter;
    const entry = this.#entries.get(name);
    const now = this.#clock.now();
    if (entry !== undefined && entry.expiresAt > now) return entry.value;
    const value = this.#ask(name);
    this.#makeRoom(now);
    const fresh = { parameter, value, expiresAt: now + (isCustom ? customMilliseconds : dayMilliseconds) };
    this.#entries.set(name, fresh);
    const forget = (): void => {
      if (this.#entries.get(name) === fresh) this.#entries.delete(name);
    };
    // What is not there may be there in a minute.
    value.then((found) => found === undefined && forget(), forget);
    return value;
  }

  /** The parameters that move, with what they told last. */
  async moving(): Promise<ReadonlyMap<string, string>> {
    const now = this.#clock.now();
    const values = new Map<string, string>();
    for (const { parameter, value, expiresAt } of [...this.#entries.values()]) {
      if (parameter.isMoving !== true || expiresAt <= now) continue;
      const told = await value.catch(() => undefined);
      if (told !== undefined) values.set(parameter.name, told);
    }
    return values;
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }

  async #ask(name: string): Promise<string | undefined> {
    try {
      return await this.#ssm.getParameter(name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw explainRefusal(error, `ssm:GetParameter on ${name}`);
    }
  }

  #makeRoom(now: number): void {
    for (const [name, { expiresAt }] of this.#entries) {
      if (expiresAt <= now || this.#entries.size >= mostEntries) this.#entries.delete(name);
    }
  }
}
