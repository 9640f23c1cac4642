import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { formatAmount, milliValue, parseQuantity, wholeValue } from "./quantity.ts";

const one = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * one;

describe("parseQuantity", () => {
  const meanings: [string | number, bigint][] = [
    ["0", 0n],
    ["-0", 0n],
    ["1", one],
    ["+1", one],
    ["-1", -one],
    ["007", 7n * one],
    [".5", one / 2n],
    ["5.", 5n * one],
    ["1.5", (3n * one) / 2n],
    ["100m", one / 10n],
    ["0.1", one / 10n],
    ["1n", 1n],
    ["1u", 1000n],
    ["1k", 1000n * one],
    ["1M", 1_000_000n * one],
    ["1G", 10n ** 9n * one],
    ["1T", 10n ** 12n * one],
    ["1P", 10n ** 15n * one],
    ["1E", 10n ** 18n * one],
    ["1Ki", 1024n * one],
    ["1Mi", 1024n ** 2n * one],
    ["1Gi", 1024n ** 3n * one],
    ["1.5Gi", 1536n * 1024n ** 2n * one],
    ["1Ti", 1024n ** 4n * one],
    ["1Pi", 1024n ** 5n * one],
    ["1Ei", 1024n ** 6n * one],
    ["1e3", 1000n * one],
    ["1E3", 1000n * one],
    ["1e+3", 1000n * one],
    ["12E-3", 12_000_000n],
    ["-1.5e-1", -150_000_000n],
    [2, 2n * one],
    [0.1, one / 10n],
    [1e21, largest],
    [1e-7, 100n],
    ["0.1n", 1n],
    ["-0.1n", -1n],
    ["1.0000000001", one + 1n],
    ["-1.0000000001", -one - 1n],
    ["9223372036854775807", largest],
    ["9223372036854775808", largest],
    ["-99Ei", -largest],
    ["1e999999999999999999999", largest],
    ["0e999999999", 0n],
    ["-1e-999999999", -1n],
  ];
  for (const [text, meaning] of meanings) {
    test(`reads ${JSON.stringify(text)}`, () => assert.equal(parseQuantity(text), meaning));
  }

  const nonsense = ["", " ", " 1", "1 ", "1\n", "1.5.2", "0x10", "Infinity", "NaN", "+", "-", ".", "Ki", "m", "--1"];
  const wrongSuffixes = ["1K", "1ki", "1KI", "1g", "1mi", "1e", "1e+", "1e1.5", "1Ee3", "1e3Ki", "1kM", "1,5", "1_000"];
  for (const text of [...nonsense, ...wrongSuffixes, Number.NaN, Number.POSITIVE_INFINITY]) {
    test(`rejects ${JSON.stringify(text)}`, () => assert.equal(parseQuantity(text), undefined));
  }

  const suffixes: [string, bigint, bigint][] = [
    ["", 1n, 1n],
    ["n", 1n, 10n ** 9n],
    ["u", 1n, 10n ** 6n],
    ["m", 1n, 1000n],
    ["k", 1000n, 1n],
    ["G", 10n ** 9n, 1n],
    ["E", 10n ** 18n, 1n],
    ["Ki", 1024n, 1n],
    ["Gi", 1024n ** 3n, 1n],
    ["Ei", 1024n ** 6n, 1n],
    ["e-7", 1n, 10n ** 7n],
    ["E5", 10n ** 5n, 1n],
  ];
  const written = fc.record({
    sign: fc.constantFrom("", "+", "-"),
    whole: fc.bigInt({ min: 0n, max: 10n ** 22n }),
    fraction: fc.stringMatching(/^\d{0,14}$/),
    suffix: fc.constantFrom(...suffixes),
  });

  test("agrees with arithmetic on fractions, rounded away from zero and capped", () => {
    fc.assert(
      fc.property(written, ({ sign, whole, fraction, suffix: [suffix, factor, divisor] }) => {
        const numerator = BigInt(`${whole}${fraction}`) * factor * one;
        const denominator = 10n ** BigInt(fraction.length) * divisor;
        const roundedUp = (numerator + denominator - 1n) / denominator;
        const isTooLarge = roundedUp > largest;
        const magnitude = isTooLarge ? largest : roundedUp;
        const expected = sign === "-" ? -magnitude : magnitude;
        assert.equal(parseQuantity(`${sign}${whole}.${fraction}${suffix}`), expected);
      }),
    );
  });

  test("reads back what it means in billionths", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -largest, max: largest }), (amount) => {
        assert.equal(parseQuantity(`${amount}n`), amount);
      }),
    );
  });

  test("adds up exactly, however the parts are written", () => {
    const parts = fc.array(fc.nat(10_000_000), { maxLength: 50 });
    fc.assert(
      fc.property(parts, (millis) => {
        const sum = millis.reduce((total, milli, index) => {
          const text = index % 2 === 0 ? `${milli}m` : `${milli}e-3`;
          return total + (parseQuantity(text) ?? 0n);
        }, 0n);
        assert.equal(
          milliValue(sum),
          millis.reduce((total, milli) => total + milli, 0),
        );
      }),
    );
  });

  test("never throws and never takes long", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+]?[\d.]{0,5}[eE]?[-+]?\d{0,30}[KMi]?$/)), (text) => {
        const amount = parseQuantity(text);
        assert.ok(amount === undefined || (amount >= -largest && amount <= largest));
      }),
    );
  });
});

describe("whole numbers of a quantity", () => {
  test("are rounded away from zero", () => {
    const values = ["1n", "-1n", "1", "1.0001", "-1.0001", "0"].map((text) => parseQuantity(text) ?? 0n);
    assert.deepEqual(values.map(milliValue), [1, -1, 1000, 1001, -1001, 0]);
    assert.deepEqual(values.map(wholeValue), [1, -1, 1, 2, -2, 0]);
  });

  test("stop at the largest safe integer", () => {
    assert.deepEqual([milliValue(largest), wholeValue(largest)], [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
    assert.equal(wholeValue(-largest), -Number.MAX_SAFE_INTEGER);
  });
});

describe("formatAmount", () => {
  const Mi = 1024 ** 2;
  const Gi = 1024 ** 3;
  const printed: [string, number, string][] = [
    ["cpu", 2000, "2"],
    ["cpu", 1500, "1500m"],
    ["cpu", -250, "-250m"],
    ["cpu", 0, "0"],
    ["memory", 0, "0"],
    ["memory", 512, "512"],
    ["memory", 312 * Mi, "312Mi"],
    ["memory", 1.5 * Gi, "1.5Gi"],
    ["memory", 7577 * Mi, "7577Mi"],
    ["memory", -312 * Mi, "-312Mi"],
    ["memory", 1_000_000_000, "953.67Mi"],
    ["memory", 24 * 1024 * Gi, "24Ti"],
    ["ephemeral-storage", 20 * Gi, "20Gi"],
    ["hugepages-2Mi", 4 * Mi, "4Mi"],
    ["pods", 110, "110"],
    ["nvidia.com/gpu", 1024, "1024"],
  ];
  for (const [resource, amount, text] of printed) {
    test(`prints ${amount} of ${resource} as ${text}`, () => assert.equal(formatAmount(resource, amount), text));
  }

  test("stays within half a percent of the amount", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (bytes) => {
        const read = wholeValue(parseQuantity(formatAmount("memory", bytes)) ?? 0n);
        assert.ok(Math.abs(read - bytes) <= Math.abs(bytes) * 0.005 + 1, `${bytes} became ${read}`);
      }),
    );
  });

  test("says millicores exactly", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (millicores) => {
        assert.equal(milliValue(parseQuantity(formatAmount("cpu", millicores)) ?? 0n), millicores);
      }),
    );
  });
});
