import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type CoveringProgram, solveCovering } from "./simplex.ts";

/** Columns as lists of what they give to each row. */
function program(
  columns: readonly (readonly number[])[],
  costs: readonly number[],
  demands: readonly number[],
): CoveringProgram {
  return {
    rows: demands.length,
    columns: columns.length,
    coefficients: Float64Array.from(columns.flat()),
    costs: Float64Array.from(costs),
    demands: Float64Array.from(demands),
  };
}

function solve(covering: CoveringProgram, maxPivots: number) {
  const solution = solveCovering(covering, maxPivots);
  return { ...solution, lowerBound: provenBound(covering, solution.rowPrices) };
}

/** What the prices prove: they are scaled down where rounding has let a column's worth exceed its cost. */
function provenBound({ rows, columns, coefficients, costs, demands }: CoveringProgram, prices: Float64Array): number {
  let scale = 1;
  let slack = 0;
  for (let column = 0; column < columns; column++) {
    let worth = 0;
    for (let row = 0; row < rows; row++) worth += coefficients[column * rows + row]! * prices[row]!;
    const cost = costs[column]!;
    if (cost > 0) scale = Math.min(scale, worth > cost ? cost / worth : 1);
    else slack = Math.max(slack, worth);
  }
  let bound = 0;
  for (let row = 0; row < rows; row++) bound += demands[row]! * prices[row]!;
  // A column that costs nothing may be worth a trace; each unit of demand buys at most one of those.
  const free = demands.reduce((sum, demand) => sum + demand, 0) * slack;
  return Math.max(0, (bound - free) * scale);
}

const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);

describe("the covering program", () => {
  it("buys the column that gives most for its cost", () => {
    const { amounts, lowerBound, rowPrices } = solve(program([[4], [10]], [1, 2], [20]), 100);
    close(amounts[0] ?? 0, 0);
    close(amounts[1] ?? 0, 2);
    close(lowerBound, 4);
    close(rowPrices[0] ?? 0, 0.2);
  });

  it("mixes columns when two rows are scarce", () => {
    const { amounts, lowerBound } = solve(
      program(
        [
          [2, 1],
          [1, 2],
        ],
        [1, 1],
        [9, 9],
      ),
      100,
    );
    close(amounts[0] ?? 0, 3);
    close(amounts[1] ?? 0, 3);
    close(lowerBound, 6);
  });

  it("gives a row that is met anyway no price", () => {
    const { rowPrices } = solveCovering(program([[1, 100]], [1], [5, 1]), 100);
    close(rowPrices[1] ?? 1, 0);
  });

  it("says nothing false about demands that no column can meet", () => {
    assert.ok(Number.isFinite(solveCovering(program([[1, 0]], [1], [1, 1]), 100).rowPrices[0] ?? Number.NaN));
  });

  it("proves a bound that no purchase beats, however early it stops", () => {
    const amount = fc.integer({ min: 0, max: 20 });
    const cases = fc.record({
      columns: fc.array(fc.tuple(amount, amount, amount), { minLength: 1, maxLength: 6 }),
      costs: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 6, maxLength: 6 }),
      bought: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 6, maxLength: 6 }),
      pivots: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(cases, ({ columns, costs, bought, pivots }) => {
        // What some purchase gives can be demanded, and then no bound may exceed what that purchase costs.
        const demands = [0, 1, 2].map((row) =>
          columns.reduce((sum, column, index) => sum + (column[row] ?? 0) * (bought[index] ?? 0), 0),
        );
        const cost = columns.reduce((sum, _, index) => sum + (costs[index] ?? 0) * (bought[index] ?? 0), 0);
        const { lowerBound } = solve(program(columns, costs.slice(0, columns.length), demands), pivots);
        assert.ok(lowerBound <= cost + 1e-6, `${lowerBound} > ${cost}`);
      }),
    );
  });
});
