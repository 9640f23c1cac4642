import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeClaim } from "../model/node-claim.ts";
import { findStrays, type Machine } from "./collection.ts";

const now = 1_000_000;

function machine(providerId: string, fields: Partial<Machine> = {}): Machine {
  return { providerId, claimName: "", createdAt: 0, isTerminating: false, ...fields };
}

function claim(name: string, providerId = ""): NodeClaim {
  return { name, providerId } as NodeClaim;
}

describe("findStrays", () => {
  it("finds machines that no claim has or will have", () => {
    const machines = [
      machine("of-a", { claimName: "a" }),
      machine("for-b", { claimName: "b" }),
      machine("second-of-a", { claimName: "a" }),
      machine("of-nobody", { claimName: "c" }),
      machine("of-a-too"),
      machine("nameless"),
      machine("going", { isTerminating: true }),
    ];
    const claims = [claim("a", "of-a"), claim("b"), claim("d", "of-a-too")];
    const { strays, judgeAgainIn } = findStrays(machines, claims, now);
    assert.deepEqual(
      [strays.map(({ providerId }) => providerId), judgeAgainIn],
      [["second-of-a", "of-nobody", "nameless"], undefined],
    );
  });

  it("waits with young ones until the youngest is old enough", () => {
    const machines = [machine("young", { createdAt: now - 20_000 }), machine("younger", { createdAt: now - 5_000 })];
    assert.deepEqual(findStrays(machines, [], now), { strays: [], judgeAgainIn: 25_000 });
  });
});
