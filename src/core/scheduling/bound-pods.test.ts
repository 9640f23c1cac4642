import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { Pod } from "../model/pod.ts";
import { loadOf } from "./bound-pods.ts";

const daemonSet = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "", isController: true };

describe("loadOf", () => {
  it("adds up what pods take, and what daemon pods take of it", () => {
    const spec = { requests: new Map([["cpu", 100]]) };
    const load = loadOf([modelPod("a", { spec }), modelPod("b", { spec, owners: [daemonSet] })]);
    assert.deepEqual(load.used, new Map([["cpu", 200]]));
    assert.deepEqual(load.daemonUse, new Map([["cpu", 100]]));
  });

  it("counts pods of one kind together, those that are being deleted apart", () => {
    const first = modelPod("a");
    const like = (pod: Partial<Pod>): Pod => ({ ...first, ...pod });
    const pods = [first, like({ name: "b" }), like({ name: "c", isDeleting: true }), like({ namespace: "other" })];
    assert.deepEqual(
      loadOf(pods).kinds.map(({ count, isDeleting }) => [count, isDeleting]),
      [
        [2, false],
        [1, true],
        [1, false],
      ],
    );
  });

  it("names the kinds that keep others away or take ports, and the pods that have volumes", () => {
    const pods = [
      modelPod("plain"),
      modelPod("ports", { spec: { hostPorts: [{ ip: "0.0.0.0", port: 80, protocol: "TCP" }] } }),
      modelPod("volumes", {
        spec: { volumeClaims: [{ claimName: "c", isEphemeral: false, storageClassName: "", storage: 0 }] },
      }),
    ];
    const { assertive, mounting } = loadOf(pods);
    assert.deepEqual(
      assertive.map(({ spec }) => spec),
      [pods[1]?.spec],
    );
    assert.deepEqual(mounting, [pods[2]]);
  });

  it("looks at a list of pods only once", () => {
    const pods = [modelPod("a")];
    assert.equal(loadOf(pods), loadOf(pods));
  });
});
