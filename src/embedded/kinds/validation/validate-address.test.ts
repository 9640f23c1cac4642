import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFieldError } from "../../../core/api/field-error.ts";
import { validateAddress, validateCidr, warnAboutAddress, warnAboutCidr } from "./validate-address.ts";

const noAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const noRange = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

const addresses: readonly (readonly [string, string?])[] = [
  ["10.9.8.7"],
  ["2001:db8::1"],
  ["2001:DB8:0:0::1"],
  ["", noAddress],
  ["300.0.0.1", noAddress],
  ["fe80::1%eth0", noAddress],
  ["010.9.8.7", "must not have leading 0s"],
  ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
];

for (const [address, problem] of addresses) {
  test(`"${address}" is ${problem === undefined ? "an address" : "no address that is taken"}`, () => {
    const expected = problem === undefined ? [] : [`at: Invalid value: "${address}": ${problem}`];
    assert.deepEqual(validateAddress(address, "at").map(describeFieldError), expected);
  });
}

const ranges: readonly (readonly [string, string?])[] = [
  ["10.9.8.0/24"],
  ["0.0.0.0/0"],
  ["10.9.8.7/32"],
  ["2001:db8::/64"],
  ["::/0"],
  ["2001:db8::1/128"],
  ["10.9.8.0", noRange],
  ["10.9.8.0/33", noRange],
  ["1/2/3", noRange],
  ["10.9.8.0/024", "must not have leading 0s in IP or prefix length"],
  ["010.9.8.0/24", "must not have leading 0s in IP or prefix length"],
  ["::ffff:1.2.3.0/120", "must not have an IPv4-mapped IPv6 address"],
  ["10.9.8.7/24", "must not have bits set beyond the prefix length"],
  ["2001:db8::1/64", "must not have bits set beyond the prefix length"],
];

for (const [range, problem] of ranges) {
  test(`"${range}" is ${problem === undefined ? "a range" : "no range that is taken"}`, () => {
    const expected = problem === undefined ? [] : [`at: Invalid value: "${range}": ${problem}`];
    assert.deepEqual(validateCidr(range, "at").map(describeFieldError), expected);
  });
}

test("IPv6 in another form than the usual one is warned of", () => {
  assert.deepEqual(
    ["10.9.8.7", "2001:db8::1", "2001:DB8:0:0::1"].flatMap((address) => warnAboutAddress(address, "at")),
    ['at: IPv6 address "2001:DB8:0:0::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
  );
  assert.deepEqual(
    ["10.9.8.0/24", "2001:db8::/64", "2001:DB8::/64"].flatMap((range) => warnAboutCidr(range, "at")),
    ['at: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")'],
  );
});
