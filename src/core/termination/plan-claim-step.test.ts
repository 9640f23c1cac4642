import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { planClaimStep } from "./plan-claim-step.ts";

const registered = [{ type: "Registered", status: "True" }];
const annotated = new Map([["karpenter.sh/nodeclaim-termination-timestamp", "2026-01-01T00:00:00Z"]]);

function claim(fields: object = {}): NodeClaim {
  const base = { deletedAt: 1_000, annotations: new Map(), conditions: registered, providerId: "test:///a" };
  return { terminationGracePeriod: undefined, ...base, ...fields } as unknown as NodeClaim;
}

function node(fields: object = {}): NodeObject {
  return { name: "a", deletedAt: undefined, labels: new Map(), ...fields } as unknown as NodeObject;
}

test("a claim with a grace period first says when it ends, unless it does already", () => {
  const limited = { terminationGracePeriod: 60_000 };
  assert.deepEqual(planClaimStep(claim(limited), []), { kind: "set-deadline", deadline: 61_000 });
  assert.deepEqual(planClaimStep(claim({ ...limited, annotations: annotated }), []), { kind: "end-instance" });
});

test("a deadline that cannot be read is set anew", () => {
  const annotations = new Map([["karpenter.sh/nodeclaim-termination-timestamp", "soon"]]);
  const step = planClaimStep(claim({ terminationGracePeriod: 0, annotations }), []);
  assert.deepEqual(step, { kind: "set-deadline", deadline: 1_000 });
});

test("a registered claim deletes all its nodes and waits for them", () => {
  const fresh = node();
  const step = planClaimStep(claim(), [fresh, node({ deletedAt: 1 })]);
  assert.deepEqual(step, { kind: "await-nodes", toDelete: [fresh] });
});

test("a claim that never registered ends its machine, and leaves the node to it", () => {
  assert.deepEqual(planClaimStep(claim({ conditions: [] }), [node()]), { kind: "end-instance" });
});

test("a node that was registered counts although its claim does not know yet", () => {
  const labels = new Map([["karpenter.sh/registered", "true"]]);
  assert.equal(planClaimStep(claim({ conditions: [] }), [node({ labels })]).kind, "await-nodes");
});

test("a claim that knows of no machine asks whether there is one", () => {
  assert.deepEqual(planClaimStep(claim({ conditions: [], providerId: "" }), []), { kind: "search-instances" });
});
