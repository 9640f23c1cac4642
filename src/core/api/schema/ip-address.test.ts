import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { containsIp, formatIp, maskedOf, parseCidr, parseIp } from "./ip-address.ts";

describe("An address", () => {
  it("is written in its shortest form", () => {
    const texts = ["1.2.3.4", "2001:DB8:0:0:1:0:0:1", "0:0:0:0:0:0:0:0", "::ffff:1.2.3.4"];
    const written = texts.map((text) => formatIp(parseIp(text)!));
    assert.deepEqual(written, ["1.2.3.4", "2001:db8::1:0:0:1", "::", "::ffff:102:304"]);
  });

  it("is the same after it was written and read", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIp(text);
        assert.ok(address !== undefined);
        assert.deepEqual(parseIp(formatIp(address)), address);
      }),
    );
  });

  it("is in a network whose leading bits it has", () => {
    const network = parseCidr("10.1.2.3/8")!;
    const inside = ["10.255.0.1", "11.0.0.1", "::1"].map((text) => containsIp(network, parseIp(text)!));
    assert.deepEqual([inside, formatIp(maskedOf(network))], [[true, false, false], "10.0.0.0"]);
  });
});
