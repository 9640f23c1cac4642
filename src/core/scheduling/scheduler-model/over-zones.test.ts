import assert from "node:assert/strict";
import { it } from "node:test";
import {
  cluster,
  defaultSettings,
  expression,
  nodeAffinity,
  type PodFields,
  plan,
  pod,
  pods,
  pool,
} from "../../../../test/support/builders.ts";
import { zoneLabel } from "../../model/labels.ts";
import { planProvisioning } from "../provisioning.ts";
import { overZones } from "./over-zones.ts";

const labelSelector = { matchLabels: { app: "web" } };
const term = { topologyKey: zoneLabel, labelSelector };
const spread = (whenUnsatisfiable: string) => [
  { topologyKey: zoneLabel, maxSkew: 1, whenUnsatisfiable, labelSelector },
];

function isChanged(fields: PodFields): boolean {
  const { pendingPods } = cluster([pod("web", fields)]);
  return overZones(pendingPods)[0] !== pendingPods[0];
}

it("pods that do not care about zones are spread over all of them", () => {
  const { snapshot, pendingPods } = cluster([pool(), ...pods(3, "web", { requests: { cpu: 2 } })]);
  const together = plan([pool(), ...pods(3, "web", { requests: { cpu: 2 } })]);
  const apart = planProvisioning(snapshot, overZones(pendingPods), defaultSettings);
  const zonesOf = ({ nodes }: typeof apart) => [...new Set(nodes.map(({ zone }) => zone))].sort();
  assert.deepEqual([zonesOf(together).length, zonesOf(apart)], [1, ["zone-1", "zone-2", "zone-3"]]);
});

it("pods of one spec share one spec still, and are otherwise as they were", () => {
  const { pendingPods } = cluster(pods(2, "web", { labels: { app: "web" } }));
  const [first, second] = overZones(pendingPods);
  assert.ok(first && second);
  assert.equal(first.spec, second.spec);
  const { topologySpread, ...rest } = first.spec;
  const { topologySpread: before, ...restBefore } = pendingPods[0]!.spec;
  assert.deepEqual([before, rest, topologySpread.length], [[], restBefore, 1]);
  assert.deepEqual([first.uid, first.name, first.labels.get("app")], [pendingPods[0]!.uid, "web-1", "web"]);
});

it("pods that care about zones, or about other pods, or have volumes, stay as they are", () => {
  const changed = [
    {},
    { topologySpreadConstraints: spread("ScheduleAnyway") },
    { nodeSelector: { disk: "ssd" } },
    { nodeSelector: { [zoneLabel]: "zone-1" } },
    { affinity: nodeAffinity([expression("disk", "Exists")], [expression(zoneLabel, "In", "zone-1")]) },
    { topologySpreadConstraints: spread("DoNotSchedule") },
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
  ].map(isChanged);
  assert.deepEqual(changed, [true, true, true, false, false, false, false, false]);
});
