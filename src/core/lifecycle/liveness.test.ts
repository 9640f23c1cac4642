import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelCondition } from "../../../test/support/model-machine.ts";
import { liveness } from "./liveness.ts";

const minute = 60_000;

describe("liveness", () => {
  it("gives a claim five minutes to be launched, from its birth where nothing else is known", () => {
    const claim = modelClaim({ createdAt: 1000 });
    assert.deepEqual(liveness(claim, 1000), { kind: "waiting", untilDeadline: 5 * minute });
    assert.deepEqual(liveness(claim, 1000 + 5 * minute), {
      kind: "expired",
      cause: "launch_timeout",
      timeout: 5 * minute,
      reason: "LaunchFailed",
      message: "",
    });
  });

  it("repeats why the launch failed", () => {
    const launched = modelCondition("Launched", "Unknown", {
      reason: "Quota",
      message: "too many",
      lastTransitionTime: 7,
    });
    assert.deepEqual(liveness(modelClaim({ conditions: [launched] }), 7 + 5 * minute), {
      kind: "expired",
      cause: "launch_timeout",
      timeout: 5 * minute,
      reason: "Quota",
      message: "too many",
    });
  });

  it("gives a launched claim fifteen minutes to become a node, from when it was last known to be none", () => {
    const conditions = [
      modelCondition("Launched", "True", { lastTransitionTime: 4 * minute }),
      modelCondition("Registered", "Unknown", { lastTransitionTime: minute }),
    ];
    const claim = modelClaim({ conditions });
    assert.deepEqual(liveness(claim, 6 * minute), { kind: "waiting", untilDeadline: 10 * minute });
    assert.deepEqual(liveness(claim, 16 * minute), {
      kind: "expired",
      cause: "registration_timeout",
      timeout: 15 * minute,
      reason: "RegistrationFailed",
      message: "Failed to register node",
    });
  });

  it("sets a node no deadline", () => {
    const conditions = [modelCondition("Launched", "True"), modelCondition("Registered", "True")];
    assert.deepEqual(liveness(modelClaim({ conditions }), 1000 * minute), { kind: "registered" });
  });
});
