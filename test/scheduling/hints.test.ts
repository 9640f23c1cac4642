import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zoneLabel } from "../../src/core/model/labels.ts";
import { node, nodeClaim, type Outcome, outcome, plan, pod, pods, pool, type Wire } from "../support/builders.ts";

/** Where pods go when earlier plans meant them for these nodes, by the name of the pod. */
function hinted(hints: Record<string, string>, ...objects: readonly Wire[]): Outcome {
  const byUid = Object.entries(hints).map(([name, nodeName]) => [`default/${name}`, nodeName] as const);
  return outcome(plan([pool(), ...objects], { settings: { hints: new Map(byUid) } }));
}

const nothingLaunched = { launched: [], refused: {} };
const app = (name: string) => ({ labels: { app: name } });
const inZone = (zone: string) => ({ labels: { [zoneLabel]: zone } });

describe("a pod that was meant for a node", () => {
  it("goes there although it would go elsewhere without a hint", () => {
    const objects = [node("n1"), node("n2"), pod("web")];
    assert.deepEqual(hinted({}, ...objects), { ...nothingLaunched, placed: { n1: ["web"] } });
    assert.deepEqual(hinted({ web: "n2" }, ...objects), { ...nothingLaunched, placed: { n2: ["web"] } });
  });

  it("goes there while the node is on its way, and not to one that is ready", () => {
    const objects = [node("ready"), nodeClaim("coming"), pod("web")];
    assert.deepEqual(hinted({ web: "coming" }, ...objects), { ...nothingLaunched, placed: { coming: ["web"] } });
  });

  it("goes elsewhere when it does not fit there any more", () => {
    const objects = [node("n1"), node("n2"), pod("web"), ...pods(4, "busy", { nodeName: "n2" })];
    assert.deepEqual(hinted({ web: "n2" }, ...objects), { ...nothingLaunched, placed: { n1: ["web"] } });
  });

  it("goes elsewhere when the node does not take it", () => {
    const tainted = node("n2", { taints: [{ key: "team", value: "red", effect: "NoSchedule" }] });
    const picky = pod("web", { nodeSelector: { [zoneLabel]: "zone-1" } });
    assert.deepEqual(hinted({ web: "n2" }, node("n1"), tainted, pod("web")).placed, { n1: ["web"] });
    assert.deepEqual(hinted({ web: "n2" }, node("n1", inZone("zone-1")), node("n2", inZone("zone-2")), picky).placed, {
      n1: ["web"],
    });
  });

  it("goes elsewhere when the node is gone, or going", () => {
    const going = node("n2", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    assert.deepEqual(hinted({ web: "gone" }, node("n1"), pod("web")).placed, { n1: ["web"] });
    assert.deepEqual(hinted({ web: "n2" }, node("n1"), going, pod("web")).placed, { n1: ["web"] });
    assert.deepEqual(hinted({ web: "gone" }, pod("web")), { launched: ["small: web"], placed: {}, refused: {} });
  });

  it("keeps its room from pods that were not meant for the node", () => {
    const objects = [node("n1"), pod("big", { requests: { cpu: 4 } }), pod("web")];
    assert.deepEqual(hinted({ web: "n1" }, ...objects), {
      launched: ["medium: big"],
      placed: { n1: ["web"] },
      refused: {},
    });
  });
});

describe("pods that were meant for one node", () => {
  it("all go there where there is room for all", () => {
    const hints = { "web-1": "n2", "web-3": "n2" };
    const placed = hinted(hints, node("n1"), node("n2"), ...pods(3, "web")).placed;
    assert.deepEqual(
      Object.entries(placed).map(([name, there]) => [name, there.length]),
      [
        ["n1", 1],
        ["n2", 2],
      ],
    );
  });

  it("go there as far as they fit", () => {
    const hints = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`web-${index + 1}`, "n2"]));
    const placed = hinted(hints, node("n1"), node("n2"), ...pods(6, "web")).placed;
    assert.deepEqual(
      Object.entries(placed).map(([name, there]) => [name, there.length]),
      [
        ["n1", 2],
        ["n2", 4],
      ],
    );
  });

  it("go there although one needs the other, whichever is tried first", () => {
    const near = (name: string) => ({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: name } } },
        ],
      },
    });
    const needy = pod("needy", { requests: { cpu: 2 }, affinity: near("cache"), ...app("needy") });
    const cache = pod("cache", app("cache"));
    const objects = [node("n1"), node("n2"), needy, cache];
    assert.deepEqual(hinted({ needy: "n2", cache: "n2" }, ...objects), {
      ...nothingLaunched,
      placed: { n2: ["cache", "needy"] },
    });
  });

  it("keep apart if they must", () => {
    const apart = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
        ],
      },
    };
    const both = pods(2, "web", { affinity: apart, ...app("web") });
    const { launched, placed } = hinted({ "web-1": "n2", "web-2": "n2" }, node("n1"), node("n2"), ...both);
    assert.deepEqual(
      [launched, Object.entries(placed).map(([name, there]) => [name, there.length])],
      [
        [],
        [
          ["n1", 1],
          ["n2", 1],
        ],
      ],
    );
  });
});

it("a pod with a hint goes where it goes without what it prefers", () => {
  const preferred = { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } };
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } };
  const objects = [node("n1", { labels: { disk: "ssd" } }), node("n2"), pod("web", { affinity })];
  assert.deepEqual(hinted({ web: "n2" }, ...objects), { ...nothingLaunched, placed: { n2: ["web"] } });
});
