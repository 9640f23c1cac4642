import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zoneLabel } from "../../src/core/model/labels.ts";
import { feasibleNodes } from "../../src/core/scheduling/feasible-nodes.ts";
import {
  cluster,
  defaultSettings,
  expression,
  node,
  pod,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";

const inZone = (zone: string) => ({ labels: { [zoneLabel]: zone } });

function feasible(waiting: Wire, ...objects: readonly Wire[]): string[] {
  const { snapshot, pendingPods } = cluster([...objects, waiting]);
  const [only] = pendingPods;
  assert.ok(only);
  return feasibleNodes(snapshot, only, defaultSettings);
}

describe("feasible nodes", () => {
  it("have room for the pod", () => {
    const full = pod("full", { requests: { cpu: 4 }, nodeName: "n1" });
    assert.deepEqual(feasible(pod("web"), node("n1"), node("n2"), full), ["n2"]);
  });

  it("have the labels it requires, whatever it prefers", () => {
    const affinity = preferredNodeAffinity([1, expression(zoneLabel, "In", "zone-2")]);
    const web = pod("web", { nodeSelector: { disk: "ssd" }, affinity });
    const ssd = node("n1", { labels: { disk: "ssd", [zoneLabel]: "zone-1" } });
    assert.deepEqual(feasible(web, ssd, node("n2", inZone("zone-2"))), ["n1"]);
  });

  it("hold no pod that keeps it away, and none that it keeps away from", () => {
    const apart = (app: string) => ({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: zoneLabel, labelSelector: { matchLabels: { app } } },
        ],
      },
    });
    const loner = pod("loner", { labels: { app: "loner" }, affinity: apart("web"), nodeName: "n1" });
    const noisy = pod("noisy", { labels: { app: "noisy" }, nodeName: "n2" });
    const web = pod("web", { labels: { app: "web" }, affinity: apart("noisy") });
    const nodes = ["1", "2", "3"].map((number) => node(`n${number}`, inZone(`zone-${number}`)));
    assert.deepEqual(feasible(web, ...nodes, loner, noisy), ["n3"]);
  });

  it("have room beside pods on their way out, which no spread constraint counts", () => {
    const constraint = {
      topologyKey: "kubernetes.io/hostname",
      maxSkew: 1,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
    };
    const web = pod("web", { labels: { app: "web" }, topologySpreadConstraints: [constraint] });
    const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    const leaving = pod("leaving", { labels: { app: "web" }, nodeName: "n1", metadata });
    const staying = pod("staying", { labels: { app: "web" }, nodeName: "n2" });
    assert.deepEqual(feasible(web, node("n1"), node("n2"), leaving, staying), ["n1"]);
  });

  it("are all open to the first of a kind that wants to share a host", () => {
    const together = {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
        ],
      },
    };
    const web = pod("web", { labels: { app: "web" }, affinity: together });
    assert.deepEqual(feasible(web, node("n1"), node("n2")), ["n1", "n2"]);
    assert.deepEqual(feasible(web, node("n1"), node("n2"), pod("w0", { labels: { app: "web" }, nodeName: "n2" })), [
      "n2",
    ]);
  });
});
