import assert from "node:assert/strict";
import { it } from "node:test";
import type { Taint } from "../model/taints.ts";
import { NodeKinds } from "./node-kinds.ts";

const taint: Taint = { key: "k", value: "", effect: "NoSchedule" };

it("NodeKinds tells nodes apart by their taints and the labels that are read, and by nothing else", () => {
  const kinds = new NodeKinds(["zone", "size"]);
  const plain = kinds.of(new Map([["zone", "a"]]), []);
  assert.equal(kinds.of(new Map(Object.entries({ zone: "a", colour: "red" })), []), plain);
  const others = [
    kinds.of(new Map([["zone", "b"]]), []),
    kinds.of(new Map([["size", "a"]]), []),
    kinds.of(new Map(Object.entries({ zone: "a", size: "" })), []),
    kinds.of(new Map([["zone", "a"]]), [taint]),
    kinds.of(new Map([["zone", "a"]]), [{ ...taint, effect: "NoExecute" }]),
    kinds.of(new Map(), []),
  ];
  assert.equal(new Set([plain, ...others]).size, 7);
  assert.equal(kinds.of(new Map([["zone", "a"]]), [{ ...taint }]), others[3]);
});
