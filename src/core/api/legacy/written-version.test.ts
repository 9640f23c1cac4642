import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writtenVersion } from "./written-version.ts";

const served = "karpenter.sh/v1alpha5";
const ofSpec = (apiVersion: string, time: string, operation = "Update") => ({
  apiVersion,
  time,
  operation,
  fieldsV1: { "f:spec": {} },
});

function versionOf(metadata: object, spec: object = {}): string {
  return writtenVersion({ apiVersion: served, kind: "Provisioner", metadata, spec });
}

describe("the version that a Provisioner was written in", () => {
  it("is what kubectl keeps of the manifest", () => {
    const kept = (text: string) => ({ annotations: { "kubectl.kubernetes.io/last-applied-configuration": text } });
    assert.equal(versionOf(kept('{"apiVersion":"karpenter.sh/v1alpha3"}')), "karpenter.sh/v1alpha3");
    for (const text of ["", "{", "7", "null", '{"apiVersion":"v1"}', '{"apiVersion":7}']) {
      assert.equal(versionOf(kept(text)), served);
    }
  });

  it("is otherwise that of who applied the spec last, or wrote it last", () => {
    const managedFields = [
      ofSpec("karpenter.sh/v1alpha3", "2026-01-01T00:00:00Z"),
      ofSpec("karpenter.sh/v1alpha4", "2026-01-02T00:00:00Z"),
      { ...ofSpec("karpenter.sh/v1alpha5", "2026-01-03T00:00:00Z"), fieldsV1: { "f:status": {} } },
    ];
    assert.equal(versionOf({ managedFields }), "karpenter.sh/v1alpha4");
    const applied = ofSpec("karpenter.sh/v1alpha3", "2025-01-01T00:00:00Z", "Apply");
    assert.equal(versionOf({ managedFields: [...managedFields, applied] }), "karpenter.sh/v1alpha3");
  });

  it("is otherwise told by fields that only earlier versions had", () => {
    for (const spec of [{ instanceTypes: [] }, { constraints: [] }, { provider: { cluster: {} } }]) {
      assert.equal(versionOf({}, spec), "karpenter.sh/v1alpha4");
    }
    assert.equal(versionOf({}, { provider: { tags: {} } }), served);
  });

  it("is anything for what is no Provisioner", () => {
    for (const wire of [
      undefined,
      7,
      {},
      { apiVersion: 7, metadata: 7, spec: 7 },
      { metadata: { managedFields: [7] } },
    ]) {
      assert.equal(writtenVersion(wire), "");
    }
  });
});
