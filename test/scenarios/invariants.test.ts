import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeTime } from "../../src/core/api/write-time.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import type { KubeRequest } from "../../src/ports/kube-transport.ts";
import type { Reference } from "../support/whole-controller.ts";
import { budget, deployment, nodeClass, nodePool } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

/** A terminator that deletes pods without asking anybody. */
function forceEvictions(request: KubeRequest): KubeRequest {
  if (!request.path.endsWith("/eviction")) return request;
  const path = request.path.slice(0, -"/eviction".length);
  return { method: "DELETE", path, body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 } };
}

/** Four pods of which one may be missing, on two nodes. */
async function growToTwo(story: Story): Promise<void> {
  const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4"] }];
  story.whole.load(
    nodeClass(),
    nodePool("general", { limits: { cpu: "100" }, spec: { requirements } }),
    budget("web", { maxUnavailable: 1 }),
    deployment("web", 4, { cpu: "1500m" }),
  );
  story.whole.start();
  await story.pass(30_000);
  story.expect([story.pending, story.nodes.length], [[], 2]);
}

async function drainTwo(story: Story): Promise<void> {
  await growToTwo(story);
  for (const claim of story.claims) story.whole.delete(claim);
  await story.pass(120_000);
  story.expect([story.pending, story.nodes.length], [[], 2]);
}

describe("what must not be is seen:", () => {
  it("nothing, when pods are asked out of their nodes", () => tell({}, drainTwo));

  it("pods that are deleted although their budget needs them", () =>
    assert.rejects(
      tell({}, (story) => {
        story.whole.tamper = forceEvictions;
        return drainTwo(story);
      }),
      /budget "web" wants 3 and had [012] without web-/,
    ));

  it("pods that go with their node", () =>
    assert.rejects(
      tell({}, async (story) => {
        await growToTwo(story);
        for (const node of story.nodes) {
          story.whole.delete(node);
          // As a terminator would that does not wait for the pods.
          story.whole.change(node, (current) => ({
            ...current,
            metadata: { ...(current.metadata as object), finalizers: [] },
          }));
        }
        await story.pass(60_000);
      }),
      /budget "web" wants 3 and had [012] without web-/,
    ));

  it("more nodes that go by choice than their pool allows", () =>
    assert.rejects(
      tell({}, async (story) => {
        await growToTwo(story);
        for (const claim of story.claims) mark(story, claim);
        await story.pass(5_000);
      }),
      /pool general lets 1 nodes go for Drifted, and these do: general-\w+ \(Drifted\), general-\w+ \(Drifted\)/,
    ));

  it("a node that stays marked to go", () =>
    assert.rejects(
      tell({}, async (story) => {
        await growToTwo(story);
        const [claim] = story.claims;
        if (claim !== undefined) mark(story, claim);
        // As if nobody took marks off.
        story.whole.tamper = (request) =>
          request.method === "PATCH" && request.path.endsWith("/status") ? { status: 200, body: {} } : request;
        await story.pass(120_000);
      }),
      /claim general-\w+ is marked to go for 6\d/,
    ));

  it("claims that replace the same twice", () =>
    assert.rejects(
      tell({}, async (story) => {
        await growToTwo(story);
        const [first, second] = story.claims;
        for (const [index, claim] of [first, second].entries()) {
          if (claim === undefined) continue;
          const annotations = {
            "karpenter.sh/replaces": first?.metadata.name,
            "karpenter.sh/replacements": `group-${index}`,
          };
          story.whole.change(claim, (current) => ({
            ...current,
            metadata: { ...(current.metadata as object), annotations },
          }));
        }
        await story.pass(1_000);
      }),
      /claim general-\w+ is replaced twice: by group-0 and by group-1/,
    ));
});

/** As a disruptor would that does not count. */
function mark(story: Story, claim: KubeObject): void {
  const { conditions = [], ...status } = claim.status as { conditions?: readonly object[] };
  const reason = { type: "DisruptionReason", status: "True", reason: "Drifted", message: "Drifted" };
  const lastTransitionTime = writeTime(story.whole.clock.now());
  story.whole.changeStatus(claim as Reference, {
    ...status,
    conditions: [...conditions, { ...reason, lastTransitionTime }],
  });
}
