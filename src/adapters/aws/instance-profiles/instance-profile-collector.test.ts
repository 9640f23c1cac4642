import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecordingTelemetry } from "../../../../test/support/recording-telemetry.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import { InstanceProfileCollector } from "./instance-profile-collector.ts";

/** Calls back when the test says that time has passed. */
class HandClock {
  time = 0;
  readonly waiting = new Set<{ readonly at: number; readonly callback: () => void }>();
  now(): number {
    return this.time;
  }
  after(milliseconds: number, callback: () => void) {
    const entry = { at: this.time + milliseconds, callback };
    this.waiting.add(entry);
    return { cancel: () => void this.waiting.delete(entry) };
  }
  async advance(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    for (const entry of this.waiting) {
      if (entry.at > this.time) continue;
      this.waiting.delete(entry);
      entry.callback();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function view<T>(...objects: readonly T[]) {
  return { size: objects.length, get: () => undefined, values: () => objects, onChange: () => () => {} };
}

describe("the collector of instance profiles", () => {
  it("removes those that no node class has, no machine was launched with and nobody is about to use", async () => {
    const clock = new HandClock();
    const all = new Set(["of-class", "of-claim", "protected", "stray-1", "broken", "stray-2"]);
    const cluster = {
      claims: view({ annotations: new Map([["karpenter.k8s.aws/instance-profile-name", "of-claim"]]) }),
      nodeClasses: view(
        { kind: "EC2NodeClass", wire: { status: { instanceProfile: "of-class" } } },
        { kind: "EC2NodeClass", wire: {} },
      ),
    } as unknown as ClusterView;
    const profiles = {
      list: async () => [...all],
      isProtected: (name: string) => name === "protected",
      remove: async (name: string) => {
        if (name === "broken") throw new Error("no luck");
        all.delete(name);
      },
    };
    const telemetry = new RecordingTelemetry();
    const collector = new InstanceProfileCollector({ cluster, profiles, clock, telemetry });
    collector.start();
    await clock.advance(5 * 60_000);
    await collector.stop();
    assert.deepEqual([...all], ["of-class", "of-claim", "protected", "broken"]);
    assert.deepEqual(
      telemetry.lines.map(({ message }) => message),
      ["deleted instance profile", "deleted instance profile", "Reconciler error"],
    );
  });
});
