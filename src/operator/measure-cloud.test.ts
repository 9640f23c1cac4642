import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecordingTelemetry } from "../../test/support/recording-telemetry.ts";
import type { NodeClaim } from "../core/model/node-claim.ts";
import { VirtualClock } from "../embedded/time/virtual-clock.ts";
import type { CloudProvider } from "../ports/cloud-provider.ts";
import { measureCloud } from "./measure-cloud.ts";

const claim = {} as NodeClaim;

function stage(answers: Partial<CloudProvider>) {
  const clock = new VirtualClock(0);
  const telemetry = new RecordingTelemetry();
  const cloud = { name: "test", ...answers } as CloudProvider;
  const { metrics } = telemetry;
  return { clock, telemetry, cloud: measureCloud(cloud, { controller: "some.controller", clock, metrics }) };
}

const labels = (method: string) => `controller="some.controller",method="${method}",provider="test"`;

describe("A measured cloud", () => {
  it("tells how long it took to answer", async () => {
    const { clock, telemetry, cloud } = stage({
      list: () => new Promise((answer) => clock.after(3_000, () => answer([]))),
    });
    const listing = cloud.list();
    await clock.advance(3_000);
    assert.deepEqual(await listing, []);
    assert.deepEqual([...telemetry.observations], [[`cloudprovider_duration_seconds{${labels("List")}}`, [3]]]);
    assert.deepEqual([...telemetry.numbers], []);
  });

  it("counts what it refuses, what it does not find, and what goes wrong", async () => {
    const { telemetry, cloud } = stage({
      launch: async () => ({ kind: "insufficient-capacity", message: "" }),
      find: async () => undefined,
      terminate: async () => "terminating",
      driftReason: () => Promise.reject(new Error("no answer")),
    });
    await cloud.launch(claim);
    await cloud.find("test:///a");
    await cloud.terminate({ providerId: "test:///a", claimName: "a" });
    await assert.rejects(cloud.driftReason(claim), /no answer/);
    assert.deepEqual(
      [...telemetry.numbers],
      [
        [`cloudprovider_errors_total{${labels("Create")},error="InsufficientCapacityError"}`, 1],
        [`cloudprovider_errors_total{${labels("Get")},error="NodeClaimNotFoundError"}`, 1],
        [`cloudprovider_errors_total{${labels("IsDrifted")},error=""}`, 1],
      ],
    );
  });
});
