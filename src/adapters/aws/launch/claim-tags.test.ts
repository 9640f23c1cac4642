import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cutIntoLots, readClaimTags, writeClaimTags } from "./claim-tags.ts";

const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/), { minLength: 1, maxLength: 300 });

describe("the tags that name the claims of a machine", () => {
  it("say of every lot who is in it, within what AWS allows", () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 0, max: 50 }), (claims, otherTags) => {
        const lots = cutIntoLots(
          claims.map((claimName) => ({ claimName })),
          otherTags,
        );
        const told: string[] = [];
        for (const lot of lots) {
          const tags = writeClaimTags(lot.map(({ claimName }) => claimName));
          assert.ok(tags.size <= 8);
          // Name and nodeclaim come later, unless the latter is what names the claim already.
          if (otherTags <= 48)
            assert.ok(new Set([...tags.keys(), "Name", "karpenter.sh/nodeclaim"]).size + otherTags <= 50);
          for (const value of tags.values()) assert.ok(value.length <= 256);
          told.push(...readClaimTags(tags));
        }
        assert.deepEqual(told, claims);
      }),
    );
  });

  it("keep a small batch in one lot", () => {
    const claims = Array.from({ length: 100 }, (_, i) => ({ claimName: `default-${i}abcd` }));
    assert.equal(cutIntoLots(claims, 5).length, 1);
  });

  it("are those of Karpenter for one claim", () => {
    assert.deepEqual([...writeClaimTags(["default-a"])], [["karpenter.sh/nodeclaim", "default-a"]]);
  });

  it("name one claim only once it is known which", () => {
    const tags = new Map([...writeClaimTags(["a", "b"]), ["karpenter.sh/nodeclaim", "b"]]);
    assert.deepEqual(readClaimTags(tags), ["b"]);
  });
});
