import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  archLabel,
  capacityTypeLabel,
  hostnameLabel,
  instanceTypeLabel,
  zoneLabel,
} from "../../src/core/model/labels.ts";
import {
  expression,
  instanceType,
  node,
  nodeAffinity,
  offering,
  outcome,
  plan,
  pod,
  pods,
  pool,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";

/** The zones of the nodes that are planned for these pods. */
function zonesFor(...waiting: readonly Wire[]): string[] {
  return plan([pool(), ...waiting]).nodes.map(({ zone }) => zone);
}

const inZone = (...zones: string[]) => expression(zoneLabel, "In", ...zones);
const noSchedule = (key: string) => ({ key, effect: "NoSchedule" });
const avoid = { key: "avoid", effect: "PreferNoSchedule" };
const spreadSoftly = (topologyKey: string, labels: Record<string, string>): Wire => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: labels },
});
const keepApartSoftly = (labels: Record<string, string>): Wire => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, podAffinityTerm: { topologyKey: hostnameLabel, labelSelector: { matchLabels: labels } } },
    ],
  },
});

describe("preferred node affinity", () => {
  it("is followed where it can be", () => {
    assert.deepEqual(zonesFor(pod("web", { affinity: preferredNodeAffinity([1, inZone("zone-3")]) })), ["zone-3"]);
  });

  it("is dropped where it conflicts with what the pod requires", () => {
    const waiting = pod("web", {
      nodeSelector: { [zoneLabel]: "zone-2" },
      affinity: preferredNodeAffinity([1, inZone("zone-3")]),
    });
    assert.deepEqual(zonesFor(waiting), ["zone-2"]);
  });

  it("is dropped where nothing meets it", () => {
    assert.deepEqual(zonesFor(pod("web", { affinity: preferredNodeAffinity([1, inZone("mars")]) })), ["zone-1"]);
  });

  it("is tried from the heaviest to the lightest", () => {
    const affinity = preferredNodeAffinity([1, inZone("zone-1")], [50, inZone("zone-3")], [100, inZone("mars")]);
    assert.deepEqual(zonesFor(pod("web", { affinity })), ["zone-3"]);
  });

  it("costs money rather than being dropped", () => {
    const instanceTypes = [instanceType("cheap", { price: 0.1 }), instanceType("dear", { price: 9, arch: "arm64" })];
    const affinity = preferredNodeAffinity([1, expression(archLabel, "In", "arm64")]);
    assert.deepEqual(outcome(plan([pool(), pod("web", { affinity })], { instanceTypes })).launched, ["dear: web"]);
  });

  it("leads to a new node rather than one that exists", () => {
    const affinity = preferredNodeAffinity([1, inZone("zone-3")]);
    const answer = plan([pool(), node("n1", { labels: { [zoneLabel]: "zone-1" } }), pod("web", { affinity })]);
    assert.deepEqual(outcome(answer).placed, {});
  });

  it("leads to a node that exists when no new one can follow it", () => {
    const affinity = preferredNodeAffinity([1, inZone("mars")]);
    const answer = plan([pool(), node("n1"), pod("web", { affinity })]);
    assert.deepEqual(outcome(answer).placed, { n1: ["web"] });
  });

  it("is ignored under policy Ignore", () => {
    const affinity = preferredNodeAffinity([1, inZone("zone-3")]);
    const settings = { preferencePolicy: "Ignore" } as const;
    const answer = plan([pool(), pod("web", { affinity }), pod("db", { nodeSelector: { [zoneLabel]: "zone-1" } })], {
      settings,
    });
    assert.deepEqual(outcome(answer).launched, ["small: db web"]);
  });
});

describe("required node affinity", () => {
  it("of two terms falls to the second when the first is impossible", () => {
    assert.deepEqual(zonesFor(pod("web", { affinity: nodeAffinity([inZone("mars")], [inZone("zone-2")]) })), [
      "zone-2",
    ]);
  });

  it("is never dropped", () => {
    const answer = plan([pool(), pod("web", { affinity: nodeAffinity([inZone("mars")], [inZone("venus")]) })]);
    assert.deepEqual(outcome(answer).refused, { web: "no-fit" });
  });

  it("of several terms takes the cheapest, not the first", () => {
    const instanceTypes = [instanceType("dear", { price: 2 }), instanceType("cheap", { price: 1, arch: "arm64" })];
    const affinity = nodeAffinity(
      [expression(instanceTypeLabel, "In", "dear")],
      [expression(archLabel, "In", "arm64")],
    );
    assert.deepEqual(outcome(plan([pool(), pod("web", { affinity })], { instanceTypes })).launched, ["cheap: web"]);
  });

  it("lets different terms share a node", () => {
    const a = pod("a", { affinity: nodeAffinity([inZone("zone-1")], [inZone("zone-2")]) });
    const b = pod("b", { affinity: nodeAffinity([inZone("zone-3")], [inZone("zone-2")]) });
    assert.deepEqual(zonesFor(a, b), ["zone-2"]);
  });

  it("of several terms is one whole term, not a mixture", () => {
    const instanceTypes = [
      instanceType("arm", { arch: "arm64", offerings: [offering({ zone: "zone-1" })] }),
      instanceType("amd", { offerings: [offering({ zone: "zone-2" })] }),
    ];
    const affinity = nodeAffinity(
      [expression(archLabel, "In", "arm64"), inZone("zone-2")],
      [expression(archLabel, "In", "amd64"), inZone("zone-1")],
    );
    assert.deepEqual(outcome(plan([pool(), pod("web", { affinity })], { instanceTypes })).refused, { web: "no-fit" });
  });
});

describe("a pool that only asks to be avoided", () => {
  it("is passed over for a lighter one", () => {
    const pools = [pool("avoided", { weight: 90, taints: [avoid] }), pool("other")];
    assert.deepEqual(
      plan([...pools, pod("web")]).nodes.map(({ pool }) => pool.name),
      ["other"],
    );
  });

  it("is used when no other pool fits", () => {
    const pools = [pool("avoided", { taints: [avoid] }), pool("tainted", { taints: [noSchedule("team")] })];
    assert.deepEqual(
      plan([...pools, pod("web")]).nodes.map(({ pool }) => pool.name),
      ["avoided"],
    );
  });

  it("is used only after every preference has been dropped", () => {
    const pools = [pool("avoided", { taints: [avoid] }), pool("other", { requirements: [inZone("zone-1")] })];
    const affinity = preferredNodeAffinity([1, inZone("zone-3")]);
    assert.deepEqual(
      plan([...pools, pod("web", { affinity })]).nodes.map(({ pool }) => pool.name),
      ["other"],
    );
  });

  it("is used at once by pods that tolerate it", () => {
    const pools = [pool("avoided", { weight: 90, taints: [avoid] }), pool("other")];
    const tolerations = [{ key: "avoid", operator: "Exists" }];
    assert.deepEqual(
      plan([...pools, pod("web", { tolerations })]).nodes.map(({ pool }) => pool.name),
      ["avoided"],
    );
  });

  it("is used under policy Ignore too, when no other pool fits", () => {
    const answer = plan([pool("avoided", { taints: [avoid] }), pod("web")], {
      settings: { preferencePolicy: "Ignore" },
    });
    assert.deepEqual(outcome(answer).launched, ["small: web"]);
  });
});

describe("preferences about other pods", () => {
  const labels = { app: "web" };

  it("keep pods apart where that is possible", () => {
    const answer = plan([pool(), ...pods(2, "web", { labels, affinity: keepApartSoftly(labels) })]);
    assert.deepEqual(outcome(answer).launched, ["small: web-1", "small: web-2"]);
  });

  it("keep no pods apart when limits leave one node", () => {
    const answer = plan([
      pool("default", { limits: { nodes: 1 } }),
      ...pods(2, "web", { labels, affinity: keepApartSoftly(labels) }),
    ]);
    assert.deepEqual(outcome(answer), { launched: ["small: web-1 web-2"], placed: {}, refused: {} });
  });

  it("spread pods where that is possible", () => {
    const waiting = pods(3, "web", { labels, topologySpreadConstraints: [spreadSoftly(zoneLabel, labels)] });
    assert.deepEqual(zonesFor(...waiting).sort(), ["zone-1", "zone-2", "zone-3"]);
  });

  it("spread no pods where nobody provides the domains", () => {
    const waiting = pods(2, "web", { labels, topologySpreadConstraints: [spreadSoftly("example.com/rack", labels)] });
    assert.deepEqual(outcome(plan([pool(), ...waiting])).launched, ["small: web-1 web-2"]);
  });

  it("never split nodes under policy Ignore", () => {
    const spread = [spreadSoftly(zoneLabel, labels), spreadSoftly(hostnameLabel, labels)];
    const waiting = pods(2, "web", { labels, affinity: keepApartSoftly(labels), topologySpreadConstraints: spread });
    const answer = plan([pool(), ...waiting], { settings: { preferencePolicy: "Ignore" } });
    assert.deepEqual(outcome(answer).launched, ["small: web-1 web-2"]);
  });

  it("still hold under policy Ignore when they are requirements", () => {
    const required = { ...spreadSoftly(hostnameLabel, labels), whenUnsatisfiable: "DoNotSchedule" };
    const waiting = pods(2, "web", { labels, topologySpreadConstraints: [required] });
    const answer = plan([pool(), ...waiting], { settings: { preferencePolicy: "Ignore" } });
    assert.deepEqual(outcome(answer).launched, ["small: web-1", "small: web-2"]);
  });

  it("are dropped for the pods that need it, not for the others of their kind", () => {
    const waiting = pods(3, "web", { labels, requests: { cpu: 2 }, affinity: keepApartSoftly(labels) });
    const answer = plan([pool("default", { limits: { nodes: 2 } }), ...waiting]);
    assert.deepEqual([answer.nodes.length, answer.refusals.length], [2, 0]);
  });
});

describe("a pod that prefers spot", () => {
  it("gets it while there is any", () => {
    const offerings = [offering({ price: 1 }), offering({ capacityType: "spot", price: 2 })];
    const affinity = preferredNodeAffinity([1, expression(capacityTypeLabel, "In", "spot")]);
    const [planned] = plan([pool(), pod("web", { affinity })], {
      instanceTypes: [instanceType("a", { offerings })],
    }).nodes;
    assert.equal(planned?.capacityType, "spot");
  });
});
