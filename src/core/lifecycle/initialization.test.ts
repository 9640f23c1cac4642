import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { initialization } from "./initialization.ts";

const startup = modelTaint("booting", "NoExecute");
const claim = modelClaim({ startupTaints: [startup], requests: new Map([["example.com/gpu", 1]]) });
const gpu = { allocatable: new Map([["example.com/gpu", 1]]) };
const ephemeral = modelTaint("node.kubernetes.io/not-ready", "NoSchedule", "x");
const notReady = { conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime: 0 }] };

describe("initialization", () => {
  it("names the first thing that a node lacks, in order", () => {
    const nodes = [
      undefined,
      modelNode({ taints: [ephemeral, startup], ...notReady }),
      modelNode({ taints: [ephemeral, { ...startup, value: "other" }] }),
      modelNode({ taints: [ephemeral] }),
      modelNode({ allocatable: new Map([["example.com/gpu", 0]]) }),
    ];
    assert.deepEqual(
      nodes.map((node) => {
        const { status, reason, message } = initialization(claim, node);
        return `${status} ${reason}: ${message}`;
      }),
      [
        "Unknown NodeNotFound: Node not registered with cluster",
        "Unknown NodeNotReady: Node status is NotReady",
        'Unknown StartupTaintsExist: StartupTaint "booting=other:NoExecute" still exists',
        'Unknown KnownEphemeralTaintsExist: KnownEphemeralTaint "node.kubernetes.io/not-ready=x:NoSchedule" still exists',
        'Unknown ResourceNotRegistered: Resource "example.com/gpu" was requested but not registered',
      ],
    );
  });

  it("is done when nothing is lacking", () => {
    const taints = [modelTaint("dedicated", "NoSchedule"), modelTaint("booting", "NoSchedule")];
    assert.deepEqual(initialization(claim, modelNode({ taints, ...gpu })), { type: "Initialized", status: "True" });
  });

  it("does not wait for what is asked for at the amount of zero", () => {
    const idle = modelClaim({ requests: new Map([["example.com/gpu", 0]]) });
    assert.equal(initialization(idle, modelNode()).status, "True");
  });
});
