import type { JsonObject } from "../../core/api/schema/json.ts";
import { DecodeError } from "./decode-error.ts";
import { inlineStruct, type StructSchema, structNamed, type TypeSchema, typeNameOf } from "./type-schema.ts";

// Go clients send built-in kinds as protobuf. This turns a message into the JSON it stands for; answers are JSON.

const magic = [0x6b, 0x38, 0x73, 0x00];

/** Reads an object in the envelope that the API defines: four bytes, its kind, and the message itself. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (!magic.every((byte, i) => bytes[i] === byte))
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`,
    );
  let [apiVersion, kind, raw] = ["", "", new Uint8Array()];
  for (const { number, bytes: value } of fieldsOf(bytes.subarray(4))) {
    if (number === 1) {
      for (const part of fieldsOf(value)) {
        if (part.number === 1) apiVersion = text(part.bytes);
        if (part.number === 2) kind = text(part.bytes);
      }
    } else if (number === 2) raw = new Uint8Array(value);
  }
  const name = typeNameOf(apiVersion, kind);
  if (name === undefined) throw new DecodeError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { apiVersion, kind, ...readStruct(structNamed(name), raw) };
}

interface Field {
  readonly number: number;
  /** Of a field of length; empty for numbers. */
  readonly bytes: Uint8Array;
  readonly value: bigint;
}

function* fieldsOf(message: Uint8Array): Generator<Field> {
  const reader = new ByteReader(message);
  while (!reader.isAtEnd()) {
    const tag = Number(reader.varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, bytes: new Uint8Array(), value: reader.varint() };
        break;
      case 1:
        yield { number, bytes: reader.take(8), value: 0n };
        break;
      case 2:
        yield { number, bytes: reader.take(Number(reader.varint())), value: 0n };
        break;
      case 5:
        yield { number, bytes: reader.take(4), value: 0n };
        break;
      default:
        throw new DecodeError("proto: illegal wireType");
    }
  }
}

class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new DecodeError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new DecodeError("proto: integer overflow");
  }

  take(length: number): Uint8Array {
    if (length < 0 || this.#at + length > this.#bytes.length) throw new DecodeError("unexpected EOF");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

const decoder = new TextDecoder();

function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function readStruct(type: StructSchema, message: Uint8Array): JsonObject {
  const byNumber = new Map(
    [...type.fields]
      .filter(([, field]) => field.protobufNumber > 0)
      .map(([name, field]) => [field.protobufNumber, { name, field }]),
  );
  const object: JsonObject = {};
  for (const part of fieldsOf(message)) {
    const inline = type.inline.get(part.number);
    if (inline !== undefined) {
      Object.assign(object, readInline(inline, type, part.bytes));
      continue;
    }
    const found = byNumber.get(part.number);
    if (found === undefined) continue;
    const { name, field } = found;
    if (field.type.kind === "list")
      object[name] = [...((object[name] as unknown[] | undefined) ?? []), readValue(field.type.items, part)];
    else if (field.type.kind === "map")
      object[name] = { ...(object[name] as JsonObject | undefined), ...readEntry(field.type.values, part.bytes) };
    else object[name] = readValue(field.type, part);
  }
  return object;
}

/** The fields of an inlined struct are ours in JSON; OpenAPI lists them as ours, and only the Go facts know the struct. */
function readInline(name: string, outer: StructSchema, message: Uint8Array): JsonObject {
  const { numbers, inline } = inlineStruct(name);
  const fields = new Map(
    [...outer.fields].flatMap(([field, schema]) => {
      const number = numbers.get(field);
      return number === undefined ? [] : [[field, { ...schema, protobufNumber: number }] as const];
    }),
  );
  return readStruct({ ...outer, fields, inline }, message);
}

function readEntry(values: TypeSchema, message: Uint8Array): JsonObject {
  let [key, value]: [string, unknown] = ["", values.kind === "string" ? "" : undefined];
  for (const part of fieldsOf(message)) {
    if (part.number === 1) key = text(part.bytes);
    if (part.number === 2) value = readValue(values, part);
  }
  return { [key]: value };
}

function readValue(type: TypeSchema, part: Field): unknown {
  switch (type.kind) {
    case "string":
      return text(part.bytes);
    case "bytes":
      return Buffer.from(part.bytes).toString("base64");
    case "boolean":
      return part.value !== 0n;
    case "integer":
      return Number(type.bits === 32 ? BigInt.asIntN(32, part.value) : part.value);
    case "number":
      return Buffer.from(part.bytes).readDoubleLE(0);
    case "quantity":
      return text(firstBytes(part.bytes));
    case "int-or-string":
      return readIntOrString(part.bytes);
    case "time":
    case "micro-time":
      return readTime(part.bytes, type.kind);
    case "raw":
    case "any":
      return JSON.parse(text(firstBytes(part.bytes)) || "null");
    case "struct":
      return readStruct(type, part.bytes);
    case "map":
    case "list":
      // A named list of lists or of maps is a message with one repeated field; the kinds we serve have none but this.
      return [...fieldsOf(part.bytes)].map((item) => readValue(type.kind === "list" ? type.items : type.values, item));
  }
}

function firstBytes(message: Uint8Array): Uint8Array {
  for (const { number, bytes } of fieldsOf(message)) if (number === 1) return bytes;
  return new Uint8Array();
}

function readIntOrString(message: Uint8Array): number | string {
  let [isText, number, word] = [false, 0, ""];
  for (const part of fieldsOf(message)) {
    if (part.number === 1) isText = part.value === 1n;
    if (part.number === 2) number = Number(BigInt.asIntN(32, part.value));
    if (part.number === 3) word = text(part.bytes);
  }
  return isText ? word : number;
}

function readTime(message: Uint8Array, kind: "time" | "micro-time"): string | null {
  let [seconds, nanoseconds] = [0n, 0n];
  let isSet = false;
  for (const part of fieldsOf(message)) {
    isSet = true;
    if (part.number === 1) seconds = part.value;
    if (part.number === 2) nanoseconds = part.value;
  }
  // The zero time of Go, at the beginning of the year 1, means none.
  if (!isSet || seconds < -62135596800n + 1n) return null;
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return kind === "time" ? `${date}Z` : `${date}.${String(nanoseconds / 1000n).padStart(6, "0")}Z`;
}
