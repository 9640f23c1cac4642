import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { expression, node, outcome, type PodFields, plan, pod, pods, pool, type Wire } from "../support/builders.ts";
import { podsByZone, zoneCounts } from "../support/counts.ts";

const driver = "ebs.csi.aws.com";

/** Each term is a list of expressions. */
function volume(name: string, terms: readonly Wire[][] = [], spec: Wire = { csi: { driver } }): Wire {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  const nodeAffinity = terms.length > 0 ? { required: { nodeSelectorTerms } } : undefined;
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec: { ...spec, nodeAffinity } };
}

function claim(name: string, spec: Wire, { metadata = {}, status }: { metadata?: Wire; status?: Wire } = {}): Wire {
  const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, annotations, ...metadata },
    spec,
    status,
  };
}

/** A claim and its volume, both of this name. */
function bound(name: string, ...volumeArguments: [terms?: readonly Wire[][], spec?: Wire]): Wire[] {
  return [claim(name, { volumeName: name }), volume(name, ...volumeArguments)];
}

function storageClass(name: string, fields: Wire = {}): Wire {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: driver,
    volumeBindingMode: "WaitForFirstConsumer",
    ...fields,
  };
}

function allowed(...zones: readonly number[]): Wire {
  const values = zones.map((zone) => `zone-${zone}`);
  return { allowedTopologies: [{ matchLabelExpressions: [{ key: zoneLabel, values }] }] };
}

function mounting(...claims: readonly string[]): PodFields {
  return {
    requests: { cpu: "100m" },
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  };
}

function inZone(...zones: readonly number[]): Wire {
  return expression(zoneLabel, "In", ...zones.map((zone) => `zone-${zone}`));
}

function zonesOf(objects: readonly Wire[]): string[] {
  return [...podsByZone(plan(objects)).keys()];
}

/** A node with room for everything but attachments. */
function limitedNode(limit: number, attached: number): Wire[] {
  const running = Array.from({ length: attached }, (_, index) => `old-${index}`);
  return [
    node("n", { labels: { [zoneLabel]: "zone-1" } }),
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name: "n" },
      spec: { drivers: [{ name: driver, allocatable: { count: limit } }] },
    },
    ...running.flatMap((name) => [...bound(name), pod(name, { ...mounting(name), nodeName: "n" })]),
  ];
}

describe("the zones of volumes", () => {
  it("decide where a pod with a bound volume goes", () => {
    assert.deepEqual(zonesOf([pool(), ...bound("v", [[inZone(2)]]), pod("a", mounting("v"))]), ["zone-2"]);
  });

  it("decide where a pod goes whose volume is made later", () => {
    const later = [storageClass("s", allowed(1)), claim("v", { storageClassName: "s" })];
    assert.deepEqual(zonesOf([pool(), ...later, pod("a", mounting("v"))]), ["zone-1"]);
  });

  it("decide where a pod with an ephemeral volume goes, before and after its claim is made", () => {
    const ephemeral = { volumeClaimTemplate: { spec: { storageClassName: "s" } } };
    const fields = { requests: { cpu: "100m" }, volumes: [{ name: "v", ephemeral }] };
    const around = [pool(), storageClass("s", allowed(3))];
    assert.deepEqual(zonesOf([...around, pod("a", fields)]), ["zone-3"]);
    assert.deepEqual(
      zonesOf([...around, ...[claim("a-v", { volumeName: "v" }), volume("v", [[inZone(2)]])], pod("a", fields)]),
      ["zone-2"],
    );
  });

  it("are those of the default class for an ephemeral volume that names none", () => {
    const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };
    const around = [
      pool(),
      storageClass("s", { ...allowed(3), metadata: { name: "s", annotations: isDefault } }),
      storageClass("t", allowed(1)),
    ];
    const ephemeral = (spec: Wire): PodFields => ({
      requests: { cpu: "100m" },
      volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec } } }],
    });
    assert.deepEqual(zonesOf([...around, pod("a", ephemeral({}))]), ["zone-3"]);
    const withoutClass = plan([...around, pod("a", ephemeral({ storageClassName: "" }))]);
    assert.deepEqual(outcome(withoutClass).refused, { a: "volume" });
  });

  it("refuse a pod that selects another zone", () => {
    const fields = { ...mounting("v"), nodeSelector: { [zoneLabel]: "zone-1" } };
    assert.deepEqual(outcome(plan([pool(), ...bound("v", [[inZone(2)]]), pod("a", fields)])).refused, { a: "no-fit" });
  });

  it("refuse a pod whose volumes have none in common", () => {
    const volumes = [...bound("v", [[inZone(1)]]), ...bound("w", [[inZone(2)]])];
    assert.deepEqual(outcome(plan([pool(), ...volumes, pod("a", mounting("v", "w"))])).refused, { a: "no-fit" });
  });

  it("may be one of several", () => {
    const volumes = bound("v", [[inZone(1)], [inZone(3)]]);
    const [zone] = zonesOf([pool(), ...volumes, pod("a", mounting("v"))]);
    assert.ok(zone === "zone-1" || zone === "zone-3");
    assert.deepEqual(
      zonesOf([pool("default", { requirements: [inZone(2, 3)] }), ...volumes, pod("a", mounting("v"))]),
      ["zone-3"],
    );
  });

  it("are those that several volumes have in common", () => {
    const volumes = [...bound("v", [[inZone(1)], [inZone(3)]]), ...bound("w", [[inZone(2)], [inZone(3)]])];
    assert.deepEqual(zonesOf([pool(), ...volumes, pod("a", mounting("v", "w"))]), ["zone-3"]);
  });

  it("are chosen together with topology rules", () => {
    const labelSelector = { matchLabels: { app: "a" } };
    const rule = { topologyKey: zoneLabel, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", labelSelector };
    const fields = { labels: { app: "a" }, topologySpreadConstraints: [rule], ...mounting("v") };
    const two = pool("default", { requirements: [inZone(1, 3)] });
    assert.deepEqual(
      zoneCounts(plan([two, ...bound("v", [[inZone(1)], [inZone(3)]]), ...pods(4, "a", fields)])),
      [2, 2],
    );
  });

  it("are of no interest where a volume can be attached anywhere", () => {
    assert.deepEqual(outcome(plan([pool(), ...bound("v"), pod("a", mounting("v"))])).launched, ["small: a"]);
  });
});

describe("volumes that name a host", () => {
  const onHost = [[expression(hostnameLabel, "In", "gone")]];

  it("are moved when they are local", () => {
    const local = bound("v", [[...onHost[0]!, inZone(2)]], { local: { path: "/v" } });
    assert.deepEqual(zonesOf([pool(), ...local, pod("a", mounting("v"))]), ["zone-2"]);
    assert.equal(
      plan([pool(), ...bound("v", onHost, { hostPath: { path: "/v" } }), pod("a", mounting("v"))]).nodes.length,
      1,
    );
  });

  it("cannot be had on a new node when they are not local", () => {
    assert.deepEqual(outcome(plan([pool(), ...bound("v", onHost), pod("a", mounting("v"))])).refused, { a: "no-fit" });
  });

  it("are had on the node they name", () => {
    const made = plan([pool(), node("gone"), ...bound("v", onHost), pod("a", mounting("v"))]);
    assert.deepEqual(outcome(made).placed, { gone: ["a"] });
  });
});

describe("attach limits", () => {
  it("send the pod with one volume too many to another node", () => {
    const made = plan([pool(), ...limitedNode(10, 10), ...bound("v"), pod("a", mounting("v"))]);
    assert.deepEqual(outcome(made), { launched: ["small: a"], placed: {}, refused: {} });
  });

  it("let a pod come that fits exactly", () => {
    const made = plan([pool(), ...limitedNode(10, 9), ...bound("v"), pod("a", mounting("v"))]);
    assert.deepEqual(outcome(made).placed, { n: ["a"] });
  });

  it("count a claim once, however many pods share it", () => {
    const made = plan([
      pool(),
      ...limitedNode(10, 9),
      ...bound("v"),
      ...pods(3, "a", mounting("v")),
      pod("b", mounting("old-1")),
    ]);
    assert.deepEqual(outcome(made).placed, { n: ["a-1", "a-2", "a-3", "b"] });
  });

  it("count the pods of one batch together", () => {
    const made = plan([
      pool(),
      ...limitedNode(2, 0),
      ...["v", "w", "x"].flatMap((name) => [...bound(name), pod(name, mounting(name))]),
    ]);
    assert.deepEqual([outcome(made).placed.n?.length, outcome(made).launched.length], [2, 1]);
  });

  it("do not count volumes that no driver attaches", () => {
    const shared = bound("v", [], { nfs: { server: "s", path: "/v" } });
    const made = plan([pool(), ...limitedNode(0, 0), ...shared, pod("a", mounting("v"))]);
    assert.deepEqual(outcome(made).placed, { n: ["a"] });
  });

  it("count volumes under the name of the driver that replaced the old one", () => {
    const old = bound("v", [], { awsElasticBlockStore: { volumeID: "vol-1" } });
    const later = [storageClass("s", { provisioner: "kubernetes.io/aws-ebs" }), claim("w", { storageClassName: "s" })];
    const made = plan([
      pool(),
      ...limitedNode(0, 0),
      ...old,
      ...later,
      pod("a", mounting("v")),
      pod("b", mounting("w")),
    ]);
    assert.deepEqual(outcome(made), { launched: ["small: a b"], placed: {}, refused: {} });
  });

  it("count what is attached although its claim is being deleted", () => {
    const [, ...others] = bound("w");
    const metadata = {
      annotations: { "pv.kubernetes.io/bind-completed": "yes" },
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    const deleting = [claim("w", { volumeName: "w" }, { metadata }), ...others];
    const running = pod("old", { ...mounting("w"), nodeName: "n" });
    const made = plan([pool(), ...limitedNode(1, 0), ...deleting, running, ...bound("v"), pod("a", mounting("v"))]);
    assert.deepEqual(outcome(made), { launched: ["small: a"], placed: {}, refused: {} });
  });

  it("are unknown on new nodes", () => {
    const many = Array.from({ length: 40 }, (_, index) => `v-${index}`);
    const made = plan([pool(), ...many.flatMap((name) => bound(name)), pod("a", mounting(...many))]);
    assert.deepEqual(outcome(made).launched, ["small: a"]);
  });
});

describe("broken volumes", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const [, boundVolume] = bound("v");
  const cases: Readonly<Record<string, readonly Wire[]>> = {
    "a claim that is not there": [],
    "an unbound claim that binds immediately": [
      storageClass("s", { volumeBindingMode: "Immediate" }),
      claim("v", { storageClassName: "s" }),
    ],
    "an unbound claim whose class binds immediately because it does not say otherwise": [
      storageClass("s", { volumeBindingMode: undefined }),
      claim("v", { storageClassName: "s" }),
    ],
    "a lost claim": [claim("v", { volumeName: "v" }, { status: { phase: "Lost" } }), boundVolume!],
    "a claim that is being deleted": [
      claim("v", { volumeName: "v" }, { metadata: { deletionTimestamp } }),
      boundVolume!,
    ],
    "a volume that is being deleted": [
      claim("v", { volumeName: "v" }),
      { ...volume("v"), metadata: { name: "v", deletionTimestamp } },
    ],
    "a volume that is not there": [claim("v", { volumeName: "v" })],
    "a storage class that is not there": [claim("v", { storageClassName: "s" })],
    "no storage class": [claim("v", {})],
    "a claim whose binding is not complete": [
      claim("v", { volumeName: "v" }, { metadata: { annotations: {} } }),
      boundVolume!,
    ],
  };

  for (const [name, objects] of Object.entries(cases)) {
    it(`keep a pod from being planned for: ${name}`, () => {
      const made = plan([pool(), ...objects, pod("a", mounting("v")), pod("b", mounting())]);
      assert.deepEqual(outcome(made), { launched: ["small: b"], placed: {}, refused: { a: "volume" } });
    });
  }
});
