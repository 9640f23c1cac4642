import { copyJson, isJsonObject, type JsonObject, setField } from "../../core/api/schema/json.ts";
import { canonicalQuantity } from "./canonical-quantity.ts";
import { DecodeError, mismatch } from "./decode-error.ts";
import { decodeTime } from "./decode-time.ts";
import type { FieldSchema, ListSchema, StructSchema, TypeSchema } from "./type-schema.ts";

export interface Decoded {
  /** A copy of its own, with only the fields that the type has. */
  readonly value: JsonObject;
  /** What a strict reader objects to, as in `unknown field "spec.containers[0].foo"`. */
  readonly complaints: readonly string[];
}

const none: ReadonlySet<string> = new Set();

/**
 * Reads a value of that type as the API server does: zero values that JSON leaves out are gone, quantities and times
 * canonical. `repeated`: paths that the text gives more than once.
 */
export function decode(type: StructSchema, value: unknown, repeated: ReadonlySet<string> = none): Decoded {
  const reader = new Reader(type.name, repeated);
  return { value: reader.struct(type, value), complaints: reader.complaints };
}

/** Like `decode`, for a list of structs. */
export function decodeList(type: ListSchema, value: unknown): { value: unknown[]; complaints: readonly string[] } {
  const reader = new Reader("", none);
  return { value: (reader.read(type, value) ?? []) as unknown[], complaints: reader.complaints };
}

const string: TypeSchema = { kind: "string" };
const int32: TypeSchema = { kind: "integer", bits: 32 };

/** No honest object is nested deeper. */
const deepest = 200;

class Reader {
  readonly complaints: string[] = [];
  readonly #repeated: ReadonlySet<string>;
  /** From the outermost to here: fields, keys of maps, places in lists. */
  readonly #path: (string | number)[] = [];
  /** Only the fields, with the names of embedded structs, as Go tells where something is. */
  readonly #fields: string[] = [];
  #struct: string;
  #depth = 0;

  constructor(name: string, repeated: ReadonlySet<string>) {
    this.#struct = name;
    this.#repeated = repeated;
  }

  struct(type: StructSchema, value: unknown): JsonObject {
    if (!isJsonObject(value)) throw this.#mismatch(value, type);
    if (++this.#depth > deepest) throw new DecodeError("exceeded max depth");
    const copy: JsonObject = {};
    const outer = this.#struct;
    this.#struct = type.name;
    for (const name of Object.keys(value)) {
      const field = type.fields.get(name);
      this.#path.push(name);
      if (field === undefined) this.#complain("unknown");
      else {
        const read = this.#field(field, value[name], name);
        if (read !== undefined && !isLeftOut(field, read)) copy[name] = read;
      }
      this.#path.pop();
    }
    for (const name of type.valueFields) copy[name] ??= {};
    this.#struct = outer;
    this.#depth--;
    return copy;
  }

  #field(field: FieldSchema, value: unknown, name: string): unknown {
    if (this.#repeated.size > 0 && this.#repeated.has(this.#shownPath())) this.#complain("duplicate");
    this.#fields.push(field.embeddedIn === undefined ? name : `${field.embeddedIn}.${name}`);
    const read = this.read(field.type, value);
    this.#fields.pop();
    return read;
  }

  read(type: TypeSchema, value: unknown): unknown {
    if (value === null) return undefined;
    switch (type.kind) {
      case "string":
      case "boolean":
      case "number":
        if (typeof value !== type.kind) throw this.#mismatch(value, type);
        return value;
      case "bytes":
        if (typeof value !== "string") throw this.#mismatch(value, type);
        return checkBase64(value);
      case "integer":
        if (!isInteger(value, type.bits)) throw this.#mismatch(value, type);
        return value;
      case "quantity":
        return readQuantity(value);
      case "int-or-string":
        if (typeof value !== "string" && !isInteger(value, 32)) throw this.#mismatch(value, int32);
        return value;
      case "time":
      case "micro-time":
        if (typeof value !== "string") throw this.#mismatch(value, string);
        return decodeTime(value, type.kind);
      case "any":
        return copyJson(value);
      case "raw":
        if (!isJsonObject(value)) throw this.#mismatch(value, type);
        return copyJson(value);
      case "struct":
        return this.struct(type, value);
      case "map":
        return this.#map(type, value);
      case "list":
        return this.#list(type, value);
    }
  }

  #map(type: TypeSchema & { kind: "map" }, value: unknown): JsonObject {
    if (!isJsonObject(value)) throw this.#mismatch(value, type);
    const copy: JsonObject = {};
    for (const key of Object.keys(value)) {
      this.#path.push(key);
      if (this.#repeated.size > 0 && this.#repeated.has(this.#shownPath())) this.#complain("duplicate");
      setField(copy, key, this.read(type.values, value[key]) ?? zeroOf(type.values));
      this.#path.pop();
    }
    return copy;
  }

  #list(type: ListSchema, value: unknown): unknown[] {
    if (!Array.isArray(value)) throw this.#mismatch(value, type);
    return value.map((item, i) => {
      this.#path.push(i);
      const read = this.read(type.items, item) ?? zeroOf(type.items);
      this.#path.pop();
      return read;
    });
  }

  #complain(what: "unknown" | "duplicate"): void {
    this.complaints.push(`${what} field "${this.#shownPath()}"`);
  }

  #shownPath(): string {
    let shown = "";
    for (const part of this.#path) {
      if (typeof part === "number") shown += `[${part}]`;
      else shown += shown === "" ? part : `.${part}`;
    }
    return shown;
  }

  #mismatch(value: unknown, type: TypeSchema): DecodeError {
    const where = this.#fields.length === 0 ? "" : `${this.#struct.split(".").at(-1)}.${this.#fields.join(".")}`;
    return mismatch(value, type, where);
  }
}

function isLeftOut(field: FieldSchema, value: unknown): boolean {
  if (field.omitsZero && (value === "" || value === 0 || value === false)) return true;
  if (field.isRequired) return false;
  if (field.type.kind === "list") return (value as unknown[]).length === 0;
  return field.type.kind === "map" && Object.keys(value as object).length === 0;
}

function zeroOf(type: TypeSchema): unknown {
  switch (type.kind) {
    case "string":
    case "bytes":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
    case "int-or-string":
      return 0;
    case "quantity":
      return "0";
    case "list":
      return [];
    default:
      return type.kind === "time" || type.kind === "micro-time" || type.kind === "any" ? null : {};
  }
}

function isInteger(value: unknown, bits: 32 | 64): boolean {
  if (typeof value !== "number") return false;
  return bits === 32 ? value === (value | 0) : Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

const quantityFormat = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function readQuantity(value: unknown): string {
  const isText = typeof value === "string";
  const canonical = isText || typeof value === "number" ? canonicalQuantity(isText ? value.trim() : value) : undefined;
  if (canonical !== undefined) return canonical;
  const hasNumber = isText && /^[+-]?(\d+\.?\d*|\.\d+)[eEinumkKMGTP]+[-+]?\d*$/.test(value.trim());
  throw new DecodeError(
    hasNumber ? "unable to parse quantity's suffix" : `quantities must match the regular expression ${quantityFormat}`,
  );
}

function checkBase64(value: string): string {
  const text = value.replace(/[\r\n]/g, "");
  const digits = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const isPadded = /^={0,2}$/.test(text.slice(digits)) && text.length % 4 === 0;
  // A digit too few spoils the four that it belongs to.
  const at = isPadded ? -1 : digits === text.length ? digits - (digits % 4) : digits;
  if (at >= 0) throw new DecodeError(`illegal base64 data at input byte ${at}`);
  return text;
}
