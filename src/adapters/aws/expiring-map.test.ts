import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ExpiringMap } from "./expiring-map.ts";

class HandClock {
  time = 0;
  now(): number {
    return this.time;
  }
  after(): never {
    throw new Error("nothing waits here");
  }
}

describe("a map that forgets", () => {
  it("knows a value until its time is up, counted from when it was last set", () => {
    const clock = new HandClock();
    const map = new ExpiringMap<number>({ clock, milliseconds: 10 });
    map.set("a", 1);
    clock.time = 9;
    assert.equal(map.get("a"), 1);
    map.set("a", 2);
    clock.time = 18;
    assert.equal(map.get("a"), 2);
    clock.time = 19;
    assert.equal(map.get("a"), undefined);
  });

  it("lets the oldest go when it is full", () => {
    const clock = new HandClock();
    const map = new ExpiringMap<number>({ clock, milliseconds: 10, most: 2 });
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    map.set("c", 4);
    assert.deepEqual([map.get("a"), map.get("b"), map.get("c")], [3, undefined, 4]);
  });

  it("forgets what it is told to", () => {
    const map = new ExpiringMap<number>({ clock: new HandClock(), milliseconds: 10 });
    for (const key of ["a:1", "a:2", "b:1"]) map.set(key, 1);
    map.delete("a:2");
    map.deleteWhere((key) => key.startsWith("a:"));
    assert.deepEqual([map.get("a:1"), map.get("a:2"), map.get("b:1")], [undefined, undefined, 1]);
  });

  it("lists what it still knows", () => {
    const clock = new HandClock();
    const map = new ExpiringMap<number>({ clock, milliseconds: 10 });
    map.set("a", 1);
    clock.time = 5;
    map.set("b", 2);
    clock.time = 10;
    assert.deepEqual([...map.entries()], [["b", 2]]);
  });
});
