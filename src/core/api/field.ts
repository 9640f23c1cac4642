import type { Labels } from "../model/labels.ts";
import { ProblemLog } from "./problem.ts";
import { findExcess } from "./wire-budget.ts";

/** Lists and maps longer than this are refused; nothing that Kubernetes stores comes near it. */
const mostEntries = 5_000;

/**
 * A place in a parsed JSON or YAML object that anybody may have written. It knows its path, so that whoever reads it
 * can say what is wrong where, and it answers every question with a usable value: a wrong type is noted in the log and
 * then treated as absent. Null is absent, and fields nobody asks for do no harm, as in Kubernetes.
 */
export class Field {
  readonly value: unknown;
  readonly log: ProblemLog;
  readonly #parent: Field | undefined;
  readonly #key: string | number;

  constructor(value: unknown, log: ProblemLog, parent?: Field, key: string | number = "") {
    this.value = value === null ? undefined : value;
    this.log = log;
    this.#parent = parent;
    this.#key = key;
  }

  get isAbsent(): boolean {
    return this.value === undefined;
  }

  /** As in `spec.containers[0].resources.requests["nvidia.com/gpu"]`. */
  get path(): string {
    if (this.#parent === undefined) return "";
    const before = this.#parent.path;
    if (typeof this.#key === "number") return `${before}[${this.#key}]`;
    if (!/^[A-Za-z]\w{0,63}$/.test(this.#key)) return `${before}[${quote(this.#key)}]`;
    return before === "" ? this.#key : `${before}.${this.#key}`;
  }

  /** Notes that this place is not as it should be; the message follows the path, and the value is added to it. */
  reject(expectation: string): void {
    this.log.add(this.path, this.#contrast(expectation));
  }

  /** As `reject`, for a value so wrong that whatever else is said about this place or within it is moot. */
  #rejectWhole(expectation: string): void {
    this.log.abandonField(this.path, this.#contrast(expectation));
  }

  #contrast(expectation: string): string {
    return this.isAbsent ? `${expectation}, but is missing` : `${expectation}, found ${this.preview()}`;
  }

  /** Notes a problem for which the value found says nothing more. */
  note(message: string): void {
    this.log.add(this.path, message);
  }

  at(name: string): Field {
    const record = this.record();
    const value = record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
    return new Field(value, this.log, this, name);
  }

  text(): string | undefined {
    if (this.value === undefined || typeof this.value === "string") return this.value;
    this.#rejectWhole("must be a string");
    return undefined;
  }

  /** A string that has to be there and to say something. */
  requiredText(): string {
    const text = this.text();
    if (text !== undefined && text !== "") return text;
    if (text === "" || this.isAbsent) this.reject("must be a non-empty string");
    return "";
  }

  choice<T extends string>(choices: readonly T[]): T | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) this.reject(`must be one of ${choices.join(", ")}`);
    return chosen;
  }

  integer(least: number, most: number): number | undefined {
    const value = this.value;
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    this.reject(`must be a whole number from ${least} to ${most}`);
    return undefined;
  }

  flag(): boolean {
    if (this.value === undefined || typeof this.value === "boolean") return this.value ?? false;
    this.reject("must be true or false");
    return false;
  }

  /** Milliseconds since the epoch. YAML readers may have made a Date of it already. */
  time(): number | undefined {
    const value = this.value;
    if (value === undefined) return undefined;
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
    const isTimestamp =
      typeof value === "string" && /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|z|[+-]\d\d:\d\d)$/.test(value);
    const milliseconds = isTimestamp ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(milliseconds)) return milliseconds;
    this.reject('must be a time such as "2026-01-31T12:00:00Z"');
    return undefined;
  }

  /** The parts of a list; none when it is absent. */
  items(most = mostEntries): Field[] {
    const value = this.value;
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#rejectWhole("must be a list");
      return [];
    }
    if (value.length > most) {
      this.log.abandonField(this.path, `must have at most ${most} entries, found ${value.length}`);
      return [];
    }
    return value.map((part, index) => new Field(part, this.log, this, index));
  }

  texts(most = mostEntries): string[] {
    return this.items(most).map((item) => {
      if (typeof item.value !== "string") item.reject("must be a string");
      return typeof item.value === "string" ? item.value : "";
    });
  }

  /** The parts of a map; none when it is absent. */
  entries(most = mostEntries): [string, Field][] {
    const record = this.record();
    if (record === undefined) return [];
    const keys = Object.keys(record);
    if (keys.length > most) {
      this.log.abandonField(this.path, `must have at most ${most} entries, found ${keys.length}`);
      return [];
    }
    return keys.map((key) => [key, new Field(record[key], this.log, this, key)]);
  }

  labels(): Labels {
    const labels = new Map<string, string>();
    for (const [key, value] of this.entries()) {
      const text = value.text();
      if (text !== undefined) labels.set(key, text);
    }
    return labels;
  }

  /** What is here, short enough for a message. */
  preview(): string {
    const value = this.value;
    if (typeof value === "string") return quote(value);
    if (Array.isArray(value)) return "a list";
    return typeof value === "number" || typeof value === "boolean" ? String(value) : `an ${typeof value}`;
  }

  record(): Readonly<Record<string, unknown>> | undefined {
    const value = this.value;
    if (value === undefined) return undefined;
    if (isRecord(value)) return value;
    this.#rejectWhole("must be an object");
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In quotes, and cut where it would fill the screen. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Opens an object for reading. What is no object, or one without measure, reads as empty, with that as its problem. */
export function openObject(wire: unknown, name: string): Field {
  const log = new ProblemLog(name);
  const fault = isRecord(wire) ? findExcess(wire) : "must be an object";
  if (fault === undefined) return new Field(wire, log);
  log.abandon("", fault);
  return new Field({}, log);
}

/** Kind, namespace and name as far as they can be made out. */
export function nameObject(wire: unknown, kind: string, defaultNamespace?: string): string {
  const identity = identify(wire, defaultNamespace);
  return identity === undefined ? `${kind} without a name` : `${kind} ${identity}`;
}

/** The name, after the namespace if there is one. */
export function identify(wire: unknown, defaultNamespace?: string): string | undefined {
  const metadata = isRecord(wire) && isRecord(wire.metadata) ? wire.metadata : {};
  const name = nameIn(metadata.name);
  if (name === undefined) return undefined;
  const namespace = nameIn(metadata.namespace) ?? defaultNamespace;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The namespace of an object that lives in one. An empty one is none, as for the API server. */
export function namespaceOf(metadata: Field): string {
  return metadata.at("namespace").text() || "default";
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.length > 253 ? `${value.slice(0, 253)}…` : value;
}
