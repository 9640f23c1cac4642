import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { capacityTypeLabel, hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import { makeRequirement } from "../../src/core/model/requirements.ts";
import {
  cluster,
  daemonSet,
  defaultSettings,
  defaultTypes,
  expression,
  instanceType,
  node,
  nodeAffinity,
  offering,
  type PodFields,
  pod,
  pods,
  pool,
  type Wire,
} from "./builders.ts";
import { checkPlan } from "./check-plan.ts";
import { type Draft, draftPlan } from "./draft-plan.ts";

/** A cluster, a plan for it in which nothing is wrong, and one in which one thing is. */
interface Case {
  readonly objects: readonly Wire[];
  readonly types?: Parameters<typeof cluster>[1];
  readonly good: Draft;
  readonly bad: Draft;
  readonly violation: RegExp;
}

function violations({ objects, types = defaultTypes }: Case, draft: Draft): string[] {
  const read = cluster(objects, types);
  const { snapshot, pendingPods: pending } = read;
  return checkPlan(draftPlan(read, draft), { snapshot, pending, settings: defaultSettings });
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function affinity(kind: "podAffinity" | "podAntiAffinity", topologyKey: string, term: Wire): PodFields {
  return { requests: { cpu: "100m" }, affinity: { [kind]: { [required]: [{ topologyKey, ...term }] } } };
}

function selecting(app: string): Wire {
  return { labelSelector: { matchLabels: { app } } };
}

function spread(fields: Wire): PodFields {
  const rule = { topologyKey: zoneLabel, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", ...selecting("a"), ...fields };
  return { requests: { cpu: "100m" }, labels: { app: "a" }, topologySpreadConstraints: [rule] };
}

const tiny = { requests: { cpu: "100m" } };
const inZone1 = { labels: { [zoneLabel]: "zone-1" } };
const inZone2 = { labels: { [zoneLabel]: "zone-2" } };
const bothSmall = { instanceTypes: ["small", "medium"] };

const cases: Readonly<Record<string, Case>> = {
  "a pod that is forgotten": {
    objects: [pool(), ...pods(2, "a")],
    good: { nodes: [{ pods: "a-1" }], refused: "a-2" },
    bad: { nodes: [{ pods: "a-1" }] },
    violation: /a-2 is forgotten/,
  },
  "a pod in two places": {
    objects: [pool(), node("n"), ...pods(2, "a")],
    good: { nodes: [{ pods: "a-1" }], placed: { n: "a-2" } },
    bad: { nodes: [{ pods: "a-1 a-2" }], placed: { n: "a-2" } },
    violation: /a-2 is planned for twice/,
  },
  "too little of a resource": {
    objects: [pool(), ...pods(3, "a")],
    good: { nodes: [{ pods: "a-1 a-2" }, { pods: "a-3" }] },
    bad: { nodes: [{ pods: "a-1 a-2 a-3" }] },
    violation: /has 2000 of cpu but 3000 is needed/,
  },
  "too little room beside pods that run": {
    objects: [pool(), node("n"), pod("r", { nodeName: "n", requests: { cpu: 3 } }), ...pods(2, "a")],
    good: { nodes: [{ pods: "a-1" }], placed: { n: "a-2" } },
    bad: { placed: { n: "a-1 a-2" } },
    violation: /n has 4000 of cpu but 5000 is needed/,
  },
  "too many pods": {
    objects: [pool(), node("n", { allocatable: { cpu: 4, memory: "1Gi", pods: 1 } }), ...pods(2, "a", tiny)],
    good: { nodes: [{ pods: "a-1" }], placed: { n: "a-2" } },
    bad: { placed: { n: "a-1 a-2" } },
    violation: /n has 1 of pods but 2 is needed/,
  },
  "no room for daemons": {
    objects: [pool(), daemonSet("d", tiny), ...pods(2, "a")],
    good: { nodes: [{ pods: "a-1" }, { pods: "a-2" }] },
    bad: { nodes: [{ pods: "a-1 a-2" }] },
    violation: /has 2000 of cpu but 2100 is needed/,
  },
  "an alternative that is too small": {
    objects: [pool(), ...pods(3, "a")],
    good: { nodes: [{ pods: "a-1 a-2 a-3", instanceType: "medium" }] },
    bad: { nodes: [{ pods: "a-1 a-2 a-3", instanceType: "medium", ...bothSmall }] },
    violation: /\(small\) has 2000 of cpu but 3000 is needed/,
  },
  "a node selector": {
    objects: [pool(), pod("a", { nodeSelector: { [zoneLabel]: "zone-2" } })],
    good: { nodes: [{ pods: "a", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a does not accept the labels/,
  },
  "an alternative zone that a pod does not accept": {
    objects: [pool(), pod("a", { nodeSelector: { [zoneLabel]: "zone-1" } })],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", requirements: new Map([[zoneLabel, makeRequirement("In", ["zone-1", "zone-2"])]]) }] },
    violation: /a does not accept the labels/,
  },
  "node affinity of which no term holds": {
    objects: [
      pool(),
      pod("a", {
        affinity: nodeAffinity([expression(zoneLabel, "In", "zone-2")], [expression(zoneLabel, "In", "zone-3")]),
      }),
    ],
    good: { nodes: [{ pods: "a", zone: "zone-3" }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a does not accept the labels/,
  },
  "a taint": {
    objects: [pool("default", { taints: [{ key: "t", effect: "NoSchedule" }] }), pool("open"), pod("a")],
    good: { nodes: [{ pods: "a", pool: "open" }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a does not tolerate t:NoSchedule/,
  },
  "requirements of the pool": {
    objects: [pool("default", { requirements: [expression(zoneLabel, "In", "zone-1", "zone-2")] }), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", zone: "zone-3" }] },
    violation: /could have topology.kubernetes.io\/zone=zone-3, which its pool refuses/,
  },
  "labels of the pool": {
    objects: [
      pool("default", { labels: { team: "x" } }),
      pool("other", { labels: { team: "y" } }),
      pod("a", { nodeSelector: { team: "x" } }),
    ],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", pool: "other" }] },
    violation: /a does not accept the labels/,
  },
  "a host port": {
    objects: [pool(), ...pods(2, "a", { containers: [{ ports: [{ hostPort: 80 }] }] })],
    good: { nodes: [{ pods: "a-1" }, { pods: "a-2" }] },
    bad: { nodes: [{ pods: "a-1 a-2" }] },
    violation: /a-2 wants a port on new-0 \(small\) that a-1 has/,
  },
  "a daemon's host port": {
    objects: [
      pool(),
      daemonSet("d", { nodeSelector: { [zoneLabel]: "zone-2" }, containers: [{ ports: [{ hostPort: 80 }] }] }),
      pod("a", { containers: [{ ports: [{ hostPort: 80 }] }] }),
    ],
    good: { nodes: [{ pods: "a", requests: new Map([["pods", 1]]) }] },
    bad: { nodes: [{ pods: "a", zone: "zone-2" }] },
    violation: /a wants a port on new-0 \(small\) that d has/,
  },
  "pod affinity": {
    objects: [
      pool(),
      pod("b", { ...tiny, labels: { app: "b" } }),
      pod("a", affinity("podAffinity", hostnameLabel, selecting("b"))),
    ],
    good: { nodes: [{ pods: "a b" }] },
    bad: { nodes: [{ pods: "a" }, { pods: "b" }] },
    violation: /a: nobody of its affinity is in kubernetes.io\/hostname=new-0/,
  },
  "pod affinity that its own kind has to follow": {
    objects: [pool(), ...pods(2, "a", { ...affinity("podAffinity", zoneLabel, selecting("a")), labels: { app: "a" } })],
    good: { nodes: [{ pods: "a-1" }, { pods: "a-2" }] },
    bad: { nodes: [{ pods: "a-1" }, { pods: "a-2", zone: "zone-2" }] },
    violation: /a-2: nobody of its affinity is in topology.kubernetes.io\/zone=zone-2/,
  },
  "pods that need each other, of which none can be first": {
    objects: [
      pool(),
      pod("a", { ...affinity("podAffinity", zoneLabel, selecting("b")), labels: { app: "a" } }),
      pod("b", { ...affinity("podAffinity", zoneLabel, selecting("a")), labels: { app: "b" } }),
    ],
    good: { refused: "a b" },
    bad: { nodes: [{ pods: "a b" }] },
    violation: /nobody of its affinity/,
  },
  "pod affinity of which two terms hold of different pods": {
    objects: [
      pool(),
      pod("a", {
        ...tiny,
        affinity: {
          podAffinity: {
            [required]: [
              { topologyKey: hostnameLabel, ...selecting("b") },
              { topologyKey: zoneLabel, labelSelector: { matchLabels: { tier: "front" } } },
            ],
          },
        },
      }),
      pod("b", { ...tiny, labels: { app: "b" } }),
      pod("c", { ...tiny, labels: { tier: "front" } }),
      pod("d", { ...tiny, labels: { app: "b", tier: "front" } }),
    ],
    good: { nodes: [{ pods: "a d" }, { pods: "b c" }] },
    bad: { nodes: [{ pods: "a b c" }, { pods: "d" }] },
    violation: /a: nobody of its affinity is in kubernetes.io\/hostname=new-0/,
  },
  "pod affinity that starts a company beside another": {
    objects: [
      pool("default", { labels: { rack: "1" } }),
      node("n", inZone1),
      pod("r", { ...tiny, labels: { app: "a" }, nodeName: "n" }),
      pod("a", {
        ...tiny,
        labels: { app: "a" },
        affinity: {
          podAffinity: {
            [required]: [zoneLabel, "rack"].map((topologyKey) => ({ topologyKey, ...selecting("a") })),
          },
        },
      }),
    ],
    good: { refused: "a" },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a: nobody of its affinity is in rack=1/,
  },
  "pod affinity that the choice of zones undoes": {
    objects: [
      pool(),
      node("n", inZone1),
      pod("b", { nodeName: "n", labels: { app: "b" } }),
      pod("a", affinity("podAffinity", zoneLabel, selecting("b"))),
    ],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", requirements: new Map([[zoneLabel, makeRequirement("In", ["zone-1", "zone-2"])]]) }] },
    violation: /a: nobody of its affinity is in topology.kubernetes.io\/zone=zone-2/,
  },
  "pod anti-affinity": {
    objects: [
      pool(),
      ...pods(2, "a", { ...affinity("podAntiAffinity", zoneLabel, selecting("a")), labels: { app: "a" } }),
    ],
    good: { nodes: [{ pods: "a-1" }, { pods: "a-2", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "a-1" }, { pods: "a-2" }] },
    violation: /keeps away from a-/,
  },
  "anti-affinity of a pod that runs": {
    objects: [
      pool(),
      node("n", inZone1),
      pod("r", { ...affinity("podAntiAffinity", zoneLabel, selecting("a")), nodeName: "n" }),
      pod("a", { ...tiny, labels: { app: "a" } }),
    ],
    good: { nodes: [{ pods: "a", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a: is kept away by r/,
  },
  "anti-affinity of another planned pod": {
    objects: [
      pool(),
      pod("a", { ...tiny, labels: { app: "a" } }),
      pod("b", affinity("podAntiAffinity", hostnameLabel, selecting("a"))),
    ],
    good: { nodes: [{ pods: "a" }, { pods: "b" }] },
    bad: { nodes: [{ pods: "a b" }] },
    violation: /away/,
  },
  "namespaces of a term": {
    objects: [
      pool(),
      node("n", inZone1),
      pod("r", { nodeName: "n", labels: { app: "a" }, metadata: { namespace: "other" } }),
      pod("a", affinity("podAntiAffinity", zoneLabel, { ...selecting("a"), namespaces: ["other"] })),
      pod("b", affinity("podAntiAffinity", zoneLabel, selecting("a"))),
    ],
    good: { nodes: [{ pods: "b" }, { pods: "a", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "b" }, { pods: "a" }] },
    violation: /^a: keeps away from r/,
  },
  "the namespace selector of a term": {
    objects: [
      pool(),
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "other", labels: { kind: "x" } } },
      node("n", inZone1),
      pod("r", { nodeName: "n", labels: { app: "a" }, metadata: { namespace: "other" } }),
      pod(
        "a",
        affinity("podAntiAffinity", zoneLabel, {
          ...selecting("a"),
          namespaceSelector: { matchLabels: { kind: "x" } },
        }),
      ),
    ],
    good: { nodes: [{ pods: "a", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a: keeps away from r/,
  },
  "matchLabelKeys of a term": {
    objects: [
      pool(),
      ...["1", "2"].map((revision) =>
        pod(`a-${revision}`, {
          ...affinity("podAntiAffinity", hostnameLabel, { ...selecting("a"), matchLabelKeys: ["revision"] }),
          labels: { app: "a", revision },
        }),
      ),
      pod("b", { ...tiny, labels: { app: "a", revision: "2" } }),
    ],
    good: { nodes: [{ pods: "a-1 a-2" }, { pods: "b" }] },
    bad: { nodes: [{ pods: "a-1" }, { pods: "a-2 b" }] },
    violation: /away/,
  },
  "mismatchLabelKeys of a term": {
    objects: [
      pool(),
      ...["x", "y"].map((tenant) =>
        pod(`a-${tenant}`, {
          ...affinity("podAntiAffinity", hostnameLabel, { ...selecting("a"), mismatchLabelKeys: ["tenant"] }),
          labels: { app: "a", tenant },
        }),
      ),
      pod("b", { ...tiny, labels: { app: "a", tenant: "x" } }),
    ],
    good: { nodes: [{ pods: "a-x b" }, { pods: "a-y" }] },
    bad: { nodes: [{ pods: "a-x" }, { pods: "a-y b" }] },
    violation: /away/,
  },
  "spread over zones": {
    objects: [pool(), ...pods(4, "a", spread({}))],
    good: { nodes: [{ pods: "a-1 a-4" }, { pods: "a-2", zone: "zone-2" }, { pods: "a-3", zone: "zone-3" }] },
    bad: { nodes: [{ pods: "a-1 a-4" }, { pods: "a-2 a-3", zone: "zone-2" }] },
    violation: /2 in topology.kubernetes.io\/zone=zone-\d and 0 elsewhere, more than 1 apart/,
  },
  "spread over hosts": {
    objects: [pool(), ...pods(3, "a", spread({ topologyKey: hostnameLabel, maxSkew: 2 }))],
    good: { nodes: [{ pods: "a-1 a-2" }, { pods: "a-3" }] },
    bad: { nodes: [{ pods: "a-1 a-2 a-3" }] },
    violation: /3 in kubernetes.io\/hostname=new-0 and 0 elsewhere, more than 2 apart/,
  },
  "spread by a label that the node lacks": {
    objects: [pool(), pod("a", spread({ topologyKey: "rack" }))],
    good: { refused: "a" },
    bad: { nodes: [{ pods: "a" }] },
    violation: /a: is spread by rack, which its node lacks/,
  },
  "spread that counts nodes which lack another of its labels": {
    objects: [
      pool("default", {
        labels: { rack: "1" },
        requirements: [expression(zoneLabel, "In", "zone-1", "zone-2")],
      }),
      node("n", inZone2),
      ...pods(2, "r", { ...tiny, labels: { app: "a" }, nodeName: "n" }),
      ...pods(2, "a", {
        ...spread({}),
        topologySpreadConstraints: [zoneLabel, "rack"].map((topologyKey) => ({
          topologyKey,
          maxSkew: 1,
          whenUnsatisfiable: "DoNotSchedule",
          ...selecting("a"),
        })),
      }),
    ],
    good: { nodes: [{ pods: "a-1" }, { pods: "a-2", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "a-1 a-2" }] },
    violation: /2 in topology.kubernetes.io\/zone=zone-1 and 0 elsewhere, more than 1 apart/,
  },
  "spread over too few domains": {
    objects: [
      pool("default", { requirements: [expression(zoneLabel, "In", "zone-1")] }),
      ...pods(2, "a", spread({ minDomains: 2 })),
    ],
    good: { nodes: [{ pods: "a-1" }], refused: "a-2" },
    bad: { nodes: [{ pods: "a-1 a-2" }] },
    violation: /2 in topology.kubernetes.io\/zone=zone-1 and 0 elsewhere/,
  },
  "spread that counts nodes which the pod does not accept": {
    objects: [
      pool(),
      ...pods(2, "a", { ...spread({ nodeAffinityPolicy: "Ignore" }), nodeSelector: { [zoneLabel]: "zone-1" } }),
      ...pods(2, "b", { ...spread({}), nodeSelector: { [zoneLabel]: "zone-2" }, metadata: { namespace: "other" } }),
    ],
    good: { nodes: [{ pods: "a-1" }, { pods: "b-1 b-2", zone: "zone-2" }], refused: "a-2" },
    bad: { nodes: [{ pods: "a-1 a-2" }, { pods: "b-1 b-2", zone: "zone-2" }] },
    violation: /^a-\d: 2 in topology.kubernetes.io\/zone=zone-1 and 0 elsewhere/,
  },
  "spread that counts nodes which the pod does not tolerate": {
    objects: [
      pool("default", { requirements: [expression(zoneLabel, "In", "zone-1")] }),
      pool("tainted", {
        requirements: [expression(zoneLabel, "In", "zone-2")],
        taints: [{ key: "t", effect: "NoSchedule" }],
      }),
      ...pods(2, "a", spread({})),
      ...pods(2, "b", { ...spread({ nodeTaintsPolicy: "Honor" }), metadata: { namespace: "other" } }),
    ],
    good: { nodes: [{ pods: "a-1" }, { pods: "b-1 b-2" }], refused: "a-2" },
    bad: { nodes: [{ pods: "a-1 a-2" }, { pods: "b-1 b-2" }] },
    violation: /^a-\d: 2 in topology.kubernetes.io\/zone=zone-1 and 0 elsewhere/,
  },
  "a zonal volume": {
    objects: [pool(), ...volume("v", "zone-2"), pod("a", mounting("v"))],
    good: { nodes: [{ pods: "a", zone: "zone-2" }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /default\/v of a cannot be attached to new-0/,
  },
  "more volumes than a node takes": {
    objects: [
      pool(),
      node("n", inZone2),
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name: "n" },
        spec: { drivers: [{ name: "csi", allocatable: { count: 1 } }] },
      },
      ...volume("v", "zone-2"),
      ...volume("w", "zone-2"),
      pod("a", mounting("v")),
      pod("b", mounting("v")),
      pod("c", mounting("w")),
    ],
    good: { placed: { n: "a b" }, nodes: [{ pods: "c", zone: "zone-2" }] },
    bad: { placed: { n: "a b c" } },
    violation: /n takes 1 volumes of csi but would get 2/,
  },
  "a node that is being deleted": {
    objects: [pool(), node("n", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }), node("m"), pod("a")],
    good: { placed: { m: "a" } },
    bad: { placed: { n: "a" } },
    violation: /n is being deleted/,
  },
  "a static pool": {
    objects: [pool(), pool("static", { replicas: 1 }), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", pool: "static" }] },
    violation: /new-0 is of the static pool static/,
  },
  "a pool that is not ready": {
    objects: [pool(), pool("sick", { status: { conditions: [{ type: "Ready", status: "False" }] } }), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", pool: "sick" }] },
    violation: /new-0 is of the unusable pool sick/,
  },
  "the limit of a pool": {
    objects: [pool("default", { limits: { cpu: 4 } }), ...pods(3, "a")],
    good: { nodes: [{ pods: "a-1 a-2" }, { pods: "a-3" }] },
    bad: { nodes: [{ pods: "a-1" }, { pods: "a-2" }, { pods: "a-3" }] },
    violation: /pool default may have 4000 of cpu but has 0 and could get 6000/,
  },
  "the limit of a pool that an alternative breaks": {
    objects: [pool("default", { limits: { cpu: 2 } }), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", ...bothSmall }] },
    violation: /pool default may have 2000 of cpu but has 0 and could get 4000/,
  },
  "a limit on nodes": {
    objects: [
      pool("default", { limits: { nodes: 2 } }),
      node("n", { labels: { "karpenter.sh/nodepool": "default" }, allocatable: { cpu: 0, memory: 0, pods: 0 } }),
      ...pods(2, "a"),
    ],
    good: { nodes: [{ pods: "a-1 a-2" }] },
    bad: { nodes: [{ pods: "a-1" }, { pods: "a-2" }] },
    violation: /pool default may have 2 of nodes but has 1 and could get 2/,
  },
  "a limit on the price": {
    objects: [pool("default", { limits: { "karpenter.sh/hourly-price": "0.3" } }), ...pods(2, "a")],
    good: { nodes: [{ pods: "a-1 a-2" }] },
    bad: { nodes: [{ pods: "a-1" }, { pods: "a-2" }] },
    violation: /pool default may have 300000 of karpenter.sh\/hourly-price but has 0 and could get 400000/,
  },
  "a reservation that is used up": {
    objects: [pool(), ...pods(2, "a")],
    types: [
      instanceType("small", { cpu: 2, offerings: [offering({ price: 0, reservation: { id: "r", capacity: 1 } })] }),
    ],
    good: { nodes: [{ pods: "a-1 a-2", capacityType: "reserved" }] },
    bad: {
      nodes: [
        { pods: "a-1", capacityType: "reserved" },
        { pods: "a-2", capacityType: "reserved" },
      ],
    },
    violation: /reservation r has 1 machines left but 2 are planned/,
  },
  "an offering that is sold out": {
    objects: [pool(), pod("a")],
    types: [
      instanceType("small", { cpu: 2, offerings: [offering({}), offering({ zone: "zone-2", available: false })] }),
    ],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", zone: "zone-2" }] },
    violation: /no offering small zone-2 on-demand/,
  },
  "a wrong price": {
    objects: [pool(), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", price: 0.1 }] },
    violation: /no offering small zone-1 on-demand at 0.1/,
  },
  "a type that is not the cheapest but comes first": {
    objects: [pool(), pod("a")],
    good: { nodes: [{ pods: "a", ...bothSmall }] },
    bad: { nodes: [{ pods: "a", instanceTypes: ["medium", "small"] }] },
    violation: /does not list the cheapest type first/,
  },
  "a type that the claim cannot launch": {
    objects: [pool(), pod("a")],
    types: [...defaultTypes, instanceType("far", { offerings: [offering({ zone: "zone-9" })] })],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", instanceTypes: ["small", "far"] }] },
    violation: /lists a type that its claim cannot launch/,
  },
  "a capacity type that the claim leaves open": {
    objects: [pool(), pod("a", { nodeSelector: { [capacityTypeLabel]: "on-demand" } })],
    types: [
      instanceType("small", { cpu: 2, offerings: [offering({}), offering({ capacityType: "spot", price: 0.5 })] }),
    ],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", requirements: new Map() }] },
    violation: /a does not accept the labels/,
  },
  "less choice than the pool demands": {
    objects: [
      pool("default", {
        requirements: [{ key: "node.kubernetes.io/instance-type", operator: "Exists", minValues: 2 }],
      }),
      pod("a"),
    ],
    good: { nodes: [{ pods: "a", ...bothSmall }] },
    bad: { nodes: [{ pods: "a" }] },
    violation: /leaves 1 values of node.kubernetes.io\/instance-type, its pool asks for 2/,
  },
  "requests that do not add up": {
    objects: [pool(), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a", requests: new Map([["cpu", 1000]]) }] },
    violation: /states 0 of pods but its pods ask for 1/,
  },
  "a node without pods": {
    objects: [pool(), pod("a")],
    good: { nodes: [{ pods: "a" }] },
    bad: { nodes: [{ pods: "a" }, { pods: "" }] },
    violation: /new-1 has no pods/,
  },
};

function mounting(claim: string): PodFields {
  return { ...tiny, volumes: [{ name: "v", persistentVolumeClaim: { claimName: claim } }] };
}

/** A claim of this name, bound to a volume in the zone. */
function volume(name: string, zone: string): Wire[] {
  const terms = [{ matchExpressions: [expression(zoneLabel, "In", zone)] }];
  const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
  return [
    { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, annotations }, spec: { volumeName: name } },
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: { csi: { driver: "csi" }, nodeAffinity: { required: { nodeSelectorTerms: terms } } },
    },
  ];
}

describe("checkPlan", () => {
  for (const [name, each] of Object.entries(cases)) {
    it(`finds ${name}`, () => {
      assert.deepEqual(violations(each, each.good), []);
      assert.match(violations(each, each.bad).join("\n"), new RegExp(each.violation, "m"));
    });
  }

  it("finds totals that are not those of the nodes", () => {
    const read = cluster([pool(), pod("a")]);
    const plan = { ...draftPlan(read, { nodes: [{ pods: "a" }] }), costPerHour: 1, boundPerHour: () => 2 };
    const { snapshot, pendingPods: pending } = read;
    assert.deepEqual(checkPlan(plan, { snapshot, pending, settings: defaultSettings }), [
      "the nodes cost 0.2 an hour but 1 is stated",
      "the bound 2 is above the cost 1",
    ]);
  });
});
