import { isJsonObject } from "../kube-object.ts";
import { canonicalQuantity } from "./canonical-quantity.ts";
import { type FieldSchema, goTypeOf, type StructSchema, type TypeSchema } from "./type-schema.ts";

export interface Decoded {
  /** A copy of its own, with only the fields that the type has. */
  readonly value: { [field: string]: unknown };
  /** Paths of fields that the type does not have, as in `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** Thrown where a value cannot be what its type says; the message is the one a Go decoder gives. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Reads a value of that type as the API server does: zero values that JSON leaves out are gone, quantities and times canonical. */
export function decode(type: StructSchema, value: unknown): Decoded {
  const reader = new Reader();
  return { value: reader.struct(type, value, { path: "", go: type.name }), unknownFields: reader.unknownFields };
}

/** Where in the object, for messages: the JSON path and the Go struct around it. */
interface Place {
  readonly path: string;
  readonly go: string;
}

/** No honest object is nested deeper. */
const deepest = 200;

class Reader {
  readonly unknownFields: string[] = [];
  #depth = 0;

  struct(type: StructSchema, value: unknown, place: Place): { [field: string]: unknown } {
    if (!isJsonObject(value)) throw mismatch(value, type, place);
    if (++this.#depth > deepest) throw new DecodeError("exceeded max depth");
    const copy: { [field: string]: unknown } = {};
    const struct = type.name;
    for (const name of Object.keys(value)) {
      const field = type.fields.get(name);
      const path = place.path === "" ? name : `${place.path}.${name}`;
      if (field === undefined) {
        this.unknownFields.push(path);
        continue;
      }
      const read = this.read(field.type, value[name], { path, go: struct });
      if (read !== undefined && !isLeftOut(field, read)) copy[name] = read;
    }
    for (const [name, field] of type.fields) {
      if (field.isValue && copy[name] === undefined && name !== "metadata") copy[name] = {};
    }
    this.#depth--;
    return copy;
  }

  read(type: TypeSchema, value: unknown, place: Place): unknown {
    if (value === null) return undefined;
    switch (type.kind) {
      case "string":
        if (typeof value !== "string") throw mismatch(value, type, place);
        return value;
      case "bytes":
        if (typeof value !== "string") throw mismatch(value, type, place);
        return checkBase64(value);
      case "boolean":
        if (typeof value !== "boolean") throw mismatch(value, type, place);
        return value;
      case "number":
        if (typeof value !== "number") throw mismatch(value, type, place);
        return value;
      case "integer":
        return readInteger(value, type, place);
      case "quantity":
        return readQuantity(value, place);
      case "int-or-string":
        if (typeof value !== "string" && !Number.isInteger(value)) throw mismatch(value, type, place);
        return value;
      case "time":
      case "micro-time":
        return readTime(value, type, place);
      case "any":
        return structuredClone(value);
      case "raw":
        if (!isJsonObject(value)) throw mismatch(value, type, place);
        return structuredClone(value);
      case "struct":
        return this.struct(type, value, place);
      case "map":
        return this.#map(type.values, value, { type, place });
      case "list":
        if (!Array.isArray(value)) throw mismatch(value, type, place);
        return value.map((item, i) => {
          const path = `${place.path}[${i}]`;
          return this.read(type.items, item, { path, go: place.go }) ?? zeroOf(type.items);
        });
    }
  }

  #map(values: TypeSchema, value: unknown, at: { type: TypeSchema; place: Place }): unknown {
    if (!isJsonObject(value)) throw mismatch(value, at.type, at.place);
    const copy: { [key: string]: unknown } = Object.create(null);
    for (const key of Object.keys(value)) {
      const path = `${at.place.path}.${key}`;
      copy[key] = this.read(values, value[key], { path, go: at.place.go }) ?? zeroOf(values);
    }
    // A plain object again, in which a key such as "__proto__" is an ordinary key.
    return "__proto__" in copy ? Object.defineProperties({}, Object.getOwnPropertyDescriptors(copy)) : { ...copy };
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

function readInteger(value: unknown, type: { readonly kind: "integer"; readonly bits: 32 | 64 }, place: Place): number {
  if (typeof value !== "number") throw mismatch(value, type, place);
  const isTooLarge = type.bits === 32 ? value !== (value | 0) : Math.abs(value) > 2 ** 63;
  if (!Number.isInteger(value) || isTooLarge) throw mismatch(value, type, place, ` ${value}`);
  return value;
}

function readQuantity(value: unknown, place: Place): string {
  if (typeof value !== "string" && typeof value !== "number") throw mismatch(value, { kind: "quantity" }, place);
  const canonical = canonicalQuantity(value);
  if (canonical !== undefined) return canonical;
  if (value === "") return "0";
  throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

function readTime(value: unknown, type: { readonly kind: "time" | "micro-time" }, place: Place): string {
  if (typeof value !== "string") throw mismatch(value, type, place);
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(value);
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`);
  if (match === null || Number.isNaN(milliseconds)) {
    const layout = type.kind === "time" ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
    throw new DecodeError(
      `parsing time ${JSON.stringify(value)} as "${layout}": cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  }
  const seconds = new Date(milliseconds).toISOString().slice(0, 19);
  return type.kind === "time" ? `${seconds}Z` : `${seconds}.${(match[2] ?? "").padEnd(6, "0").slice(0, 6)}Z`;
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

function mismatch(value: unknown, type: TypeSchema, place: Place, shown = ""): DecodeError {
  const found = Array.isArray(value)
    ? "array"
    : value === null
      ? "null"
      : isJsonObject(value)
        ? "object"
        : `${typeof value}`;
  const word = found === "boolean" ? "bool" : found;
  const struct = place.go.split(".").at(-1) ?? "";
  const where = place.path === "" ? "Go value" : `Go struct field ${struct}.${place.path.replace(/\[\d+\]/g, "")}`;
  return new DecodeError(`json: cannot unmarshal ${word}${shown} into ${where} of type ${goTypeOf(type)}`);
}
