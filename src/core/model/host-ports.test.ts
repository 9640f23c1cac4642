import assert from "node:assert/strict";
import { test } from "node:test";
import { portsConflict } from "./host-ports.ts";
import type { HostPort } from "./pod.ts";

const port = (ip: string, number = 80, protocol = "TCP"): HostPort => ({ ip, port: number, protocol });

const pairs: [string, HostPort, HostPort, boolean][] = [
  ["the same address", port("10.0.0.1"), port("10.0.0.1"), true],
  ["different addresses", port("10.0.0.1"), port("10.0.0.2"), false],
  ["every address and one", port("0.0.0.0"), port("10.0.0.1"), true],
  ["every IPv6 address and one", port("::"), port("10.0.0.1"), true],
  ["every IPv6 address, spelt out, and one", port("0:0:0:0:0:0:0:0"), port("fe80::1"), true],
  ["an address that merely begins with zeros", port("::1"), port("10.0.0.1"), false],
  ["another port", port("0.0.0.0"), port("0.0.0.0", 81), false],
  ["another protocol", port("0.0.0.0"), port("0.0.0.0", 80, "UDP"), false],
];
for (const [what, a, b, expected] of pairs) {
  test(`${what} ${expected ? "conflict" : "do not conflict"}, whichever comes first`, () => {
    assert.deepEqual([portsConflict(a, b), portsConflict(b, a)], [expected, expected]);
  });
}
