import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { SnapshotRead } from "../../src/core/api/read-objects.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { hostnameLabel, zoneLabel } from "../../src/core/model/labels.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { ProvisioningPlan } from "../../src/core/scheduling/plan.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import {
  cluster,
  defaultSettings,
  expression,
  instanceType,
  node,
  nodeAffinity,
  type PodFields,
  pod,
  pods,
  pool,
  type Wire,
} from "../support/builders.ts";
import { checkPlan } from "../support/check-plan.ts";

/** Generous: a plan that needs this long hangs. */
const timeout = 20_000;

interface Planned {
  readonly plan: ProvisioningPlan;
  readonly read: SnapshotRead;
  /** How often the planner asked whether to stop. */
  readonly rounds: number;
}

function planned(objects: readonly Wire[], instanceTypes?: readonly InstanceType[]): Planned {
  const read = cluster(objects, instanceTypes);
  let rounds = 0;
  const shouldStop = () => {
    rounds++;
    return false;
  };
  const plan = planProvisioning(read.snapshot, read.pendingPods, { ...defaultSettings, shouldStop });
  return { plan, read, rounds };
}

function assertRight({ plan, read }: Planned): void {
  const { snapshot, pendingPods: pending } = read;
  assert.deepEqual(checkPlan(plan, { snapshot, pending, settings: defaultSettings }), []);
}

/** Every pod is placed or refused; for clusters that are too large to check in full. */
function assertComplete({ plan: { nodes, placements, refusals }, read }: Planned): void {
  const placed = [...nodes, ...placements].reduce((sum, { pods }) => sum + pods.length, 0);
  assert.equal(placed + refusals.length, read.pendingPods.length);
}

function range<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const small = { requests: { cpu: "10m" } };
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

describe("planning with absurd amounts", { timeout }, () => {
  const amounts = ["0", "1", "1m", "4503599627370497", "9007199254740991", "9223372036854775807", "1e30"];
  const amount = fc.constantFrom(...amounts);
  const price = fc.constantFrom(0, 5e-324, 1e-9, 0.1, 100_000);
  const type = fc.record({
    cpu: fc.constantFrom(0, 1, 64, 9007199254740),
    memory: amount,
    pods: fc.constantFrom(0, 1, 110, Number.MAX_SAFE_INTEGER),
    price,
  });
  const requests = fc.record({ cpu: amount, memory: amount, "example.com/none": amount }, { requiredKeys: [] });

  it("throws nothing, and adds up without mistakes", () => {
    fc.assert(
      fc.property(
        fc.array(type, { minLength: 1, maxLength: 4 }),
        fc.array(fc.record({ requests, count: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 4 }),
        fc.record(
          { cpu: amount, memory: amount, nodes: fc.constantFrom("0", "1", "1000000000") },
          { requiredKeys: [] },
        ),
        (types, classes, limits) => {
          const waiting = classes.flatMap(({ requests, count }, index) => pods(count, `pod-${index}`, { requests }));
          const instanceTypes = types.map((fields, index) => instanceType(`type-${index}`, fields));
          assertRight(
            planned(
              [
                pool("default", { limits }),
                node("n", { allocatable: { cpu: "1e18", memory: "1e18", pods: 5 } }),
                ...waiting,
              ],
              instanceTypes,
            ),
          );
        },
      ),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe("planning with absurd prices", { timeout }, () => {
  it("places all pods although their cost has no sum", () => {
    const { snapshot, pendingPods } = cluster([pool(), ...pods(5, "a", { requests: { cpu: 3 } })]);
    const dear = (type: InstanceType) => ({
      ...type,
      offerings: type.offerings.map((offering) => ({ ...offering, price: Number.MAX_VALUE })),
    });
    const nodePools = snapshot.nodePools.map((one) => ({ ...one, instanceTypes: one.instanceTypes.map(dear) }));
    assert.deepEqual(planProvisioning({ ...snapshot, nodePools }, pendingPods, defaultSettings).refusals, []);
  });
});

describe("planning with nothing to plan with", { timeout }, () => {
  const free = instanceType("free", { price: 0 });
  const nothing = instanceType("nothing", { cpu: 0, memory: "0", pods: 0 });
  const cases: Readonly<Record<string, readonly [objects: readonly Wire[], types?: readonly InstanceType[]]>> = {
    "no objects": [[]],
    "no pods": [[pool()]],
    "no pools": [pods(3, "a")],
    "no instance types": [[pool(), ...pods(3, "a")], []],
    "machines without anything": [[pool(), ...pods(3, "a"), pod("none", { requests: {} })], [nothing]],
    "machines without offerings": [[pool(), pod("a")], [{ ...free, offerings: [] }]],
    "machines that cost nothing": [
      [pool(), ...pods(30, "a")],
      [free, nothing],
    ],
    "pods that ask for nothing": [[pool(), ...pods(300, "a", { requests: {} })]],
    "nodes without anything": [[node("n", { allocatable: {} }), ...pods(3, "a", { requests: {} })]],
  };
  for (const [name, [objects, types]] of Object.entries(cases)) {
    it(`makes a right plan: ${name}`, () => assertRight(planned(objects, types)));
  }
});

describe("planning for pods that contradict themselves", { timeout }, () => {
  const unequal = { [zoneLabel]: "zone-1" };
  const cases: Readonly<Record<string, PodFields>> = {
    "a selector against affinity": {
      nodeSelector: unequal,
      affinity: nodeAffinity([expression(zoneLabel, "NotIn", "zone-1")]),
    },
    "a label that is one and absent": {
      nodeSelector: { x: "1" },
      affinity: nodeAffinity([expression("x", "DoesNotExist")]),
    },
    "a number that is too small": { nodeSelector: { x: "1" }, affinity: nodeAffinity([expression("x", "Gt", "9")]) },
    "a pod that wants to be near and far": {
      labels: { app: "a" },
      affinity: {
        podAffinity: { [required]: [{ topologyKey: zoneLabel, labelSelector: { matchLabels: { app: "a" } } }] },
        podAntiAffinity: { [required]: [{ topologyKey: zoneLabel, labelSelector: { matchLabels: { app: "a" } } }] },
      },
    },
  };
  for (const [name, fields] of Object.entries(cases)) {
    it(`refuses them: ${name}`, () => {
      const read = planned([pool(), ...pods(2, "a", fields), pod("b")]);
      assertRight(read);
      assert.ok(read.plan.nodes.some(({ pods }) => pods.some(({ name }) => name === "b")));
    });
  }

  it("refuses pods that need each other in a ring, on hosts and in zones", () => {
    for (const topologyKey of [hostnameLabel, zoneLabel]) {
      const ring = range(50, (index) => {
        const app = String((index + 1) % 50);
        const affinity = { podAffinity: { [required]: [{ topologyKey, labelSelector: { matchLabels: { app } } }] } };
        return pod(`pod-${index}`, { ...small, labels: { app: String(index) }, affinity });
      });
      assert.equal(planned([pool(), ...ring]).plan.refusals.length, 50);
    }
  });

  it("places a long chain of pods that need each other, once one of them is free", () => {
    for (const topologyKey of [hostnameLabel, zoneLabel]) {
      const chain = range(50, (index) => {
        const affinity = {
          podAffinity: { [required]: [{ topologyKey, labelSelector: { matchLabels: { app: String(index + 1) } } }] },
        };
        return pod(`pod-${index}`, { ...small, labels: { app: String(index) }, ...(index < 49 ? { affinity } : {}) });
      });
      assert.equal(planned([pool(), ...chain]).plan.refusals.length, 0);
    }
  });
});

describe("planning with odd names", { timeout }, () => {
  const odd = [
    "",
    " ",
    "a,b",
    "a|b",
    "a;b",
    "a=b",
    '"',
    "\\",
    "\n",
    "\u0000",
    "__proto__",
    "constructor",
    "toString",
    "ü",
    "🦆",
    "-1",
    "NaN",
    "undefined",
    "null",
  ];

  it("confuses no two labels", () => {
    // Readers let no such values through; the planner relies on that for nothing.
    const { snapshot, pendingPods } = cluster([
      pool(),
      ...range(odd.length * 2, (index) => pod(`pod-${index}`, small)),
    ]);
    const podOf = (index: number): Pod => {
      const own = odd[index % odd.length]!;
      const base = pendingPods[index]!;
      const selector = { expressions: [{ key: own, operator: "In" as const, values: [own] }] };
      const term = {
        topologyKey: hostnameLabel,
        selector,
        namespaces: [],
        namespaceSelector: undefined,
        matchLabelKeys: [own],
        mismatchLabelKeys: [],
      };
      return { ...base, labels: new Map([[own, own]]), spec: { ...base.spec, podAntiAffinity: [term] } };
    };
    const pending = pendingPods.map((_, index) => podOf(index));
    const plan = planProvisioning(snapshot, pending, defaultSettings);
    assert.deepEqual(checkPlan(plan, { snapshot, pending, settings: defaultSettings }), []);
    // Each name is on two pods that keep apart, so two nodes are needed, and enough.
    assert.deepEqual([plan.nodes.length, plan.refusals.length], [2, 0]);
  });
});

describe("planning with very many of something", { timeout }, () => {
  const cases: Readonly<Record<string, () => readonly Wire[]>> = {
    "topology keys": () =>
      range(1500, (index) => {
        const rule = {
          topologyKey: `example.com/key-${index}`,
          maxSkew: 1,
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: {},
        };
        return pod(`pod-${index}`, { ...small, topologySpreadConstraints: [rule] });
      }),
    "values of a selected label": () =>
      range(1500, (index) => pod(`pod-${index}`, { ...small, nodeSelector: { "example.com/open": `v-${index}` } })),
    "required node terms": () => {
      const terms = range(1000, (index) => [
        expression(zoneLabel, "In", `zone-${index}`),
        expression(`example.com/k-${index % 30}`, "NotIn", "x"),
      ]);
      return pods(50, "pod", { ...small, affinity: nodeAffinity(...terms) });
    },
    "preferred node terms": () => {
      const terms = range(1000, (index) => ({
        weight: 1 + (index % 100),
        preference: { matchExpressions: [expression(zoneLabel, "In", `nowhere-${index}`)] },
      }));
      return range(5, (index) =>
        pod(`pod-${index}`, { requests: { cpu: `${index + 1}m` }, affinity: { nodeAffinity: { [preferred]: terms } } }),
      );
    },
    "pod terms": () => {
      const terms = range(1000, (index) => ({
        topologyKey: index % 2 ? zoneLabel : hostnameLabel,
        labelSelector: { matchLabels: { app: `app-${index}` } },
      }));
      return pods(50, "pod", { ...small, affinity: { podAntiAffinity: { [required]: terms } } });
    },
    "spread constraints": () => {
      const rules = range(1000, (index) => ({
        topologyKey: index % 2 ? zoneLabel : hostnameLabel,
        maxSkew: 1 + index,
        whenUnsatisfiable: index % 3 ? "DoNotSchedule" : "ScheduleAnyway",
        labelSelector: { matchLabels: { app: `app-${index % 10}` } },
      }));
      return pods(50, "pod", { ...small, labels: { app: "app-1" }, topologySpreadConstraints: rules });
    },
    "tolerations and host ports": () => {
      const tolerations = range(1000, (index) => ({ key: `key-${index}`, operator: "Exists" }));
      const ports = range(1000, (index) => ({ hostPort: 1 + index }));
      return pods(20, "pod", { tolerations, containers: [{ ports }] });
    },
    "pods that keep each other off their hosts": () => {
      const term = { topologyKey: hostnameLabel, labelSelector: { matchLabels: { app: "a" } } };
      return pods(5000, "pod", {
        ...small,
        labels: { app: "a" },
        affinity: { podAntiAffinity: { [required]: [term] } },
      });
    },
    "pods that must share a host": () => {
      const term = { topologyKey: hostnameLabel, labelSelector: { matchLabels: { app: "a" } } };
      return pods(5000, "pod", {
        requests: { cpu: "1m" },
        labels: { app: "a" },
        affinity: { podAffinity: { [required]: [term] } },
      });
    },
    "pods that are all different": () =>
      range(3000, (index) =>
        pod(`pod-${index}`, { requests: { cpu: `${100 + index}m`, memory: `${100 + ((index * 7919) % 3000)}Mi` } }),
      ),
    priorities: () => range(500, (index) => pod(`pod-${index}`, { ...small, priority: index * 1_000_000 })),
  };
  const open = pool("default", {
    limits: { cpu: 1_000_000 },
    requirements: [expression("example.com/open", "Exists")],
  });
  for (const [name, objects] of Object.entries(cases)) {
    it(`ends, in few rounds: ${name}`, () => {
      const result = planned([open, ...objects()]);
      assertComplete(result);
      assert.ok(result.rounds <= 30 * 20, `${result.rounds} rounds`);
    });
  }

  it("serves pods that each select another value", () => {
    const waiting = range(100, (index) =>
      pod(`pod-${index}`, { ...small, nodeSelector: { "example.com/open": `v-${index}` } }),
    );
    assert.equal(planned([open, ...waiting]).plan.refusals.length, 0);
  });

  it("serves pods that select values of several open labels", () => {
    const keys = range(4, (index) => `example.com/open-${index}`);
    const wide = pool("default", { requirements: keys.map((key) => expression(key, "Exists")) });
    const waiting = keys.flatMap((key, place) =>
      range(5, (index) => pod(`pod-${place}-${index}`, { ...small, nodeSelector: { [key]: `v-${index}` } })),
    );
    assert.equal(planned([wide, ...waiting]).plan.refusals.length, 0);
  });

  it("spreads pods over all values of an open label, however many", () => {
    const racks = range(100, (index) => `rack-${index}`);
    const wide = pool("default", { requirements: [expression("example.com/rack", "In", ...racks)] });
    const spread = [
      {
        topologyKey: "example.com/rack",
        maxSkew: 1,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
      },
    ];
    const waiting = range(100, (index) =>
      pod(`pod-${index}`, { ...small, labels: { app: "web" }, topologySpreadConstraints: spread }),
    );
    assert.equal(planned([wide, ...waiting]).plan.nodes.length, 100);
  });

  it("stops when it is told to", () => {
    const { snapshot, pendingPods } = cluster([
      pool(),
      ...range(300, (index) => pod(`pod-${index}`, { requests: { cpu: `${100 + index}m` } })),
    ]);
    let asked = 0;
    const shouldStop = () => ++asked > 0;
    const plan = planProvisioning(snapshot, pendingPods, { ...defaultSettings, shouldStop });
    assert.deepEqual(plan.refusals, []);
    assert.ok(asked <= 3, `asked ${asked} times although it was told at once`);
  });
});
