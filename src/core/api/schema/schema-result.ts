import type { FieldError } from "../field-error.ts";
import { invalid, wholeObject } from "./refusals.ts";

/** What a schema says about a value. */
export class SchemaResult {
  /** By the message of the validator, which says each thing once. */
  #errors: Map<string, FieldError> | undefined;
  /** How many checks the value passed; the alternative of an anyOf or oneOf that passed most is the one to complain about. */
  matches = 0;

  get isValid(): boolean {
    return this.#errors === undefined;
  }

  get errors(): FieldError[] {
    return [...(this.#errors?.values() ?? [])];
  }

  add(message: string, error: FieldError): void {
    this.#errors ??= new Map();
    if (!this.#errors.has(message)) this.#errors.set(message, error);
  }

  /** A complaint that belongs to no field. */
  addLoose(message: string, root: string): void {
    this.add(message, invalid(root === "" ? wholeObject : root, "", message));
  }

  /** Takes over what the other found; the other is of no use after that. */
  merge(other: SchemaResult): void {
    if (this.#errors === undefined) this.#errors = other.#errors;
    else for (const [message, error] of other.#errors ?? []) this.add(message, error);
    this.matches += other.matches;
  }

  /** All is forgiven, but the checks that were passed still count. */
  forgive(): void {
    this.#errors = undefined;
  }
}
