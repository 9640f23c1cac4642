import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cluster, defaultSettings, node, pod, pods, type Wire } from "../../../../test/support/builders.ts";
import { hostnameLabel } from "../../model/labels.ts";
import { seededRandom } from "../../model/seeded-random.ts";
import { screenPods } from "../screen-pods.ts";
import { World } from "../world.ts";
import { type Played, play } from "./play.ts";
import { SchedulerModel } from "./scheduler-model.ts";

/** Plays twice, so that what the first time leaves behind would show. */
function played(objects: readonly Wire[], joins: readonly (readonly string[])[]) {
  const { snapshot, pendingPods } = cluster(objects);
  const { classes } = screenPods(snapshot, pendingPods, defaultSettings);
  const world = new World(snapshot, classes, defaultSettings);
  const names = world.openNodes.map(({ existing }) => existing?.name ?? "");
  const queue = pendingPods.map((pod) => ({
    pod,
    planned: classes.find(({ podClass }) => podClass.pods.includes(pod))!,
  }));
  const indexes = joins.map((group) => group.map((name) => names.indexOf(name)));
  const model = new SchedulerModel(world);
  const once = () => describePlay(play(model, queue, indexes, seededRandom(1)), names);
  const first = once();
  assert.deepEqual(once(), first);
  return first;
}

function describePlay({ podsByNode, leftOver }: Played, names: readonly string[]) {
  const placed = Array.from(podsByNode, ([index, there]) => [names[index], there.map(({ name }) => name)] as const);
  return { placed: Object.fromEntries(placed), leftOver: leftOver.map(({ name }) => name) };
}

const [one, two] = [node("n1"), node("n2")];

describe("play", () => {
  it("fills the emptier node first", () => {
    const busy = pod("busy", { nodeName: "n1", requests: { cpu: 2, memory: "4Gi" } });
    const waiting = pods(2, "web", { requests: { cpu: 1, memory: "2Gi" } });
    assert.deepEqual(played([one, two, busy, ...waiting], [["n1", "n2"]]), {
      placed: { n2: ["web-1", "web-2"] },
      leftOver: [],
    });
  });

  it("places what waits before the next nodes join", () => {
    assert.deepEqual(played([one, two, ...pods(5, "web")], [["n2"], ["n1"]]), {
      placed: { n1: ["web-5"], n2: ["web-1", "web-2", "web-3", "web-4"] },
      leftOver: [],
    });
  });

  it("leaves over what fits on none of the nodes that join", () => {
    const objects = [one, two, ...pods(3, "web", { requests: { cpu: 2 } }), pod("large", { requests: { cpu: 5 } })];
    assert.deepEqual(played(objects, [["n1"]]), {
      placed: { n1: ["web-1", "web-2"] },
      leftOver: ["web-3", "large"],
    });
  });

  it("takes small pods that come before a large one to all nodes, so that it is left over", () => {
    const small = pods(2, "small", { requests: { cpu: 1, memory: "2Gi" } });
    const objects = [one, two, ...small, pod("large", { requests: { cpu: 4 } })];
    const { placed, leftOver } = played(objects, [["n1", "n2"]]);
    assert.deepEqual([Object.keys(placed).sort(), leftOver], [["n1", "n2"], ["large"]]);
  });

  it("tries pods again that need others, once these have come", () => {
    const affinity = {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: hostnameLabel, labelSelector: { matchLabels: { app: "cache" } } },
        ],
      },
    };
    const objects = [one, two, pod("needy", { affinity }), pod("cache", { labels: { app: "cache" } })];
    const { placed, leftOver } = played(objects, [["n1", "n2"]]);
    assert.deepEqual([Object.values(placed), leftOver], [[["cache", "needy"]], []]);
  });
});
