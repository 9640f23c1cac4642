import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Draft, KubeObject } from "../kube-object.ts";
import { type Collection, keyOf } from "./collection.ts";
import { ObjectStore } from "./object-store.ts";

const draft = (namespace: string, name: string, data = ""): Draft => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { namespace, name },
  data,
});

function store(): { store: ObjectStore; things: Collection; put: (...of: Parameters<typeof draft>) => void } {
  const made = new ObjectStore(3);
  const things = made.collection("things");
  return { store: made, things, put: (...of) => void made.put(things, keyOf(draft(...of)), draft(...of)) };
}

const shown = (objects: Iterable<KubeObject>) => [...objects].map((object) => `${keyOf(object)}${object.data}`);

describe("Collection", () => {
  it("lists by key, from a place on, and knows how many there are", () => {
    const { things, put } = store();
    for (const [namespace, name] of [
      ["b", "y"],
      ["a", "x"],
      ["b", "x"],
      ["a-b", "z"],
      ["a", "z"],
    ])
      put(namespace ?? "", name ?? "");
    assert.deepEqual(
      [shown(things.list()), shown(things.list("a/")), shown(things.list("a/", "a/x")), shown(things.list("", "a/z"))],
      [["a-b/z", "a/x", "a/z", "b/x", "b/y"], ["a/x", "a/z"], ["a/z"], ["b/x", "b/y"]],
    );
    assert.deepEqual(
      [things.count(""), things.count("a/"), things.count("a/", "a/x"), things.count("c/")],
      [5, 2, 1, 0],
    );
  });

  it("shows the past as it was, until it is forgotten", () => {
    const { store: made, things, put } = store();
    put("a", "x");
    put("a", "y");
    const version = made.version;
    put("a", "x", "2");
    put("a", "w");
    made.remove(things, "a/y");
    assert.deepEqual(
      [shown(things.list()), shown(things.listAt(version, "a/")), shown(things.listAt(version, "a/", "a/x"))],
      [["a/w", "a/x2"], ["a/x", "a/y"], ["a/y"]],
    );
    assert.deepEqual([things.getAt(version, "a/y")?.metadata.name, things.getAt(version, "a/w")], ["y", undefined]);
    put("a", "x", "3");
    assert.equal(things.compactedVersion, 3);
  });

  it("forgets everything on request, and tells of nothing that it forgot", () => {
    const { store: made, things, put } = store();
    put("a", "x");
    assert.deepEqual([things.compactedVersion, things.eventsAfter(0).length], [0, 1]);
    made.compact();
    assert.deepEqual([things.compactedVersion, things.eventsAfter(0).length], [1, 0]);
  });
});
