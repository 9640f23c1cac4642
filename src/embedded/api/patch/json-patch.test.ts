import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../api-error.ts";
import { jsonPatch, type PatchOperation } from "./json-patch.ts";

const target = () => ({ a: { b: 1 }, list: ["x", "y", "z"], "k/~": 2 });

function outcome(...operations: PatchOperation[]): unknown {
  try {
    return jsonPatch(target(), operations);
  } catch (error) {
    return error instanceof ApiError ? error.code : error;
  }
}

describe("jsonPatch", () => {
  it("adds, replaces, removes, moves, copies and tests", () => {
    assert.deepEqual(outcome({ op: "add", path: "/list/1", value: "n" }), { ...target(), list: ["x", "n", "y", "z"] });
    assert.deepEqual(outcome({ op: "add", path: "/list/-", value: "n" }), { ...target(), list: ["x", "y", "z", "n"] });
    assert.deepEqual(outcome({ op: "replace", path: "/list/-1", value: 1 }), { ...target(), list: ["x", "y", 1] });
    assert.deepEqual(outcome({ op: "replace", path: "/a/new", value: 1 }), { ...target(), a: { b: 1, new: 1 } });
    assert.deepEqual(outcome({ op: "remove", path: "/k~1~0" }), { a: { b: 1 }, list: ["x", "y", "z"] });
    assert.deepEqual(outcome({ op: "move", from: "/list/0", path: "/list/-" }), { ...target(), list: ["y", "z", "x"] });
    assert.deepEqual(outcome({ op: "copy", from: "/a", path: "/c" }), { ...target(), c: { b: 1 } });
    assert.deepEqual(outcome({ op: "test", path: "/a", value: { b: 1 } }), target());
  });

  it("refuses what does not apply, without saying why", () => {
    const refused: PatchOperation[] = [
      { op: "test", path: "/a/b", value: 2 },
      { op: "remove", path: "/none" },
      { op: "add", path: "/none/x", value: 1 },
      { op: "add", path: "/list/9", value: 1 },
      { op: "replace", path: "/list/x", value: 1 },
      { op: "move", from: "/none", path: "/x" },
      { op: "add", path: "", value: 1 },
      { op: "frob", path: "/a" },
      {},
    ];
    assert.deepEqual(
      refused.map((operation) => outcome(operation)),
      refused.map(() => 422),
    );
  });

  it("changes nothing of what it was given, and shares what it need not change", () => {
    const before = target();
    const after = jsonPatch(before, [{ op: "add", path: "/a/c", value: 1 }]) as ReturnType<typeof target>;
    assert.deepEqual([before, after.list === before.list], [target(), true]);
  });

  it("takes a key called __proto__ for a key", () => {
    const after = jsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]) as object;
    assert.deepEqual([Object.keys(after), "polluted" in {}, "polluted" in after], [["__proto__"], false, false]);
  });
});
