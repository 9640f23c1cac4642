import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type MatchQuestion, matchMachines, type OwnedMachine, type WantingClaim } from "./match-machines.ts";

describe("matchMachines", () => {
  it("gives what was bought together to those it was bought for, besides those that have theirs", () => {
    const machines = ["m1", "m2", "m3"].map((id) => machine(id, ["a", "b", "c"]));
    const claims = [claim("a"), claim("b", "m2"), claim("c")];
    assert.deepEqual(
      [...matchMachines({ machines, claims, assigned: new Map([["c", "m1"]]) })],
      [
        ["m1", "c"],
        ["m2", "b"],
        ["m3", "a"],
      ],
    );
  });

  it("gives nobody a second machine", () => {
    const machines = [machine("m1", ["a"]), machine("m2", ["a"])];
    assert.deepEqual(
      [...matchMachines({ machines, claims: [claim("a", "m2")], assigned: new Map() })],
      [
        ["m1", ""],
        ["m2", "a"],
      ],
    );
  });

  it("leaves the choice to those who have none", () => {
    const machines = [machine("m1", ["a", "b"]), machine("m2", ["a"])];
    const result = matchMachines({ machines, claims: [claim("a"), claim("b")], assigned: new Map() });
    assert.deepEqual(
      [...result],
      [
        ["m2", "a"],
        ["m1", "b"],
      ],
    );
  });

  it("serves claims that stay before those that go", () => {
    const claims = [{ ...claim("a"), deletedAt: 1 }, claim("b")];
    const machines = [machine("m1", ["a", "b"])];
    assert.deepEqual([...matchMachines({ machines, claims, assigned: new Map() })], [["m1", "b"]]);
  });

  it("names a claim that it has not heard of, so that somebody asks for it", () => {
    const machines = [machine("m1", ["a", "b"])];
    assert.deepEqual([...matchMachines({ machines, claims: [claim("a", "m0")], assigned: new Map() })], [["m1", "b"]]);
  });

  it("gives a machine that goes to nobody new", () => {
    const machines = [{ ...machine("m1", ["a"]), isTerminating: true }, machine("m2", ["a"])];
    assert.deepEqual(
      [...matchMachines({ machines, claims: [claim("a")], assigned: new Map() })],
      [
        ["m1", "a"],
        ["m2", "a"],
      ],
    );
  });

  it("leaves no machine over for which a claim waits, and none with two", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const result = matchMachines(question);
        const claims = new Map([...question.claims].map((one) => [one.name, one]));
        const live = question.machines.filter(({ isTerminating }) => !isTerminating);
        const taken = live.map(({ providerId }) => result.get(providerId) ?? "").filter((name) => claims.has(name));
        assert.equal(new Set(taken).size, taken.length, "one claim, one machine");
        for (const { name, providerId } of claims.values()) {
          if (result.has(providerId)) assert.equal(result.get(providerId), name, "what is written down holds");
        }
        for (const { providerId, claimNames } of live) {
          if (claims.has(result.get(providerId) ?? "")) continue;
          const waiting = claimNames.filter(
            (name) => claims.get(name)?.providerId === "" && !taken.includes(name) && !question.assigned.has(name),
          );
          assert.deepEqual(waiting, [], `${providerId} is left over`);
        }
      }),
    );
  });

  it("does not depend on the order in which machines are told", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const machines = [...question.machines].reverse();
        assert.deepEqual([...matchMachines({ ...question, machines })], [...matchMachines(question)]);
      }),
    );
  });
});

const claimName = fc.constantFrom("a", "b", "c", "d", "e", "f");
const providerId = fc.constantFrom("m1", "m2", "m3", "m4", "m5", "m6");
const questions: fc.Arbitrary<MatchQuestion> = fc.record({
  machines: fc.uniqueArray(
    fc.record({
      providerId,
      claimNames: fc.uniqueArray(claimName, { maxLength: 4 }),
      createdAt: fc.integer({ min: 0, max: 3 }),
      isTerminating: fc.boolean(),
    }),
    { selector: (one) => one.providerId },
  ),
  claims: fc
    .uniqueArray(fc.record({ name: claimName, providerId, isKnown: fc.boolean() }), { selector: (one) => one.name })
    .map((claims) => {
      const seen = new Set<string>();
      return claims.map(({ name, providerId: id, isKnown }): WantingClaim => {
        const isFirst = isKnown && !seen.has(id);
        if (isFirst) seen.add(id);
        return { name, providerId: isFirst ? id : "", deletedAt: undefined };
      });
    }),
  assigned: fc.constant(new Map<string, string>()),
});

function machine(id: string, claimNames: readonly string[]): OwnedMachine {
  return { providerId: id, claimNames, createdAt: 0, isTerminating: false };
}

function claim(name: string, id = ""): WantingClaim {
  return { name, providerId: id, deletedAt: undefined };
}
