import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import {
  expression,
  node,
  nodeAffinity,
  outcome,
  type PodFields,
  plan,
  pod,
  pods,
  pool,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";
import { hostCounts, podsByZone, zoneCounts } from "../support/counts.ts";
import { modelSpread } from "../support/model-pod.ts";

/** Small pods of the app `web` that are spread by zone, unless told otherwise. */
function spread(rule: Wire = {}, fields: PodFields = {}): PodFields {
  const labelSelector = { matchLabels: { app: "web" } };
  const constraint = { topologyKey: zoneLabel, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", labelSelector, ...rule };
  return {
    requests: { cpu: "100m" },
    labels: { app: "web" },
    topologySpreadConstraints: [constraint],
    ...fields,
  };
}

function inZones(...zones: readonly string[]): Wire {
  return expression(zoneLabel, "In", ...zones.map((zone) => `zone-${zone}`));
}

/** A full node in a zone with so many pods of the app on it. */
function crowd(zone: number, count: number, fields: PodFields = {}): Wire[] {
  const name = `node-${zone}`;
  const running = { requests: {}, labels: { app: "web" }, nodeName: name, ...fields };
  const allocatable = { cpu: 0, memory: 0, pods: 100 };
  return [node(name, { labels: { [zoneLabel]: `zone-${zone}` }, allocatable }), ...pods(count, `old-${zone}`, running)];
}

describe("spread over zones", () => {
  it("fills three zones evenly", () => {
    assert.deepEqual(zoneCounts(plan([pool(), ...pods(4, "web", spread())])), [2, 1, 1]);
  });

  it("fills the two zones of a pool evenly", () => {
    const two = pool("default", { requirements: [inZones("1", "2")] });
    assert.deepEqual(zoneCounts(plan([two, ...pods(4, "web", spread())])), [2, 2]);
  });

  it("counts pods that run already", () => {
    const made = plan([pool(), ...crowd(1, 2), ...crowd(2, 1), ...pods(3, "web", spread())]);
    assert.deepEqual(
      [...podsByZone(made)].map(([zone, { length }]) => [zone, length]),
      [
        ["zone-2", 1],
        ["zone-3", 2],
      ],
    );
  });

  it("takes room on a node again once other zones have more pods", () => {
    const nodes = ["1", "2", "3"].map((zone) => node(`node-${zone}`, { labels: { [zoneLabel]: `zone-${zone}` } }));
    assert.deepEqual(outcome(plan([pool(), ...nodes, ...pods(6, "web", spread())])), {
      launched: [],
      placed: { "node-1": ["web-1", "web-2"], "node-2": ["web-3", "web-4"], "node-3": ["web-5", "web-6"] },
      refused: {},
    });
  });

  it("takes room on a node once new nodes in other zones have more pods", () => {
    const roomy = node("node-1", { labels: { [zoneLabel]: "zone-1" } });
    const running = pod("old", { labels: { app: "web" }, nodeName: "node-1" });
    const made = plan([pool(), roomy, running, ...pods(5, "web", spread())]);
    assert.deepEqual(
      made.placements.map(({ node: { name }, pods: { length } }) => [name, length]),
      [["node-1", 1]],
    );
    assert.deepEqual(zoneCounts(made), [2, 2, 1]);
  });

  it("counts no pods that are on their way out, have ended, or are of another namespace", () => {
    const gone = crowd(1, 1, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    const ended = crowd(2, 1, { status: { phase: "Succeeded" } });
    const foreign = crowd(3, 1, { metadata: { namespace: "other" } });
    assert.deepEqual(zoneCounts(plan([pool(), ...gone, ...ended, ...foreign, ...pods(3, "web", spread())])), [1, 1, 1]);
  });

  it("counts nobody without a selector, or with one that asks for nothing", () => {
    const one = pool("default", { requirements: [inZones("1")] });
    for (const labelSelector of [undefined, {}]) {
      const made = plan([one, ...crowd(1, 3), ...crowd(2, 0), ...pods(3, "web", spread({ labelSelector }))]);
      assert.deepEqual([zoneCounts(made), made.refusals], [[3], []]);
    }
  });

  it("uses only the emptiest zones when the counts are too far apart already", () => {
    const made = plan([pool(), ...crowd(1, 3), ...pods(2, "web", spread())]);
    assert.deepEqual([...podsByZone(made).keys()], ["zone-2", "zone-3"]);
  });

  it("uses a zone that is not the emptiest when the pool has no other, as far as the skew allows", () => {
    const one = pool("default", { requirements: [inZones("3")] });
    const made = plan([one, ...crowd(1, 0), ...crowd(2, 1), ...pods(3, "web", spread({ maxSkew: 2 }))]);
    assert.deepEqual(outcome(made).refused, { "web-3": "no-fit" });
    assert.deepEqual(
      [...podsByZone(made)].map(([zone, { length }]) => [zone, length]),
      [["zone-3", 2]],
    );
  });

  it("allows no more than the skew in each of too few zones", () => {
    const two = pool("default", { requirements: [inZones("1", "2")] });
    const made = plan([two, ...pods(3, "web", spread({ minDomains: 3 }))]);
    assert.deepEqual(zoneCounts(made), [1, 1]);
    assert.equal(made.refusals.length, 1);
  });

  it("does as usual where there are enough zones", () => {
    assert.deepEqual(zoneCounts(plan([pool(), ...pods(5, "web", spread({ minDomains: 3 }))])), [2, 2, 1]);
  });

  it("refuses pods that are to be spread by a label that nobody gives", () => {
    const made = plan([pool(), pod("web", spread({ topologyKey: "example.com/rack" }))]);
    assert.deepEqual(outcome(made).refused, { web: "no-fit" });
  });

  it("spreads by a label that pools give", () => {
    const racks = ["a", "b"].map((rack) => pool(rack, { labels: { "example.com/rack": rack } }));
    const made = plan([...racks, ...pods(4, "web", spread({ topologyKey: "example.com/rack" }))]);
    assert.deepEqual(
      made.nodes.map(({ pool: { name }, pods: { length } }) => [name, length]).sort(),
      [["a", 2], ["b", 2]], // biome-ignore format: a table
    );
  });

  it("does not know pods with an invalid selector, which the API server would not take either", () => {
    const invalid = { matchExpressions: [{ key: "app", operator: "Around", values: ["web"] }] };
    const objects = [pool(), pod("web", spread({ labelSelector: invalid }))];
    assert.throws(() => plan(objects), /labelSelector\.matchExpressions\[0\]\.operator/);
  });

  it("knows the zone of a pool whose taint a pod does not tolerate only when it is told to ignore taints", () => {
    const tainted = { requirements: [inZones("3")], taints: [{ key: "t", effect: "NoSchedule" }] };
    const pools = [pool("default", { requirements: [inZones("1", "2")] }), pool("tainted", tainted)];
    const honours = plan([...pools, ...pods(6, "web", spread({ nodeTaintsPolicy: "Honor" }))]);
    const ignores = plan([...pools, ...pods(6, "web", spread({ nodeTaintsPolicy: "Ignore" }))]);
    assert.deepEqual([zoneCounts(honours), honours.refusals.length], [[3, 3], 0]);
    assert.deepEqual([zoneCounts(ignores), ignores.refusals.length], [[1, 1], 4]);
  });

  it("counts pods on nodes outside the pod's selector only when it is told to ignore that", () => {
    const nodeSelector = { [zoneLabel]: "zone-1" };
    const around = [pool(), ...crowd(1, 1), ...crowd(2, 0), ...crowd(3, 0)];
    const honours = plan([...around, ...pods(2, "web", spread({}, { nodeSelector }))]);
    const ignores = plan([...around, ...pods(2, "web", spread({ nodeAffinityPolicy: "Ignore" }, { nodeSelector }))]);
    assert.deepEqual([zoneCounts(honours), honours.refusals.length], [[2], 0]);
    assert.deepEqual([zoneCounts(ignores), ignores.refusals.length], [[], 2]);
  });

  it("keeps revisions apart by matchLabelKeys", () => {
    const rule = { topologyKey: hostnameLabel, matchLabelKeys: ["pod-template-hash"] };
    const revisions = ["x", "y"].flatMap((hash) =>
      pods(2, hash, spread(rule, { labels: { app: "web", "pod-template-hash": hash } })),
    );
    assert.deepEqual(hostCounts(plan([pool(), ...revisions])), [2, 2]);
  });

  it("ignores a key of matchLabelKeys that the pod lacks", () => {
    const rule = { topologyKey: hostnameLabel, matchLabelKeys: ["pod-template-hash"] };
    assert.deepEqual(hostCounts(plan([pool(), ...pods(2, "web", spread(rule))])), [1, 1]);
  });

  it("is limited by a node selector and by required affinity", () => {
    const selector = { nodeSelector: { [zoneLabel]: "zone-2" } };
    const affinity = { affinity: nodeAffinity([inZones("1", "3")]) };
    assert.deepEqual(zoneCounts(plan([pool(), ...pods(4, "web", spread({}, selector))])), [4]);
    assert.deepEqual(zoneCounts(plan([pool(), ...pods(4, "web", spread({}, affinity))])), [2, 2]);
  });

  it("is not limited by preferred affinity", () => {
    const affinity = preferredNodeAffinity([1, inZones("1", "2")]);
    assert.deepEqual(zoneCounts(plan([pool(), ...pods(6, "web", spread({}, { affinity }))])), [2, 2, 2]);
  });

  it("counts all zones although a volume leaves only some", () => {
    const objects = [
      pool(),
      {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "v" },
        spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [inZones("1", "2")] }] } } },
      },
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "v", annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
        spec: { volumeName: "v" },
      },
    ];
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "v" } }];
    const made = plan([...objects, ...pods(3, "web", spread({}, { volumes }))]);
    assert.deepEqual([zoneCounts(made), made.refusals.length], [[1, 1], 1]);
  });

  it("gives up where it is only wished for", () => {
    const one = pool("default", { requirements: [inZones("1")] });
    const around = [...crowd(2, 0), ...crowd(3, 0)];
    const wished = plan([one, ...around, ...pods(4, "web", spread({ whenUnsatisfiable: "ScheduleAnyway" }))]);
    assert.deepEqual([zoneCounts(wished), wished.refusals.length], [[4], 0]);
  });

  it("counts pods of the batch that have no rule themselves", () => {
    const plain = pods(2, "plain", {
      requests: { cpu: "100m" },
      labels: { app: "web" },
      nodeSelector: { [zoneLabel]: "zone-1" },
    });
    const made = plan([pool(), ...plain, ...pods(2, "web", spread())]);
    assert.deepEqual(
      ["web-1", "web-2"].map((name) => [...podsByZone(made)].find(([, names]) => names.includes(name))?.[0]).sort(),
      ["zone-2", "zone-3"],
    );
  });
});

describe("spread over zones and racks", () => {
  const rack = "example.com/rack";
  const racked = pool("default", { labels: { [rack]: "rack-1" } });

  /** Pods with a constraint by zone and one by rack. */
  function spreadTwice(zoneRule: string, rackRule: string): PodFields {
    const { topologySpreadConstraints: byZone } = spread({ whenUnsatisfiable: zoneRule }) as {
      topologySpreadConstraints: Wire[];
    };
    const byRack = { ...byZone[0], topologyKey: rack, whenUnsatisfiable: rackRule };
    return spread({}, { topologySpreadConstraints: [...byZone, byRack] });
  }

  it("counts no pods on nodes without a rack", () => {
    const made = plan([racked, ...crowd(1, 3), ...pods(6, "web", spreadTwice("DoNotSchedule", "DoNotSchedule"))]);
    assert.deepEqual([zoneCounts(made), made.refusals.length], [[2, 2, 2], 0]);
  });

  it("does not wait for a zone that has only nodes without a rack", () => {
    const made = plan([racked, ...crowd(4, 0), ...pods(6, "web", spreadTwice("DoNotSchedule", "DoNotSchedule"))]);
    assert.deepEqual([zoneCounts(made), made.refusals.length], [[2, 2, 2], 0]);
  });

  it("counts nodes without a rack where racks are only wished for", () => {
    const made = plan([racked, ...crowd(4, 0), ...pods(6, "web", spreadTwice("DoNotSchedule", "ScheduleAnyway"))]);
    assert.deepEqual([zoneCounts(made), made.refusals.length], [[1, 1, 1], 3]);
  });

  it("counts no pods on nodes without a rack where both are wished for", () => {
    const made = plan([racked, ...crowd(1, 3), ...pods(6, "web", spreadTwice("ScheduleAnyway", "ScheduleAnyway"))]);
    assert.deepEqual(zoneCounts(made), [2, 2, 2]);
  });
});

describe("spread over hosts", () => {
  it("gives every pod a node of its own with a skew of one", () => {
    assert.deepEqual(
      hostCounts(plan([pool(), ...pods(4, "web", spread({ topologyKey: hostnameLabel }))])),
      [1, 1, 1, 1],
    );
  });

  it("needs one node with a skew of four", () => {
    assert.deepEqual(
      hostCounts(plan([pool(), ...pods(4, "web", spread({ topologyKey: hostnameLabel, maxSkew: 4 }))])),
      [4],
    );
  });

  it("counts the pods of a node that exists", () => {
    const full = [node("n"), pod("old", { labels: { app: "web" }, nodeName: "n" })];
    const made = plan([pool(), ...full, pod("web", spread({ topologyKey: hostnameLabel }))]);
    assert.deepEqual(outcome(made), { launched: ["small: web"], placed: {}, refused: {} });
  });

  it("lets no pod without a rule crowd a host after the others", () => {
    const plain = pods(2, "plain", { requests: { cpu: "100m" }, labels: { app: "web" } });
    const made = plan([pool(), pod("web", spread({ topologyKey: hostnameLabel })), ...plain]);
    assert.deepEqual(outcome(made).launched, ["small: plain-1 plain-2", "small: web"]);
  });
});

describe("default spread constraints", () => {
  const byHost = modelSpread({ topologyKey: hostnameLabel });
  const settings = { defaultSpread: [byHost] };
  const labels = { app: "web" };
  const requests = { cpu: "100m" };
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { selector: labels } };

  it("spread pods by the selectors of their services", () => {
    const others = pods(2, "other", { requests, labels: { app: "other" } });
    const made = plan([pool(), service, ...pods(2, "web", { requests, labels }), ...others], { settings });
    assert.deepEqual(hostCounts(made), [3, 1]);
  });

  it("spread pods by the selector of the controller that owns them", () => {
    const owned = (name: string) => ({
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name, controller: true }],
    });
    const sets = ["x", "y"].map((name) => ({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name },
      spec: { selector: { matchLabels: { set: name } } },
    }));
    const replicas = ["x", "y"].flatMap((set) => pods(2, set, { requests, labels: { set }, metadata: owned(set) }));
    assert.deepEqual(hostCounts(plan([pool(), ...sets, ...replicas], { settings })), [2, 2]);
  });

  it("leave a pod with a constraint of its own alone", () => {
    const own = spread({ topologyKey: hostnameLabel, maxSkew: 2 }, { labels });
    assert.deepEqual(hostCounts(plan([pool(), service, ...pods(2, "web", own)], { settings })), [2]);
  });

  it("leave a pod alone that no controller and no service selects", () => {
    assert.deepEqual(
      hostCounts(plan([pool(), service, ...pods(2, "lone", { requests, labels: { app: "lone" } })], { settings })),
      [2],
    );
  });
});
