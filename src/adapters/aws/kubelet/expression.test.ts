import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { MachineFacts } from "../aws-parts.ts";
import { compileExpression, type Outcome } from "./expression.ts";

const facts: MachineFacts = {
  name: "m5.xlarge",
  arch: "amd64",
  vcpus: 4,
  memoryMib: 16_384,
  interfaces: 4,
  addressesPerInterface: 15,
  efaInterfaces: 0,
  isMetal: false,
};

function evaluate(source: string): Outcome {
  const compilation = compileExpression(source);
  return compilation.problem === undefined ? compilation.expression({ facts, maxPods: 58 }) : compilation;
}

describe("An expression", () => {
  const values: [string, number][] = [
    ["42", 42],
    ["vcpus", 4],
    ["memory_mib / 1024", 16],
    ["default_enis * (ips_per_eni - 1) + 2", 58],
    ["min(110, max_pods)", 58],
    ["max(110, max_pods)", 110],
    ["min(vcpus, 2.5)", 2],
    ["max(2.5, vcpus)", 4],
    ["max(1.5, 2.7)", 2],
    ["double(vcpus) * 1.99", 7],
    ["-1.5", -1],
    ["-0.5", 0],
    ["instance_type.startsWith('m5.') ? 10 : 20", 10],
    ["instance_type.matches('^m[0-9]+[.]') ? 1 : 2", 1],
    ["matches(instance_type, '^c') ? 1 : 2", 2],
    ["['c5', 'm5'].exists(family, instance_type.startsWith(family + '.')) ? 1 : 2", 1],
    ["int(double(memory_mib) * 0.06)", 983],
  ];
  for (const [source, value] of values) {
    it(`${source} gives ${value}`, () => assert.deepEqual(evaluate(source), { value }));
  }

  const problems: [string, string][] = [
    ["", "Unexpected token: EOF"],
    ["vcpus +", "Unexpected token: EOF"],
    ["cores", "Unknown variable: cores"],
    ["'a'", "gives string, and must give a number"],
    ["true", "gives bool, and must give a number"],
    ["vcpus > 2", "gives bool, and must give a number"],
    ["dyn(1)", "gives dyn, and must give a number"],
    ["vcpus * 2.0", "no such overload: int * double: make both of one kind, as in double(vcpus) * 2.0"],
    ["vcpus / 0", "division by zero"],
    ["1.0 / 0.0", "gives Infinity, which is no usable number"],
    ["0.0 / 0.0", "gives NaN, which is no usable number"],
    ["9223372036854775807", "gives 9223372036854775807, which is no usable number"],
    ["9223372036854775807 + vcpus", "integer overflow: 9223372036854775811"],
    ["1".repeat(1025), "is longer than 1024 characters"],
    ["[1].map(a, [1].map(b, [1].map(c, c))).size()", "has more than 2 loops within each other"],
  ];
  for (const [source, problem] of problems) {
    it(`${source.slice(0, 50)} has a problem: ${problem}`, () => assert.deepEqual(evaluate(source), { problem }));
  }

  it("takes no time with a pattern that is made to take ages", () => {
    const started = performance.now();
    const text = "a".repeat(200);
    assert.deepEqual(evaluate(`'${text}!'.matches('^(a+)+$') ? 1 : 2`), { value: 2 });
    assert.ok(performance.now() - started < 500);
  });

  it("is compiled once", () => {
    assert.equal(compileExpression("vcpus + 123"), compileExpression("vcpus + 123"));
  });

  it("gives a number or a problem, whatever it is", () => {
    const words = fc.constantFrom(
      ..."vcpus max_pods instance_type min( max( ( ) , + - * / ? : 1 2.5 'a' [ ] . map(x, x == !".split(" "),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const outcome = evaluate(parts.join(" "));
        assert.ok(outcome.problem !== undefined || Number.isSafeInteger(outcome.value));
      }),
      { numRuns: 500 },
    );
  });
});
