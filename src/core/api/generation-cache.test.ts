import assert from "node:assert/strict";
import { it } from "node:test";
import { GenerationCache } from "./generation-cache.ts";

it("A generation cache forgets what nobody asks for while many others come", () => {
  const cache = new GenerationCache<number>(2);
  cache.set("forgotten", 1);
  cache.set("used", 2);
  for (const [index, key] of ["c", "d", "e", "f", "g"].entries()) {
    cache.set(key, index);
    assert.equal(cache.get("used"), 2);
  }
  assert.equal(cache.get("forgotten"), undefined);
});
