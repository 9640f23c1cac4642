import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelClaim } from "../../../../test/support/model-machine.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import { InstanceIndex } from "./instance-index.ts";

type Listener = Parameters<ClusterView["claims"]["onChange"]>[0];

class Claims {
  readonly #claims = new Map<string, NodeClaim>();
  readonly #listeners = new Set<Listener>();

  get size(): number {
    return this.#claims.size;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  get(key: string): NodeClaim | undefined {
    return this.#claims.get(key);
  }

  values(): Iterable<NodeClaim> {
    return this.#claims.values();
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  put(name: string, providerId: string | undefined): void {
    const before = this.#claims.get(name);
    const after = providerId === undefined ? undefined : modelClaim({ name, providerId });
    if (after === undefined) this.#claims.delete(name);
    else this.#claims.set(name, after);
    for (const listener of this.#listeners) listener({ key: name, before, after });
  }
}

describe("the index of instances", () => {
  test("knows claims that were there before, come later, get their machine late, and go", () => {
    const claims = new Claims();
    claims.put("old", "aws:///us-west-2a/i-1");
    const index = new InstanceIndex({ claims });
    index.start();
    claims.put("late", "");
    claims.put("late", "aws:///us-west-2b/i-2");
    claims.put("late", "aws:///us-west-2b/i-2");
    const namesOf = (id: string) => index.claimsOf(id).map(({ name }) => name);
    assert.deepEqual([namesOf("i-1"), namesOf("i-2"), namesOf("i-3")], [["old"], ["late"], []]);
    claims.put("old", undefined);
    assert.deepEqual(namesOf("i-1"), []);
    index.stop();
    assert.deepEqual([namesOf("i-2"), claims.listeners], [[], 0]);
  });

  test("is not taken in by ids that are not those of instances", () => {
    const claims = new Claims();
    const index = new InstanceIndex({ claims });
    index.start();
    for (const id of ["", "kwok://a", "aws:///us-west-2a/", "aws:///a/b/i-1", "aws:///a/fargate-1"]) {
      claims.put(id, id);
    }
    for (const id of ["", "i-1", "a", "fargate-1", "__proto__", "constructor"]) {
      assert.deepEqual(index.claimsOf(id), []);
    }
  });
});
