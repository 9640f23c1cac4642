import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../model/pod.ts";
import { nodeOfPodEvent } from "./pod-event.ts";

const since = 1_000;

function pod(fields: Partial<Pod> = {}): Pod {
  return { nodeName: "a", phase: "Running", isDeleting: false, owners: [], createdAt: 0, ...fields } as Pod;
}

function nodeOf(before: Pod | undefined, after: Pod | undefined): string {
  return nodeOfPodEvent({ key: "default/web", before, after }, since);
}

describe("nodeOfPodEvent", () => {
  it("names the node when a pod is bound, ends, begins to go or is gone at once", () => {
    const events: [Pod | undefined, Pod | undefined][] = [
      [pod({ nodeName: "" }), pod()],
      [pod(), pod({ phase: "Succeeded" })],
      [pod(), pod({ isDeleting: true })],
      [pod(), undefined],
      [undefined, pod({ createdAt: 2_000 })],
    ];
    assert.deepEqual(
      events.map(([before, after]) => nodeOf(before, after)),
      ["a", "a", "a", "a", "a"],
    );
  });

  it("names none for what was so before, for what was told, or for pods of DaemonSets", () => {
    const daemon = { owners: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "log", uid: "", isController: true }] };
    const changes: [Pod | undefined, Pod | undefined][] = [
      [undefined, pod()],
      [pod(), pod({ readyAt: 5 })],
      [pod({ isDeleting: true }), undefined],
      [pod({ phase: "Failed" }), undefined],
      [undefined, pod({ nodeName: "", createdAt: 2_000 })],
      [pod({ ...daemon, nodeName: "" }), pod(daemon)],
    ];
    assert.deepEqual(
      changes.map(([before, after]) => nodeOf(before, after)),
      ["", "", "", "", "", ""],
    );
  });
});
