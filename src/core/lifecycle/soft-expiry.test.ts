import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { softExpiryOf } from "./soft-expiry.ts";

const week = 7 * 24 * 3_600_000;

test("a claim expires softly at its time, or up to a tenth later, always at the same moment", () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.integer({ min: 0, max: 2e12 }),
      fc.integer({ min: 1, max: week }),
      (uid, createdAt, after) => {
        const at = softExpiryOf({ uid, createdAt }, after);
        assert.ok(at >= createdAt + after && at <= createdAt + after * 1.1);
        assert.equal(softExpiryOf({ uid, createdAt }, after), at);
      },
    ),
  );
});

test("claims whose uids differ little are spread evenly", () => {
  const counts = Array.from({ length: 10 }, () => 0);
  for (let index = 0; index < 10_000; index++) {
    const late = softExpiryOf({ uid: `claim-${index}`, createdAt: 0 }, week) - week;
    const tenth = Math.floor((late / (week * 0.1)) * 10);
    counts[tenth] = (counts[tenth] ?? 0) + 1;
  }
  assert.ok(
    counts.every((count) => count > 850 && count < 1_150),
    counts.join(),
  );
});
