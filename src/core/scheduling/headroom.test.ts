import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { roomToLeave } from "./headroom.ts";

describe("the room to leave on a node", () => {
  const node = { cpu: 96_000, memory: 192_000, "example.com/device": 8 };
  const left = (oneMore: Record<string, number>) => {
    const forOneMore = modelPod("web", { spec: { requests: new Map(Object.entries(oneMore)) } });
    const room = roomToLeave({ share: 0.03, mostShare: 0.05, forOneMore }, new Map(Object.entries(node)));
    return Object.fromEntries(room);
  };

  it("is a share of processors and memory, and of nothing else", () => {
    assert.deepEqual(left({ cpu: 100, memory: 100 }), { cpu: 2_880, memory: 5_760 });
  });

  it("is more where one more pod fits in then", () => {
    assert.deepEqual(left({ cpu: 4_000, memory: 9_000 }), { cpu: 4_000, memory: 9_000 });
  });

  it("is not more of anything where too much of one thing would be needed", () => {
    for (const oneMore of [
      { cpu: 4_000, memory: 32_000 },
      { cpu: 16_000, memory: 9_000 },
    ])
      assert.deepEqual(left(oneMore), { cpu: 2_880, memory: 5_760 });
  });
});
