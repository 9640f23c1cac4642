import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { containerOf } from "./read-log-options.ts";

describe("containerOf", () => {
  it("names the containers to choose from", () => {
    const pod = { metadata: { name: "two" }, spec: { containers: [{ name: "a" }, { name: "b" }] } };
    const choice = /a container name must be specified for pod two, choose one of: \[a b\]/;
    assert.throws(() => containerOf(pod, ""), choice);
    assert.throws(() => containerOf(pod, "c"), /container c is not valid for pod two/);
  });
});
