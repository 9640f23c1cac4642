import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DecodeError } from "./decode-error.ts";
import { decodeProtobuf } from "./protobuf.ts";

/** A field of length, as protobuf writes it. */
function field(number: number, content: string | Uint8Array | readonly Uint8Array[]): Uint8Array {
  const bytes =
    typeof content === "string" || content instanceof Uint8Array ? Buffer.from(content) : Buffer.concat(content);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function number(at: number, value: number): Uint8Array {
  return Buffer.concat([varint(at << 3), varint(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}

function envelope(apiVersion: string, kind: string, message: readonly Uint8Array[]): Uint8Array {
  const type = field(1, [field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([Buffer.from("k8s\0"), type, field(2, message)]);
}

const metadata = field(1, [field(1, "one"), field(3, "default"), field(11, [field(1, "a"), field(2, "b")])]);

describe("decodeProtobuf", () => {
  it("reads the JSON that a message stands for", () => {
    const data = field(2, [field(1, "key"), field(2, "värde")]);
    assert.deepEqual(decodeProtobuf(envelope("v1", "ConfigMap", [metadata, data])), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one", namespace: "default", labels: { a: "b" } },
      data: { key: "värde" },
    });
  });

  it("reads times with and without microseconds", () => {
    const renewTime = field(4, [number(1, 1_700_000_000), number(2, 5_000)]);
    const spec = field(2, [field(1, "me"), number(2, 40), renewTime]);
    assert.deepEqual(decodeProtobuf(envelope("coordination.k8s.io/v1", "Lease", [spec])).spec, {
      holderIdentity: "me",
      leaseDurationSeconds: 40,
      renewTime: "2023-11-14T22:13:20.000005Z",
    });
  });

  it("refuses what is no message, and never fails in another way", () => {
    assert.throws(() => decodeProtobuf(Buffer.from("{}")), /does not appear to be a protobuf message/);
    assert.throws(() => decodeProtobuf(envelope("v1", "Nothing", [])), /no kind "Nothing" is registered/);
    const whole = envelope("v1", "Pod", [metadata, field(2, [field(2, [field(1, "main")])])]);
    fc.assert(
      fc.property(fc.nat(whole.length), fc.uint8Array({ maxLength: 40 }), (cut, junk) => {
        for (const bytes of [whole.subarray(0, cut), Buffer.concat([whole.subarray(0, cut), junk])]) {
          try {
            decodeProtobuf(bytes);
          } catch (error) {
            assert.ok(error instanceof DecodeError, String(error));
          }
        }
      }),
    );
  });
});
