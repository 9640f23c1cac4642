import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../core/api/schema/json.ts";
import { structNamed } from "../../schema/type-schema.ts";
import { ApiError } from "../api-error.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const type = structNamed("io.k8s.api.core.v1.Pod");
const pod = (names: readonly string[]) => ({
  spec: { containers: names.map((name) => ({ name, image: `${name}:1` })) },
});
const merge = (target: JsonObject, patch: JsonObject) => strategicMergePatch(target, patch, type);
const containersAfter = (patch: JsonObject) =>
  (merge(pod(["a", "b", "c"]), { spec: patch }).spec as { containers: { name: string }[] }).containers.map(
    ({ name }) => name,
  );

describe("strategicMergePatch", () => {
  it("merges items by their key, and puts new ones first", () => {
    const patch = {
      spec: {
        containers: [
          { name: "b", image: "b:2" },
          { name: "n", image: "n:1" },
        ],
      },
    };
    assert.deepEqual(merge(pod(["a", "b"]), patch), {
      spec: {
        containers: [
          { name: "a", image: "a:1" },
          { name: "b", image: "b:2" },
          { name: "n", image: "n:1" },
        ],
      },
    });
    assert.deepEqual(containersAfter({ containers: [{ name: "n" }] }), ["n", "a", "b", "c"]);
  });

  it("deletes, replaces and orders on request", () => {
    assert.deepEqual(containersAfter({ containers: [{ name: "b", $patch: "delete" }] }), ["a", "c"]);
    assert.deepEqual(containersAfter({ containers: [{ name: "n" }, { $patch: "replace" }] }), ["n"]);
    const order = ["c", "b", "a"].map((name) => ({ name }));
    assert.deepEqual(containersAfter({ "$setElementOrder/containers": order }), ["c", "b", "a"]);
    assert.deepEqual(
      containersAfter({ "$setElementOrder/containers": [{ name: "n" }, { name: "b" }], containers: [{ name: "n" }] }),
      ["n", "a", "b", "c"],
    );
  });

  it("merges lists of plain values as sets", () => {
    const target = { metadata: { finalizers: ["a/x", "b/x"] } };
    const added = merge(target, { metadata: { finalizers: ["c/x", "a/x"] } });
    const removed = merge(target, { metadata: { "$deleteFromPrimitiveList/finalizers": ["a/x"] } });
    assert.deepEqual(
      [added, removed],
      [{ metadata: { finalizers: ["c/x", "a/x", "b/x"] } }, { metadata: { finalizers: ["b/x"] } }],
    );
  });

  it("removes by null, keeps only what it is told to retain, and replaces objects on request", () => {
    const target = { metadata: { labels: { a: "1", b: "2" } } };
    assert.deepEqual(merge(target, { metadata: { labels: { a: null, c: "3" } } }), {
      metadata: { labels: { b: "2", c: "3" } },
    });
    assert.deepEqual(merge(target, { metadata: { labels: { $patch: "replace", c: "3" } } }), {
      metadata: { labels: { c: "3" } },
    });
    assert.deepEqual(merge(target, { metadata: { labels: { $retainKeys: ["b"] } } }), {
      metadata: { labels: { b: "2" } },
    });
  });

  it("drops directives and nulls where there is nothing to merge with", () => {
    const patch = {
      spec: {
        containers: [
          { name: "a", image: null },
          { name: "b", $patch: "delete" },
        ],
      },
    };
    assert.deepEqual(merge({}, patch), { spec: { containers: [{ name: "a" }] } });
  });

  it("refuses what makes no sense in the words of the real server", () => {
    const refusal = (containers: unknown, rest: object = {}): string => {
      try {
        merge(pod(["a"]), { spec: { containers, ...rest } });
      } catch (error) {
        return error instanceof ApiError ? `${error.code} ${error.message}` : String(error);
      }
      return "";
    };
    assert.deepEqual(
      [
        refusal([{ name: "a", $patch: "frob" }]),
        refusal([{ image: "x" }]),
        refusal([{ name: "n" }], { "$setElementOrder/containers": [{ name: "a" }] }),
        refusal([], { $retainKeys: "x" }),
      ],
      [
        "500 unknown patch type: frob in map: map[$patch:frob name:a]",
        "500 map: map[image:x] does not contain declared merge key: name",
        "500 The order in patch list:\n[map[name:n]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
        "400 invalid patch format of retainKeys",
      ],
    );
  });
});
