import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CapacityReservationTerm } from "../node-class/ec2-node-class.ts";
import { reservationQueries } from "./reservation-queries.ts";

const term = (fields: Partial<CapacityReservationTerm>): CapacityReservationTerm => ({
  tags: new Map(),
  id: undefined,
  ownerID: undefined,
  instanceMatchCriteria: undefined,
  ...fields,
});
const inputsOf = (...terms: CapacityReservationTerm[]) => reservationQueries(terms).map(({ input }) => input);
const active = { Name: "state", Values: ["active"] };

describe("reservationQueries", () => {
  it("asks for each id by itself", () => {
    assert.deepEqual(inputsOf(term({ id: "cr-1" }), term({ id: "cr-2" }), term({ id: "cr-1" })), [
      { CapacityReservationIds: ["cr-1"], Filters: [active] },
      { CapacityReservationIds: ["cr-2"], Filters: [active] },
    ]);
  });

  it("asks for tags, owner and matching together", () => {
    const tags = new Map([
      ["team", "a"],
      ["any", "*"],
    ]);
    assert.deepEqual(inputsOf(term({ tags, ownerID: "123456789012", instanceMatchCriteria: "targeted" })), [
      {
        Filters: [
          active,
          { Name: "owner-id", Values: ["123456789012"] },
          { Name: "tag-key", Values: ["any"] },
          { Name: "tag:team", Values: ["a"] },
          { Name: "instance-match-criteria", Values: ["targeted"] },
        ],
      },
    ]);
  });

  it("asks once for the same tags in whatever order", () => {
    const tags: [string, string][] = [
      ["a", "1"],
      ["b", "2"],
    ];
    const both = [term({ tags: new Map(tags) }), term({ tags: new Map(tags.reverse()) })];
    assert.equal(reservationQueries(both).length, 1);
  });

  it("asks for nothing when there is nothing but an owner", () => {
    assert.deepEqual(inputsOf(term({ ownerID: "123456789012" }), term({})), []);
  });
});
