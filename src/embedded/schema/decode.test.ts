import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decode } from "./decode.ts";
import { DecodeError } from "./decode-error.ts";
import { structNamed } from "./type-schema.ts";

const pod = structNamed("io.k8s.api.core.v1.Pod");
const configMap = structNamed("io.k8s.api.core.v1.ConfigMap");
const lease = structNamed("io.k8s.api.coordination.v1.Lease");
const container = (fields: object) => ({ spec: { containers: [{ name: "a", ...fields }] } });

function refusal(type: typeof pod, value: unknown): DecodeError {
  try {
    decode(type, value);
  } catch (error) {
    if (error instanceof DecodeError) return error;
  }
  throw new Error("nothing was refused");
}

describe("decode", () => {
  it("leaves out what JSON would leave out, and writes quantities and times in one way", () => {
    const { value } = decode(pod, {
      metadata: { name: "a", labels: {}, creationTimestamp: "2024-01-01T02:00:00+02:00" },
      ...container({ command: [], tty: false, resources: { requests: { cpu: 0.5, memory: "1024Mi" } } }),
      status: null,
    });
    assert.deepEqual(value, {
      metadata: { name: "a", creationTimestamp: "2024-01-01T00:00:00Z" },
      spec: { containers: [{ name: "a", resources: { requests: { cpu: "500m", memory: "1Gi" } } }] },
      status: {},
    });
  });

  it("says what a strict reader objects to, in the order of the text", () => {
    const sent = { zz: 1, metadata: { x: 1, labels: { a: "b" } }, ...container({ image: "b", foo: 1 }) };
    const repeated = new Set(["metadata.labels.a", "spec.containers[0].image"]);
    assert.deepEqual(decode(pod, sent, repeated).complaints, [
      'unknown field "zz"',
      'unknown field "metadata.x"',
      'duplicate field "metadata.labels.a"',
      'duplicate field "spec.containers[0].image"',
      'unknown field "spec.containers[0].foo"',
    ]);
  });

  it("names the field that cannot be read as Go names it", () => {
    const probe = { livenessProbe: { httpGet: { port: true } } };
    const messages = [
      refusal(configMap, { data: { a: 1 } }),
      refusal(configMap, { data: [] }),
      refusal(configMap, []),
      refusal(pod, container({ ports: [{ containerPort: 5e9 }] })),
      refusal(pod, container(probe)),
      refusal(pod, { metadata: { creationTimestamp: 5 } }),
    ].map(({ message }) => message.replace("json: cannot unmarshal ", ""));
    assert.deepEqual(messages, [
      "number into Go struct field ConfigMap.data of type string",
      "array into Go struct field ConfigMap.data of type map[string]string",
      "array into Go value of type v1.ConfigMap",
      "number 5000000000 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
      "bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
      "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
    ]);
  });

  it("has other words where one value is made into another", () => {
    const conversions = [{ a: 7 }, { a: true }, "x", [1]].map((data) => refusal(configMap, { data }).conversion);
    assert.deepEqual(conversions, [
      "cannot convert int64 to string",
      "unrecognized type: string",
      "cannot restore map from string",
      "cannot restore map from slice",
    ]);
  });

  it("says what is wrong with a time", () => {
    const at = (creationTimestamp: string) => refusal(pod, { metadata: { creationTimestamp } }).message;
    const layout = '"2006-01-02T15:04:05Z07:00"';
    assert.deepEqual(
      [at("x"), at("2020-01-01"), at("2020-02-30T00:00:00Z"), at("2020-01-01T00:00:00+25:00")],
      [
        `parsing time "x" as ${layout}: cannot parse "x" as "2006"`,
        `parsing time "2020-01-01" as ${layout}: cannot parse "" as "T"`,
        'parsing time "2020-02-30T00:00:00Z": day out of range',
        'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range',
      ],
    );
  });

  it("wants microseconds where times have them", () => {
    const { message } = refusal(lease, { spec: { renewTime: "2020-01-01T00:00:00Z" } });
    const { value } = decode(lease, { spec: { renewTime: "2020-01-01T01:00:00.123456+01:00" } });
    assert.deepEqual(
      [message.slice(-27), value.spec],
      ['cannot parse "Z" as ".000000"'.slice(-27), { renewTime: "2020-01-01T00:00:00.123456Z" }],
    );
  });

  it("says what is wrong with a quantity", () => {
    const of = (cpu: unknown) => refusal(pod, container({ resources: { requests: { cpu } } })).message;
    const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    assert.deepEqual(["", "x", true, {}, "1EE"].map(of), [
      format,
      format,
      format,
      format,
      "unable to parse quantity's suffix",
    ]);
  });

  it("takes keys of maps as they are, whatever their names", () => {
    const data = JSON.parse('{"__proto__":"a","constructor":"b","toString":null}');
    const { value } = decode(configMap, { data });
    assert.deepEqual(Object.entries(value.data as object), [
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", ""],
    ]);
    assert.equal(Object.getPrototypeOf(value.data), Object.prototype);
  });

  it("reads a list of a hundred thousand, and nothing that is nested without end", () => {
    const finalizers = Array.from({ length: 100_000 }, (_, i) => `a/${i}`);
    assert.equal(
      (decode(pod, { metadata: { finalizers } }).value.metadata as typeof pod & { finalizers: [] }).finalizers.length,
      100_000,
    );
    const definition = structNamed("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    let nested: object = {};
    for (let i = 0; i < 100_000; i++) nested = { not: nested };
    assert.equal(refusal(definition, nested).message, "exceeded max depth");
  });
});
