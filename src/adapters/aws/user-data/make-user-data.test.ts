import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bootstrapInput, plain, problemOf } from "../../../../test/support/bootstrap-input.ts";
import { makeUserData } from "./make-user-data.ts";

describe("user data", () => {
  it("of a Custom node class are the user's, unchanged", () => {
    assert.deepEqual(makeUserData(bootstrapInput("Custom", { userData: "a\r\n--//" })), {
      text: "a\r\n--//",
      ignored: [],
    });
    assert.deepEqual(makeUserData(bootstrapInput("Custom")), { text: "", ignored: [] });
  });

  it("are none of names with line ends, addresses that are none, and settings of another type", () => {
    for (const family of ["AL2", "AL2023", "Bottlerocket", "Windows2022"] as const) {
      for (const end of ["\n", "\r", "\u0000", "\u0085", "\u2028"]) {
        assert.match(problemOf(bootstrapInput(family, { clusterName: `a${end}b` })), /CLUSTER_NAME/);
        assert.match(
          problemOf(bootstrapInput(family, { facts: { ...plain.facts, endpoint: `a${end}b` } })),
          /CLUSTER_ENDPOINT/,
        );
      }
      assert.match(problemOf(bootstrapInput(family, { clusterName: "--help" })), /begin with a dash/);
      const clusterDns = ["10.0.0.1'; id"];
      assert.match(
        problemOf(bootstrapInput(family, { kubelet: { ...plain.kubelet, clusterDns } })),
        /not an IP address/,
      );
      assert.match(problemOf(bootstrapInput(family, { userData: "x".repeat(40_000) })), /40000 bytes/);
    }
    const config = { evictionHard: { "memory.available": 5 } };
    assert.match(
      problemOf(bootstrapInput("AL2", { kubelet: { ...plain.kubelet, config } })),
      /must be a map of strings/,
    );
  });
});
