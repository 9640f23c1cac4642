import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type ContainerResources,
  effectiveRequests,
  type PodResourceSource,
  requestsOrLimits,
} from "./effective-requests.ts";
import { parseQuantity } from "./quantity.ts";
import type { ResourceQuantities } from "./resources.ts";

type Amounts = Record<string, string>;

function quantities(amounts: Amounts): ResourceQuantities {
  return new Map(Object.entries(amounts).map(([name, text]) => [name, parseQuantity(text) ?? 0n]));
}

const container = (amounts: Amounts): ContainerResources => ({ requests: quantities(amounts), isRestartable: false });
const sidecar = (amounts: Amounts): ContainerResources => ({ requests: quantities(amounts), isRestartable: true });

function pod(parts: Partial<PodResourceSource>): PodResourceSource {
  return { containers: [], initContainers: [], overhead: new Map(), podLevel: undefined, ...parts };
}

const byName = (amounts: ResourceQuantities) => Object.fromEntries(amounts);

const examples: [string, Partial<PodResourceSource>, Amounts][] = [
  ["nothing but a place", {}, {}],
  [
    "the sum of its containers",
    { containers: [container({ cpu: "100m", memory: "64Mi" }), container({ cpu: "1", "nvidia.com/gpu": "1" })] },
    { cpu: "1100m", memory: "64Mi", "nvidia.com/gpu": "1" },
  ],
  [
    "the largest init container where that is more than the sum of the containers",
    {
      containers: [container({ cpu: "1", memory: "1Gi" }), container({ cpu: "1", memory: "1Gi" })],
      initContainers: [container({ cpu: "3", memory: "512Mi" }), container({ cpu: "1500m", memory: "1Gi" })],
    },
    { cpu: "3", memory: "2Gi" },
  ],
  [
    "a resource that only an init container wants",
    { containers: [container({ cpu: "1" })], initContainers: [container({ "nvidia.com/gpu": "2" })] },
    { cpu: "1", "nvidia.com/gpu": "2" },
  ],
  [
    "its sidecars beside its containers",
    { containers: [container({ cpu: "1" })], initContainers: [sidecar({ cpu: "200m" }), sidecar({ cpu: "300m" })] },
    { cpu: "1500m" },
  ],
  [
    "an init container beside the sidecars that started before it",
    {
      containers: [container({ cpu: "1" })],
      initContainers: [sidecar({ cpu: "200m" }), container({ cpu: "2" }), sidecar({ cpu: "300m" })],
    },
    { cpu: "2200m" },
  ],
  [
    "an init container without the sidecars that start after it",
    {
      containers: [container({ cpu: "1" })],
      initContainers: [container({ cpu: "2" }), sidecar({ cpu: "1500m" })],
    },
    { cpu: "2500m" },
  ],
  [
    "the worst moment of each resource on its own",
    {
      containers: [container({ cpu: "1", memory: "100Mi" })],
      initContainers: [
        container({ cpu: "5", memory: "10Mi" }),
        sidecar({ cpu: "1", memory: "50Mi" }),
        container({ cpu: "2", memory: "200Mi" }),
      ],
    },
    { cpu: "5", memory: "250Mi" },
  ],
  [
    "what the pod as a whole asks for, in place of its containers, and the rest from them",
    {
      containers: [container({ cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi" })],
      podLevel: quantities({ cpu: "4", "hugepages-2Mi": "4Mi", "ephemeral-storage": "9Gi" }),
    },
    { cpu: "4", memory: "1Gi", "ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi" },
  ],
  [
    "the overhead on top of everything",
    {
      containers: [container({ cpu: "1" })],
      initContainers: [container({ cpu: "2" })],
      podLevel: quantities({ memory: "1Gi" }),
      overhead: quantities({ cpu: "250m", memory: "120Mi" }),
    },
    { cpu: "2250m", memory: "1144Mi" },
  ],
  [
    "what a container still holds while it is made smaller",
    {
      containers: [
        {
          requests: quantities({ cpu: "1", memory: "2Gi" }),
          allocated: quantities({ cpu: "2", memory: "1Gi" }),
          isRestartable: false,
        },
        container({ cpu: "1" }),
      ],
    },
    { cpu: "3", memory: "2Gi" },
  ],
];

describe("effectiveRequests", () => {
  for (const [what, parts, expected] of examples) {
    test(`asks for ${what}`, () => {
      assert.deepEqual(byName(effectiveRequests(pod(parts))), byName(quantities({ ...expected, pods: "1" })));
    });
  }

  const amounts = fc
    .dictionary(fc.constantFrom("cpu", "memory", "nvidia.com/gpu"), fc.bigInt({ min: 0n, max: 10n ** 15n }))
    .map((object) => new Map(Object.entries(object)));
  const containers = fc.array(fc.record({ requests: amounts, isRestartable: fc.constant(false) }), { maxLength: 4 });
  const initContainers = fc.array(fc.record({ requests: amounts, isRestartable: fc.boolean() }), { maxLength: 4 });
  const anyPod = fc.record({ containers, initContainers, overhead: amounts, podLevel: fc.constant(undefined) });

  test("does not depend on the order of the containers", () => {
    fc.assert(
      fc.property(anyPod, (source) => {
        const reversed = { ...source, containers: [...source.containers].reverse() };
        assert.deepEqual(byName(effectiveRequests(reversed)), byName(effectiveRequests(source)));
      }),
    );
  });

  test("never becomes less when something is added", () => {
    fc.assert(
      fc.property(anyPod, amounts, fc.boolean(), fc.boolean(), (source, requests, isInit, isRestartable) => {
        const added = { requests, isRestartable: isInit && isRestartable };
        const more = effectiveRequests({
          ...source,
          containers: isInit ? source.containers : [...source.containers, added],
          initContainers: isInit ? [added, ...source.initContainers] : source.initContainers,
        });
        for (const [name, amount] of effectiveRequests(source)) assert.ok((more.get(name) ?? 0n) >= amount);
      }),
    );
  });

  test("is at least what runs at once", () => {
    fc.assert(
      fc.property(anyPod, (source) => {
        const running = [...source.containers, ...source.initContainers.filter(({ isRestartable }) => isRestartable)];
        const requests = effectiveRequests(source);
        for (const name of ["cpu", "memory", "nvidia.com/gpu"]) {
          const sum = running.reduce((total, each) => total + (each.requests.get(name) ?? 0n), 0n);
          assert.ok((requests.get(name) ?? 0n) >= sum);
        }
      }),
    );
  });

  test("takes zero for nothing", () => {
    const zero = container({ cpu: "0", "nvidia.com/gpu": "0" });
    const requests = effectiveRequests(pod({ containers: [container({ cpu: "1" }), zero], initContainers: [zero] }));
    assert.deepEqual(byName(requests), byName(quantities({ cpu: "1", "nvidia.com/gpu": "0", pods: "1" })));
  });
});

describe("requestsOrLimits", () => {
  test("takes the limit where no request is given, also when another one is", () => {
    const requests = quantities({ cpu: "100m" });
    const limits = quantities({ cpu: "1", memory: "1Gi" });
    assert.deepEqual(byName(requestsOrLimits(requests, limits)), byName(quantities({ cpu: "100m", memory: "1Gi" })));
  });

  test("keeps a request of zero", () => {
    assert.deepEqual(byName(requestsOrLimits(quantities({ cpu: "0" }), quantities({ cpu: "1" }))), { cpu: 0n });
  });
});
