import { goTypeOf, type TypeSchema } from "./type-schema.ts";

/** Thrown where a value cannot be what its type says; the message is the one a Go decoder gives. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** The words where no text is decoded but one value made into another, as strategic merge patches do. */
  readonly conversion: string;

  constructor(message: string, conversion = message) {
    super(message);
    this.conversion = conversion;
  }
}

/** `where` is a field such as `PodSpec.spec.hostNetwork`, or empty for a value that is no field. */
export function mismatch(value: unknown, type: TypeSchema, where: string): DecodeError {
  const place = where === "" ? "Go value" : `Go struct field ${where}`;
  const isOutOfRange = type.kind === "integer" && typeof value === "number";
  const found = `${jsonTypeOf(value)}${isOutOfRange ? ` ${value}` : ""}`;
  return new DecodeError(
    `json: cannot unmarshal ${found} into ${place} of type ${goTypeOf(type)}`,
    conversionMismatch(value, type),
  );
}

function conversionMismatch(value: unknown, type: TypeSchema): string {
  const go = goTypeOf(type);
  switch (type.kind) {
    case "struct":
      return `cannot restore struct from: ${goKindOf(value)}`;
    case "map":
    case "raw":
      return `cannot restore map from ${goKindOf(value)}`;
    case "list":
    case "bytes":
      return `cannot restore slice from ${goKindOf(value)}`;
    default:
      // Go can turn numbers into text and into other numbers, if not these.
      return typeof value === "number" && type.kind !== "boolean"
        ? `cannot convert ${goKindOf(value)} to ${go}`
        : `unrecognized type: ${go}`;
  }
}

export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function goKindOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : Array.isArray(value) ? "slice" : "map";
}
