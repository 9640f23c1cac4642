import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hasFormat, parseDuration } from "./string-formats.ts";

describe("A format", () => {
  const cases: readonly (readonly [format: string, good: readonly string[], bad: readonly string[]])[] = [
    [
      "date-time",
      ["2024-01-02T03:04:05Z", "2024-01-02t03:04:05.123+02:00"],
      ["2024-01-02", "2024-13-01T00:00:00Z", "", "x"],
    ],
    ["date", ["2024-02-29", "2000-02-29"], ["2023-02-29", "1900-02-29", "2024-1-1", "24-01-01"]],
    ["duration", ["1h30m", "1.5s", "-3ms", "0", "1 day", "2weeks"], ["", "soon", "1", "5 parsecs"]],
    ["byte", ["aGk=", "aGkh"], ["", "aGk", "a b="]],
    ["ipv4", ["1.2.3.4"], ["1.2.3", "1.2.3.400", "01.2.3.4", "::1"]],
    ["ipv6", ["::1", "2001:db8::1", "::ffff:1.2.3.4"], ["1.2.3.4", ":::1", "1::2::3", "12345::"]],
    ["cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08"]],
    ["email", ["a@b.c", "a@b"], ["@b", "a@", "a b@c", "a"]],
    ["uri", ["https://a/b", "/path", "mailto:x"], ["", "relative", "https://a b", "http://%zz"]],
    ["hostname", ["a", "a.example.com"], ["-a", "a.example.c", "a..b", "a_b"]],
    ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567", "123e4567-e89b-12d3-a456-42661417400z"]],
    ["mac", ["01:02:03:04:05:06", "01-02-03-04-05-06", "0102.0304.0506"], ["01:02:03:04:05", "01:02-03:04:05:06"]],
    ["k8s-short-name", ["a", "a-b"], ["", "A", "a.b", "-a"]],
    ["k8s-long-name", ["a.b", "a-b.c"], ["a..b", ".a"]],
    ["hexcolor", ["#fff", "a0B1c2"], ["#ff", "red"]],
    ["rgbcolor", ["rgb(0, 10, 255)"], ["rgb(0,0,256)", "rgb(00,0,0)"]],
    ["isbn", ["0321751043", "978-0321751041"], ["0321751044", "x"]],
    ["password", ["anything"], []],
    ["whatever", ["anything"], []],
  ];
  for (const [format, good, bad] of cases) {
    it(`${format} is told from what is none`, () => {
      assert.deepEqual(
        { good: good.filter((text) => !hasFormat(format, text)), bad: bad.filter((text) => hasFormat(format, text)) },
        { good: [], bad: [] },
      );
    });
  }
});

describe("A duration", () => {
  it("is read in nanoseconds", () => {
    const texts = ["1h30m", "-1.5s", "0", "+2us", "1µs", "2 days, 1 sec", "1", ""];
    const expected = [
      5_400_000_000_000n,
      -1_500_000_000n,
      0n,
      2000n,
      1000n,
      172_801_000_000_000n,
      undefined,
      undefined,
    ];
    assert.deepEqual(texts.map(parseDuration), expected);
  });
});
