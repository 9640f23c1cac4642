import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { unsupportedKubeletFields } from "./family-support.ts";
import { compileKubelet, hasExpressions } from "./kubelet-expressions.ts";
import { validateKubelet } from "./validate-kubelet.ts";

/** Something of every shape. */
const good = {
  clusterDNS: ["10.0.0.10"],
  maxPods: 42,
  podsPerCore: 0,
  systemReserved: { cpu: "100m", memory: "1Gi", "ephemeral-storage": "1Gi", pid: "1000" },
  kubeReserved: { cpu: "vcpus * 10" },
  evictionHard: { "memory.available": "5%", "nodefs.available": "10.5%", "pid.available": "0%" },
  evictionSoft: { "memory.available": "500Mi", "nodefs.inodesFree": "100%" },
  evictionSoftGracePeriod: { "memory.available": "1m30s", "nodefs.inodesFree": "0s" },
  evictionMinimumReclaim: { "imagefs.available": "2Gi", "imagefs.inodesFree": "1" },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
  cpuManagerReconcilePeriod: "5s",
  featureGates: { A: true },
  staticPodURLHeader: { a: ["b"] },
  memoryThrottlingFactor: 0.9,
  authentication: { anonymous: { enabled: false }, webhook: { cacheTTL: "2m" }, x509: { clientCAFile: "/a" } },
  logging: {
    flushFrequency: 5_000_000_000,
    verbosity: 2,
    vmodule: [{ filePattern: "a", verbosity: 1 }],
    options: { json: { infoBufferSize: "1Mi" } },
  },
  reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
  shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 2 }],
  registryPullQPS: null,
};

describe("validateKubelet", () => {
  it("finds nothing wrong with good settings", () => {
    assert.deepEqual([validateKubelet(good), validateKubelet({}), validateKubelet({ maxPods: "vcpus" })], [[], [], []]);
  });

  const bad: [object, string[]][] = [
    [{ maxpods: 1 }, ["maxpods is no field of a KubeletConfiguration: correct or remove it"]],
    [
      { authentication: { webhook: { ttl: "1m" } } },
      ["authentication.webhook.ttl is no field of a KubeletConfiguration: correct or remove it"],
    ],
    [{ constructor: 1 }, ["constructor is no field of a KubeletConfiguration: correct or remove it"]],
    [{ cpuCFSQuota: "no" }, ['cpuCFSQuota must be true or false, found "no"']],
    [{ podsPerCore: 1.5 }, ["podsPerCore must be a whole number, found 1.5"]],
    [{ podsPerCore: 2 ** 31 }, ["podsPerCore must be a whole number, found 2147483648"]],
    [{ maxPods: [] }, ["maxPods must be a whole number, or an expression, found a list"]],
    [{ clusterDNS: "10.0.0.10" }, ['clusterDNS must be a list, found "10.0.0.10"']],
    [{ clusterDNS: [7] }, ["clusterDNS[0] must be a string, found 7"]],
    [{ kubeReserved: { cpu: 1 } }, ["kubeReserved.cpu must be a string, found 1"]],
    [{ syncFrequency: "1d" }, ['syncFrequency must be a duration such as 1h30m, found "1d"']],
    [
      { reservedMemory: [{ limits: { memory: "x" } }] },
      ['reservedMemory[0].limits.memory must be a quantity such as 100Mi, found "x"'],
    ],
    [
      { registerWithTaints: [{ key: "a" }] },
      ["registerWithTaints is Karpenter's: write taints in the NodePool, under spec.template.spec"],
    ],
    [
      { evictionHard: { "memory.free": "1%" } },
      [
        'evictionHard cannot have "memory.free": its keys are memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available',
      ],
    ],
    [
      {
        evictionHard: { "memory.available": "101%", "pid.available": "-1" },
        evictionMinimumReclaim: { "pid.available": "1.%" },
      },
      [
        'evictionHard["memory.available"] must be a quantity such as 100Mi, or from 0% to 100%, found "101%"',
        'evictionHard["pid.available"] must be a quantity such as 100Mi, or from 0% to 100%, found "-1"',
        'evictionMinimumReclaim["pid.available"] must be a quantity such as 100Mi, or from 0% to 100%, found "1.%"',
      ],
    ],
    [
      { evictionSoft: { "pid.available": "1%" }, evictionSoftGracePeriod: { "pid.available": "-1s" } },
      ['evictionSoftGracePeriod["pid.available"] must be a duration such as 1m30s, found "-1s"'],
    ],
    [
      { evictionSoft: { "memory.available": "1%" }, evictionSoftGracePeriod: { "pid.available": "1s" } },
      [
        'evictionSoft has "memory.available", and evictionSoftGracePeriod must have it too',
        'evictionSoftGracePeriod has "pid.available", and evictionSoft must have it too',
      ],
    ],
    [
      { kubeReserved: { gpu: "1" }, systemReserved: { cpu: "-1" } },
      [
        'kubeReserved cannot have "gpu": its keys are cpu, memory, ephemeral-storage, pid',
        'systemReserved["cpu"] must not begin with a minus, found "-1"',
      ],
    ],
    [
      { imageGCHighThresholdPercent: 101, imageGCLowThresholdPercent: -1 },
      [
        "imageGCHighThresholdPercent must be from 0 to 100, found 101",
        "imageGCLowThresholdPercent must be from 0 to 100, found -1",
      ],
    ],
    [
      { imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 },
      ["imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent, found 80 and 80"],
    ],
    [
      { maxPods: -1, podsPerCore: -1, evictionMaxPodGracePeriod: -1 },
      [
        "maxPods must not be negative, found -1",
        "podsPerCore must not be negative, found -1",
        "evictionMaxPodGracePeriod must not be negative, found -1",
      ],
    ],
  ];
  for (const [kubelet, problems] of bad) {
    it(`refuses ${JSON.stringify(kubelet)}`, () => {
      assert.deepEqual(validateKubelet(kubelet as Record<string, unknown>), problems);
    });
  }

  it("stops where there is no end", () => {
    const kubelet = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => ["x".repeat(1000) + index, index]));
    for (const problems of [validateKubelet(kubelet), unsupportedKubeletFields(kubelet, "AL2")]) {
      assert.equal(problems.length, 20);
      assert.ok(problems.join("; ").length < 5000);
    }
  });

  it("has a few short words for whatever is there, and so have all others who look at it", () => {
    const garbage = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ maxLength: 3000 }));
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(good)),
        fc.string(),
        garbage,
        garbage,
        (name, other, first, second) => {
          const kubelet = { ...good, [name]: first, [other]: second };
          const compilation = compileKubelet(kubelet);
          const said = [
            ...validateKubelet(kubelet),
            ...unsupportedKubeletFields(kubelet, "Bottlerocket"),
            ...(compilation.problems ?? []),
          ];
          assert.equal(typeof hasExpressions(kubelet), "boolean");
          for (const problem of said) assert.ok(problem.length < 600, problem);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("unsupportedKubeletFields", () => {
  const settings = { podsPerCore: 2, maxOpenFiles: 10, clusterDNS: ["10.0.0.10", "10.0.0.11"], featureGates: null };

  it("finds nothing that AL2023 or Custom could not do", () => {
    assert.deepEqual(
      [unsupportedKubeletFields(settings, "AL2023"), unsupportedKubeletFields(settings, "Custom")],
      [[], []],
    );
  });

  it("tells what cannot be passed to others", () => {
    for (const family of ["AL2", "Windows2022"] as const) {
      assert.deepEqual(unsupportedKubeletFields(settings, family), [
        `maxOpenFiles cannot be passed to nodes of ${family}: remove it, or set it in userData`,
        `clusterDNS can be one address with ${family}: remove 1 of them`,
      ]);
    }
  });

  it("tells that Bottlerocket knows no pods per core", () => {
    assert.deepEqual(unsupportedKubeletFields({ podsPerCore: 2, maxPods: 3 }, "Bottlerocket"), [
      "podsPerCore cannot be passed to nodes of Bottlerocket: remove it, or set it in userData",
    ]);
  });
});
