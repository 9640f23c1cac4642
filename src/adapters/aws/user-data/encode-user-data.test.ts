import assert from "node:assert/strict";
import { it } from "node:test";
import { encodeUserData } from "./encode-user-data.ts";

it("counts bytes, not characters, and takes as many as EC2 does", () => {
  assert.deepEqual(encodeUserData("ä", undefined), { base64: "w6Q=", bytes: 2 });
  assert.equal("bytes" in encodeUserData("x".repeat(16_384), undefined), true);
  assert.deepEqual(encodeUserData("ä".repeat(8_193), "ä"), {
    problem:
      "the user data of a machine would be 16386 bytes (2 of them spec.userData), and EC2 takes at most 16384: shorten spec.userData, for example by fetching what it does from elsewhere",
  });
});
