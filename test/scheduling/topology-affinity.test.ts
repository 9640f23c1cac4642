import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { node, outcome, type PodFields, plan, pod, pods, pool, type Wire } from "../support/builders.ts";
import { hostCounts, podsByZone, zoneCounts } from "../support/counts.ts";

type Kind = "podAffinity" | "podAntiAffinity";

function term(topologyKey: string, app: string, fields: Wire = {}): Wire {
  return { topologyKey, labelSelector: { matchLabels: { app } }, ...fields };
}

/** A small pod of an app with required terms about other pods. */
function needing(kind: Kind, app: string, ...terms: readonly Wire[]): PodFields {
  const affinity = { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  return { requests: { cpu: "100m" }, labels: { app }, affinity };
}

/** The same where the term is only preferred. */
function preferring(kind: Kind, app: string, podAffinityTerm: Wire): PodFields {
  const affinity = { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] } };
  return { requests: { cpu: "100m" }, labels: { app }, affinity };
}

function small(app: string, fields: PodFields = {}): PodFields {
  return { requests: { cpu: "100m" }, labels: { app }, ...fields };
}

/** A full node in a zone, with these pods on it. */
function fullNode(zone: number, ...running: readonly [string, PodFields][]): Wire[] {
  const name = `node-${zone}`;
  const allocatable = { cpu: 0, memory: 0, pods: 100 };
  return [
    node(name, { labels: { [zoneLabel]: `zone-${zone}` }, allocatable }),
    ...running.map(([pod_, fields]) => pod(pod_, { ...fields, nodeName: name })),
  ];
}

function inZone(zone: number): PodFields {
  return { nodeSelector: { [zoneLabel]: `zone-${zone}` } };
}

function zoneOf(made: ReturnType<typeof plan>, name: string): string | undefined {
  return [...podsByZone(made)].find(([, names]) => names.includes(name))?.[0];
}

describe("pod affinity", () => {
  it("brings a pod to the host of another in the batch", () => {
    const made = plan([
      pool(),
      pod("a", needing("podAffinity", "a", term(hostnameLabel, "b"))),
      pod("b", { labels: { app: "b" }, requests: { cpu: 1.9 } }),
    ]);
    assert.deepEqual(outcome(made), { launched: ["small: a b"], placed: {}, refused: {} });
  });

  it("brings a pod to the zone of another in the batch", () => {
    const b = small("b", inZone(3));
    const made = plan([pool(), pod("a", needing("podAffinity", "a", term(zoneLabel, "b"))), pod("b", b)]);
    assert.deepEqual([zoneOf(made, "a"), zoneOf(made, "b")], ["zone-3", "zone-3"]);
  });

  it("brings pods through pods that need others themselves, in any order", () => {
    const chain = [
      pod("a", needing("podAffinity", "a", term(hostnameLabel, "b"))),
      pod("b", needing("podAffinity", "b", term(hostnameLabel, "c"))),
      pod("c", small("c")),
    ];
    assert.deepEqual(outcome(plan([pool(), ...chain])).launched, ["small: a b c"]);
    assert.deepEqual(outcome(plan([pool(), ...chain.toReversed()])).launched, ["small: a b c"]);
  });

  it("refuses a pod whose company does not exist", () => {
    for (const key of [hostnameLabel, zoneLabel]) {
      const made = plan([pool(), pod("a", needing("podAffinity", "a", term(key, "nobody")))]);
      assert.deepEqual(outcome(made).refused, { a: "no-fit" });
    }
  });

  it("refuses pods that need each other, because none can be first", () => {
    for (const key of [hostnameLabel, zoneLabel]) {
      const made = plan([
        pool(),
        pod("a", needing("podAffinity", "a", term(key, "b"))),
        pod("b", needing("podAffinity", "b", term(key, "a"))),
      ]);
      assert.deepEqual(outcome(made).refused, { a: "no-fit", b: "no-fit" });
    }
  });

  it("to its own kind starts one zone that all replicas follow to", () => {
    assert.deepEqual(
      zoneCounts(
        plan([pool(), ...pods(5, "a", { ...needing("podAffinity", "a", term(zoneLabel, "a")), requests: { cpu: 3 } })]),
      ),
      [5],
    );
  });

  it("to its own kind starts one host that all replicas follow to", () => {
    assert.deepEqual(
      hostCounts(plan([pool(), ...pods(5, "a", needing("podAffinity", "a", term(hostnameLabel, "a")))])),
      [5],
    );
  });

  it("to its own kind leaves out what one host cannot hold", () => {
    const made = plan([
      pool(),
      ...pods(5, "a", { ...needing("podAffinity", "a", term(hostnameLabel, "a")), requests: { cpu: 4 } }),
    ]);
    assert.deepEqual([hostCounts(made), made.refusals.length], [[4], 1]);
  });

  it("to its own kind follows pods that run already", () => {
    const running = fullNode(2, ["old", small("a")]);
    const made = plan([pool(), ...running, ...pods(2, "a", needing("podAffinity", "a", term(zoneLabel, "a")))]);
    assert.deepEqual([...podsByZone(made).keys()], ["zone-2"]);
  });

  it("to its own kind starts no second host beside one that is full", () => {
    const made = plan([
      pool(),
      ...fullNode(2, ["old", small("a")]),
      pod("a", needing("podAffinity", "a", term(hostnameLabel, "a"))),
    ]);
    assert.deepEqual(outcome(made).refused, { a: "no-fit" });
  });

  it("to its own kind starts on a node that holds one of two, when no new node would hold more", () => {
    const containers = [{ resources: { requests: { cpu: "100m" } }, ports: [{ hostPort: 80 }] }];
    const fields = { ...needing("podAffinity", "a", term(hostnameLabel, "a")), containers };
    assert.equal(plan([node("n"), ...pods(2, "a", fields)]).refusals.length, 1);
  });

  it("to its own kind starts where most of it fits, when neither nodes nor machines hold all", () => {
    const fields = { ...needing("podAffinity", "a", term(hostnameLabel, "a")), requests: { cpu: 4 } };
    const nodes = [8, 24, 12].map((cpu) => node(`n-${cpu}`, { allocatable: { cpu, memory: "8Gi", pods: 9 } }));
    const made = plan([pool(), ...nodes, ...pods(7, "a", fields)]);
    assert.deepEqual([made.nodes.length, made.placements.map(({ node }) => node.name)], [0, ["n-24"]]);
    assert.equal(made.refusals.length, 1);
  });

  it("to its own kind starts a new host that holds more than any node", () => {
    const fields = { ...needing("podAffinity", "a", term(hostnameLabel, "a")), requests: { cpu: 4 } };
    const made = plan([pool(), node("n"), ...pods(5, "a", fields)]);
    assert.deepEqual([hostCounts(made), made.placements, made.refusals.length], [[4], [], 1]);
  });

  it("follows pods of the batch that go to a node which exists", () => {
    const a = pod("a", { ...needing("podAffinity", "a", term(hostnameLabel, "b")), requests: { cpu: 2 } });
    for (const b of [small("b"), needing("podAffinity", "b", term(hostnameLabel, "b"))]) {
      assert.deepEqual(outcome(plan([pool(), node("n"), a, pod("b", b)])).placed, { n: ["a", "b"] });
    }
  });

  it("starts separately for groups whose selectors exclude each other", () => {
    const rule = needing("podAffinity", "a", term(zoneLabel, "a"));
    const groups = [1, 2].flatMap((zone) => pods(2, `zone-${zone}`, { ...rule, ...inZone(zone) }));
    const made = plan([pool(), ...groups]);
    assert.deepEqual([zoneCounts(made), made.refusals.length], [[2, 2], 0]);
  });

  it("holds together with a spread over zones", () => {
    const constraint = {
      topologyKey: zoneLabel,
      maxSkew: 1,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "a" } },
    };
    const fields = {
      ...needing("podAffinity", "a", term(hostnameLabel, "a")),
      topologySpreadConstraints: [constraint],
    };
    const made = plan([pool(), ...pods(3, "a", fields)]);
    assert.deepEqual([hostCounts(made), made.refusals.length], [[1], 2]);
  });

  it("is kept between pods of a bundle that may not share a host otherwise", () => {
    const containers = [{ resources: { requests: { cpu: "100m" } }, ports: [{ hostPort: 80 }] }];
    const made = plan([
      pool(),
      ...pods(2, "a", { ...needing("podAffinity", "a", term(hostnameLabel, "a")), containers }),
    ]);
    assert.deepEqual([hostCounts(made), made.refusals.length], [[1], 1]);
  });
});

describe("two terms of pod affinity", () => {
  const rack = "example.com/rack";

  /** A term about the tier of other pods. */
  function tier(topologyKey: string, value: string): Wire {
    return { topologyKey, labelSelector: { matchLabels: { tier: value } } };
  }

  it("look for pods that match both", () => {
    const apart = [
      ...fullNode(1, ["b", small("b")], ["front", { requests: {}, labels: { tier: "front" } }]),
      ...fullNode(2, ["b-front", { requests: {}, labels: { app: "b", tier: "front" } }]),
    ];
    const a = pod("a", needing("podAffinity", "a", term(zoneLabel, "b"), tier(zoneLabel, "front")));
    assert.equal(zoneOf(plan([pool(), ...apart, a]), "a"), "zone-2");
    assert.deepEqual(outcome(plan([pool(), ...apart.slice(0, 3), a])).refused, { a: "no-fit" });
  });

  it("look for pods on the host that match both", () => {
    const a = pod("a", needing("podAffinity", "a", term(hostnameLabel, "b"), tier(hostnameLabel, "front")));
    const b = pod("b", small("b"));
    const front = pod("front", { requests: { cpu: "100m" }, labels: { tier: "front" } });
    const both = pod("both", { requests: { cpu: "100m" }, labels: { app: "b", tier: "front" } });
    assert.deepEqual(outcome(plan([pool(), a, b, front])).refused, { a: "no-fit" });
    assert.deepEqual(outcome(plan([pool(), a, both])).launched, ["small: a both"]);
  });

  it("look only into namespaces that both name", () => {
    const other = { namespaces: ["other"] };
    const running = fullNode(2, ["b", small("b", { metadata: { namespace: "other" } })]);
    const needs = (...terms: Wire[]) => plan([pool(), ...running, pod("a", needing("podAffinity", "a", ...terms))]);
    assert.equal(zoneOf(needs(term(zoneLabel, "b", other)), "a"), "zone-2");
    assert.equal(zoneOf(needs(term(zoneLabel, "b", other), term(zoneLabel, "b")), "a"), undefined);
  });

  it("to its own kind start one host in one zone", () => {
    const fields = needing("podAffinity", "a", term(zoneLabel, "a"), term(hostnameLabel, "a"));
    const made = plan([pool(), ...pods(3, "a", fields)]);
    assert.deepEqual([hostCounts(made), made.refusals.length], [[3], 0]);
  });

  it("are each to be near the kind, not only one of them", () => {
    const labelled = pool("default", { labels: { [rack]: "rack-1" } });
    const a = pod("a", needing("podAffinity", "a", term(zoneLabel, "a"), term(rack, "a")));
    const running = fullNode(1, ["old", small("a")]);
    assert.deepEqual(outcome(plan([labelled, a])).launched, ["small: a"]);
    assert.deepEqual(outcome(plan([labelled, ...running, a])).refused, { a: "no-fit" });
  });

  it("are no first of a kind for a pod that matches one of them", () => {
    const fields = needing("podAffinity", "a", term(zoneLabel, "a"), tier(zoneLabel, "front"));
    assert.deepEqual(outcome(plan([pool(), pod("a", fields)])).refused, { a: "no-fit" });
    const labels = { app: "a", tier: "front" };
    assert.deepEqual(outcome(plan([pool(), pod("a", { ...fields, labels })])).refused, {});
  });

  it("may be about different pods when they are only preferred", () => {
    const running = fullNode(2, ["b", small("b")], ["front", { requests: {}, labels: { tier: "front" } }]);
    const preferred = [term(zoneLabel, "b"), tier(zoneLabel, "front")].map((podAffinityTerm) => ({
      weight: 1,
      podAffinityTerm,
    }));
    const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    assert.equal(zoneOf(plan([pool(), ...running, pod("a", small("a", { affinity }))]), "a"), "zone-2");
  });
});

describe("pod anti-affinity", () => {
  it("between replicas puts one into each zone and lets the others wait for another pass", () => {
    const made = plan([pool(), ...pods(5, "a", needing("podAntiAffinity", "a", term(zoneLabel, "a")))]);
    assert.deepEqual([zoneCounts(made), made.refusals.length], [[1, 1, 1], 2]);
  });

  it("between replicas gives each a host", () => {
    assert.deepEqual(
      hostCounts(plan([pool(), ...pods(3, "a", needing("podAntiAffinity", "a", term(hostnameLabel, "a")))])),
      [1, 1, 1],
    );
  });

  it("of a pod that runs keeps others out of its zone", () => {
    const running = fullNode(1, ["old", needing("podAntiAffinity", "old", term(zoneLabel, "a"))]);
    const made = plan([pool(), ...running, ...pods(3, "a", small("a"))]);
    assert.deepEqual([[...podsByZone(made).keys()].includes("zone-1"), made.refusals.length], [false, 0]);
  });

  it("of a pod that runs refuses a pod that can go nowhere else", () => {
    const running = fullNode(1, ["old", needing("podAntiAffinity", "old", term(zoneLabel, "a"))]);
    assert.deepEqual(outcome(plan([pool(), ...running, pod("a", small("a", inZone(1)))])).refused, { a: "no-fit" });
  });

  it("of a pod that runs keeps nobody away when it is only preferred", () => {
    const running = fullNode(1, ["old", preferring("podAntiAffinity", "old", term(zoneLabel, "a"))]);
    assert.equal(zoneOf(plan([pool(), ...running, pod("a", small("a", inZone(1)))]), "a"), "zone-1");
  });

  it("of a pod that waits keeps others away that wait", () => {
    const made = plan([
      pool(),
      pod("a", small("a")),
      pod("b", needing("podAntiAffinity", "b", term(hostnameLabel, "a"))),
    ]);
    assert.deepEqual(outcome(made).launched, ["small: a", "small: b"]);
  });

  it("of a pod whose node is going away keeps nobody away", () => {
    const deleting = node("n", {
      labels: { [zoneLabel]: "zone-1" },
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "d", controller: true };
    const stays = pod("old", {
      ...needing("podAntiAffinity", "old", term(zoneLabel, "a")),
      nodeName: "n",
      metadata: { ownerReferences: [owner] },
    });
    assert.equal(zoneOf(plan([pool(), deleting, stays, pod("a", small("a", inZone(1)))]), "a"), "zone-1");
  });
});

describe("namespaces of a term", () => {
  const running = [
    ...fullNode(1, ["old", small("a", { metadata: { namespace: "other" } })]),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "other", labels: { kind: "second" } } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { kind: "first" } } },
  ];

  function placed(kind: Kind, fields: Wire): string | undefined {
    const made = plan([
      pool(),
      ...running,
      pod("b", { ...needing(kind, "b", term(zoneLabel, "a", fields)), ...inZone(1) }),
    ]);
    return zoneOf(made, "b");
  }

  it("are the pod's own when it names none", () => {
    assert.equal(placed("podAntiAffinity", {}), "zone-1");
    assert.equal(placed("podAffinity", {}), undefined);
  });

  it("are those it lists", () => {
    assert.equal(placed("podAntiAffinity", { namespaces: ["other"] }), undefined);
    assert.equal(placed("podAffinity", { namespaces: ["other"] }), "zone-1");
  });

  it("are those it selects, and those it lists besides", () => {
    const second = { namespaceSelector: { matchLabels: { kind: "second" } } };
    const first = { namespaceSelector: { matchLabels: { kind: "first" } } };
    assert.equal(placed("podAffinity", second), "zone-1");
    assert.equal(placed("podAffinity", first), undefined);
    assert.equal(placed("podAffinity", { ...first, namespaces: ["other"] }), "zone-1");
  });

  it("are all of them for an empty selector", () => {
    assert.equal(placed("podAffinity", { namespaceSelector: {} }), "zone-1");
  });
});

describe("matchLabelKeys and mismatchLabelKeys of a term", () => {
  it("keep apart only pods of the same value", () => {
    const rule = term(hostnameLabel, "a", { matchLabelKeys: ["revision"] });
    const revisions = ["1", "2"].flatMap((revision) =>
      pods(2, `r${revision}`, { ...needing("podAntiAffinity", "a", rule), labels: { app: "a", revision } }),
    );
    assert.deepEqual(hostCounts(plan([pool(), ...revisions])), [2, 2]);
  });

  it("keep apart only pods of another value", () => {
    const rule = term(hostnameLabel, "a", { mismatchLabelKeys: ["tenant"] });
    const tenants = ["x", "y"].flatMap((tenant) =>
      pods(2, tenant, { ...needing("podAntiAffinity", "a", rule), labels: { app: "a", tenant } }),
    );
    assert.deepEqual(outcome(plan([pool(), ...tenants])).launched, ["small: x-1 x-2", "small: y-1 y-2"]);
  });
});
