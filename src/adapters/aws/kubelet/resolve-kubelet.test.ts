import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MachineFacts, ResolvedKubelet } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { readEc2NodeClass } from "../node-class/read-node-class.ts";
import { compileKubelet, evaluateKubelet, hasExpressions } from "./kubelet-expressions.ts";
import { resolveKubelet } from "./resolve-kubelet.ts";

const facts: MachineFacts = {
  name: "m5.large",
  arch: "amd64",
  vcpus: 2,
  memoryMib: 8192,
  interfaces: 3,
  addressesPerInterface: 10,
  efaInterfaces: 0,
  isMetal: false,
};

function nodeClass(kubelet: object | undefined): Ec2NodeClass {
  const result = readEc2NodeClass({
    metadata: { name: "default" },
    spec: {
      subnetSelectorTerms: [{ id: "subnet-1" }],
      securityGroupSelectorTerms: [{ id: "sg-1" }],
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      role: "nodes",
      kubelet,
    },
  });
  return (result as { value: Ec2NodeClass }).value;
}

function resolve(kubelet: object | undefined, isCelEnabled = true): ResolvedKubelet {
  return resolveKubelet({ nodeClass: nodeClass(kubelet), facts, defaultMaxPods: 29, isCelEnabled });
}

const none = new Map<string, string>();
const nothing: ResolvedKubelet = {
  config: {},
  maxPods: 29,
  clusterDns: [],
  kubeReserved: none,
  systemReserved: none,
};

const expressive = {
  maxPods: "min(20, max_pods)",
  kubeReserved: { cpu: "vcpus * 33", memory: "max_pods * 11 + 255", "ephemeral-storage": "1Gi", pid: "max_pods" },
  systemReserved: { memory: "100Mi", "ephemeral-storage": "vcpus" },
  podsPerCore: 5,
};

describe("resolveKubelet", () => {
  it("leaves all to the image family where nothing is written", () => {
    assert.deepEqual([resolve(undefined), resolve({})], [nothing, nothing]);
  });

  it("keeps what is written", () => {
    const kubelet = {
      maxPods: 42,
      clusterDNS: ["10.0.0.10"],
      kubeReserved: { cpu: "100m" },
      systemReserved: { memory: "1Gi" },
      cpuCFSQuota: false,
    };
    assert.deepEqual(resolve(kubelet), {
      config: kubelet,
      maxPods: 42,
      clusterDns: ["10.0.0.10"],
      kubeReserved: new Map([["cpu", "100m"]]),
      systemReserved: new Map([["memory", "1Gi"]]),
    });
  });

  it("evaluates expressions, those for reserved amounts with the pods that come of it", () => {
    assert.deepEqual(resolve(expressive), {
      config: {
        podsPerCore: 5,
        kubeReserved: { "ephemeral-storage": "1Gi" },
        systemReserved: { memory: "100Mi" },
      },
      maxPods: 20,
      clusterDns: [],
      kubeReserved: new Map([
        ["ephemeral-storage", "1Gi"],
        ["cpu", "70m"],
        ["memory", "480Mi"],
        ["pid", "20"],
      ]),
      systemReserved: new Map([
        ["memory", "100Mi"],
        ["ephemeral-storage", "2Gi"],
      ]),
    });
  });

  it("takes the pods that are written for max_pods in reserved amounts", () => {
    const { kubeReserved } = resolve({ maxPods: 100, kubeReserved: { pid: "max_pods" } });
    assert.deepEqual(kubeReserved, new Map([["pid", "100"]]));
  });

  it("leaves expressions out while they are not enabled", () => {
    assert.deepEqual(resolve(expressive, false), {
      config: { podsPerCore: 5, kubeReserved: { "ephemeral-storage": "1Gi" }, systemReserved: { memory: "100Mi" } },
      maxPods: 29,
      clusterDns: [],
      kubeReserved: new Map([["ephemeral-storage", "1Gi"]]),
      systemReserved: new Map([["memory", "100Mi"]]),
    });
  });

  it("leaves out what cannot be made out", () => {
    assert.deepEqual(resolve({ maxPods: "vcpus / 0", kubeReserved: { cpu: "-vcpus", pid: "7 * vcpus" } }), {
      ...nothing,
      kubeReserved: new Map([["pid", "14"]]),
    });
    assert.deepEqual(resolve({ maxPods: "cores", kubeReserved: 7, systemReserved: { cpu: 7 }, clusterDNS: [7] }), {
      ...nothing,
      config: { clusterDNS: [7] },
    });
  });
});

describe("compileKubelet", () => {
  it("says what does not compile, and where", () => {
    const kubelet = { maxPods: "cores", kubeReserved: { cpu: "'a'", memory: "100Mi" }, systemReserved: { pid: "(" } };
    assert.deepEqual(compileKubelet(kubelet), {
      problems: [
        "maxPods is no number, and as an expression it does not compile: Unknown variable: cores",
        "kubeReserved.cpu is no quantity, and as an expression it gives string, and must give a number",
        "systemReserved.pid is no quantity, and as an expression it does not compile: Unexpected token: EOF",
      ],
    });
  });
});

describe("evaluateKubelet", () => {
  it("says what gives no usable number on a machine", () => {
    const kubelet = {
      maxPods: "max_pods - 30",
      kubeReserved: { cpu: "vcpus / 0" },
      systemReserved: { memory: "16 * 3" },
    };
    const compilation = compileKubelet(kubelet);
    assert.ok(compilation.problems === undefined);
    assert.deepEqual(evaluateKubelet(compilation.compiled, { facts, maxPods: 29 }), {
      problems: [
        "maxPods gives -1, and must not be negative",
        "kubeReserved.cpu cannot be evaluated: division by zero",
      ],
      maxPods: undefined,
      kubeReserved: none,
      systemReserved: new Map([["memory", "48Mi"]]),
    });
  });

  it("refuses more pods than a kubelet can count", () => {
    const compilation = compileKubelet({ maxPods: "2147483648" });
    assert.ok(compilation.problems === undefined);
    assert.deepEqual(evaluateKubelet(compilation.compiled, { facts, maxPods: 29 }).problems, [
      "maxPods gives 2147483648, and must be at most 2147483647",
    ]);
  });
});

describe("hasExpressions", () => {
  it("is true for a text for maxPods, and for reserved amounts that are no quantities", () => {
    const kubelets = [{ maxPods: "7" }, { kubeReserved: { cpu: "vcpus" } }, { systemReserved: { cpu: "" } }];
    assert.deepEqual(kubelets.map(hasExpressions), [true, true, true]);
  });

  it("is false for everything else", () => {
    const kubelets = [{}, { maxPods: 7 }, { kubeReserved: { cpu: "1", memory: "1e3" } }, { clusterDNS: ["a"] }];
    assert.deepEqual(kubelets.map(hasExpressions), [false, false, false, false]);
  });
});
