import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RecordingTelemetry } from "../../test/support/recording-telemetry.ts";
import { ClusterState } from "../core/cluster/cluster-state.ts";
import { VirtualClock } from "../embedded/time/virtual-clock.ts";
import { KubeClient } from "../runtime/kube-client.ts";
import { openKwok } from "./clouds.ts";

function offering(capacityType: string, more: readonly object[] = []) {
  const In = (key: string, value: string) => ({ key, operator: "In", values: [value] });
  return {
    Price: 0.1,
    Requirements: [In("karpenter.sh/capacity-type", capacityType), In("topology.kubernetes.io/zone", "a"), ...more],
  };
}

test("Reserved capacity is sold unless its feature gate is off", async () => {
  const reservation = { key: "example.com/reservation-id", operator: "In", values: ["r-1"] };
  const catalogue = [
    {
      name: "m-2",
      architecture: "amd64",
      operatingSystems: ["linux"],
      resources: { cpu: "2", memory: "8Gi" },
      offerings: [offering("on-demand"), { ...offering("reserved", [reservation]), ReservationCapacity: 3 }],
    },
  ];
  const folder = mkdtempSync(join(tmpdir(), "catalogue-"));
  const instanceTypesFilePath = join(folder, "types.json");
  writeFileSync(instanceTypesFilePath, JSON.stringify(catalogue));
  const transport = { send: () => new Promise<never>(() => {}), watch: async () => () => {} };
  const kube = new KubeClient({ transport });
  const telemetry = new RecordingTelemetry();
  const sold = async (ReservedCapacity: boolean) => {
    const cloud = openKwok(
      { instanceTypes: "generic", instanceTypesFilePath, featureGates: { ReservedCapacity } },
      { clock: new VirtualClock(0), random: () => 0, log: telemetry.log },
    ).create({ kube, transport, cluster: new ClusterState(), telemetry });
    const types = await cloud.instanceTypes({ group: "", kind: "", name: "" });
    return types.flatMap(({ offerings }) => offerings.map(({ reservationId }) => reservationId));
  };
  assert.deepEqual(await sold(true), [undefined, "r-1"]);
  assert.deepEqual(await sold(false), [undefined]);
  rmSync(folder, { recursive: true });
});
