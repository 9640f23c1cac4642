import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KwokStage, nodeCreations, type StageOptions } from "../../../test/support/kwok-stage.ts";
import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Instance } from "../../ports/cloud-provider.ts";
import { orThrow } from "../../runtime/kube-client.ts";
import { nodes } from "../../runtime/resources.ts";
import { kwokNodeClasses } from "./node-class.ts";

interface SeenNode {
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations: object };
  readonly spec: { readonly providerID: string; readonly taints: readonly { key: string; effect: string }[] };
  readonly status: {
    readonly phase: string;
    readonly capacity: object;
    readonly allocatable: object;
    readonly conditions: readonly { type: string; status: string; reason: string }[];
  };
}

async function nodesOf(stage: KwokStage): Promise<readonly SeenNode[]> {
  return (await stage.nodes()) as unknown as readonly SeenNode[];
}

async function launch({ provider }: KwokStage, claim: NodeClaim): Promise<Instance> {
  const outcome = await provider.launch(claim);
  assert.equal(outcome.kind, "launched", JSON.stringify(outcome));
  return (outcome as { instance: Instance }).instance;
}

function onStage(name: string, options: StageOptions, act: (stage: KwokStage) => Promise<void>): void {
  it(name, async () => {
    const stage = new KwokStage(options);
    try {
      await act(stage);
    } finally {
      stage.stop();
    }
  });
}

const booting = { nodeRegistrationDelay: "1m" };
const seconds = 1_000;

describe("KwokProvider", () => {
  onStage("makes a node that says what it is and lets nothing run on it yet", {}, async (stage) => {
    const claim = await stage.createClaim("web-1", {
      labels: { "karpenter.sh/nodepool": "web" },
      annotations: { "example.com/note": "kept" },
      requirements: [
        { key: "node.kubernetes.io/instance-type", operator: "In", values: ["c-2x-amd64-linux", "c-4x-amd64-linux"] },
        { key: "example.com/team", operator: "In", values: ["blue"] },
      ],
      taints: [{ key: "example.com/only", value: "web", effect: "NoSchedule" }],
      startupTaints: [{ key: "example.com/starting", effect: "NoExecute" }],
      resources: { requests: { cpu: "1" } },
    });
    const { providerId } = await launch(stage, claim);
    const [node] = await nodesOf(stage);
    const { name } = node!.metadata;
    assert.match(name, /^kwok-web-1-[0-9a-f]{10}$/);
    assert.equal(providerId, `kwok://${name}`);
    assert.deepEqual(node!.metadata.labels, {
      "beta.kubernetes.io/arch": "amd64",
      "beta.kubernetes.io/os": "linux",
      "eks-node-viewer/instance-price": "0.038006",
      "example.com/team": "blue",
      "karpenter.kwok.sh/instance-cpu": "2",
      "karpenter.kwok.sh/instance-family": "c",
      "karpenter.kwok.sh/instance-memory": "4Gi",
      "karpenter.kwok.sh/instance-size": "2",
      "karpenter.sh/capacity-type": "spot",
      "karpenter.sh/nodepool": "web",
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/hostname": "web-1",
      "kubernetes.io/os": "linux",
      "kwok-partition": "a",
      "kwok.x-k8s.io/node": "fake",
      "node.kubernetes.io/instance-type": "c-2x-amd64-linux",
      "topology.kubernetes.io/zone": "test-zone-a",
    });
    assert.deepEqual(node!.metadata.annotations, {
      "example.com/note": "kept",
      "karpenter.kwok.sh/nodeclaim": "web-1",
      "kwok.x-k8s.io/node": "fake",
      "node.alpha.kubernetes.io/ttl": "0",
    });
    assert.deepEqual(
      node!.spec.taints.map(({ key, effect }) => `${key}:${effect}`),
      [
        "karpenter.sh/unregistered:NoExecute",
        "example.com/only:NoSchedule",
        "example.com/starting:NoExecute",
        "node.kubernetes.io/not-ready:NoSchedule",
      ],
    );
    assert.equal(node!.status.phase, "Pending");
    assert.deepEqual(node!.status.capacity, { cpu: "2", memory: "4Gi", "ephemeral-storage": "20Gi", pods: "32" });
    assert.deepEqual(node!.status.allocatable, {
      cpu: "1900m",
      memory: "4086Mi",
      "ephemeral-storage": "20Gi",
      pods: "32",
    });
    assert.deepEqual(
      node!.status.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      ["Ready False KubeletStarting"],
    );
  });

  onStage("makes nodes that become ready", {}, async (stage) => {
    await launch(stage, await stage.createClaim("web"));
    await stage.clock.advance(60 * seconds);
    const [node] = await nodesOf(stage);
    assert.equal(node!.status.conditions.find(({ type }) => type === "Ready")?.status, "True");
    assert.deepEqual(
      node!.spec.taints.map(({ key }) => key),
      ["karpenter.sh/unregistered"],
    );
  });

  onStage("gives claims with long names a host name that fits", {}, async (stage) => {
    const name = "x".repeat(80);
    const { labels } = await launch(stage, await stage.createClaim(name));
    assert.match(labels.get("kubernetes.io/hostname") ?? "", /^x{52}-[0-9a-f]{10}$/);
  });

  onStage("lets the node join after the delay of the node class", booting, async (stage) => {
    await launch(stage, await stage.createClaim("web"));
    await stage.clock.advance(59 * seconds);
    assert.equal((await stage.nodes()).length, 0);
    await stage.clock.advance(1 * seconds);
    assert.equal((await stage.nodes()).length, 1);
  });

  onStage("lets a node join in time although the process ended meanwhile", booting, async (stage) => {
    const claim = await stage.createClaim("web");
    const { providerId, labels } = await launch(stage, claim);
    await stage.recordLaunch("web", providerId);
    await stage.clock.advance(30 * seconds);
    stage.crash();
    await stage.provider.resume();
    assert.deepEqual(
      (await stage.provider.list()).map((instance) => instance.providerId),
      [providerId],
    );
    await stage.clock.advance(29 * seconds);
    assert.equal((await stage.nodes()).length, 0);
    await stage.clock.advance(1 * seconds);
    const [node] = await nodesOf(stage);
    assert.equal(node?.spec.providerID, providerId);
    const added = (label: string) => label.startsWith("beta.kubernetes.io/");
    assert.deepEqual(
      Object.entries(node!.metadata.labels)
        .filter(([label]) => !added(label))
        .sort(),
      [...labels].sort(),
    );
  });

  onStage("lets a node join at once whose time came while no process ran", booting, async (stage) => {
    const claim = await stage.createClaim("web");
    const { providerId } = await launch(stage, claim);
    await stage.recordLaunch("web", providerId);
    stage.crash();
    await stage.clock.advance(300 * seconds);
    await stage.provider.resume();
    await stage.clock.advance(0);
    assert.equal((await stage.nodes()).length, 1);
  });

  onStage("resumes nothing for claims that have a node, are going or are not launched", {}, async (stage) => {
    const joined = await stage.createClaim("joined");
    await stage.recordLaunch("joined", (await launch(stage, joined)).providerId);
    await stage.createClaim("new");
    await stage.createClaim("going");
    await stage.recordLaunch("going", "kwok://going");
    await stage.kube.patch(nodeClaims, { name: "going" }, { body: { metadata: { finalizers: ["example.com/hold"] } } });
    await stage.kube.delete(nodeClaims, { name: "going" });
    stage.crash();
    await stage.provider.resume();
    await stage.settle();
    assert.deepEqual(
      (await stage.provider.list()).map(({ claimName }) => claimName),
      ["joined"],
    );
    assert.deepEqual(stage.complaints, []);
  });

  onStage("makes no node for a claim that was deleted while the machine booted", booting, async (stage) => {
    await launch(stage, await stage.createClaim("web"));
    await stage.kube.delete(nodeClaims, { name: "web" });
    await stage.settle();
    assert.deepEqual(await stage.nodes(), []);
    assert.deepEqual(await stage.provider.list(), []);
  });

  onStage("makes no node for a machine that was terminated while it booted", booting, async (stage) => {
    const instance = await launch(stage, await stage.createClaim("web"));
    assert.equal(await stage.provider.terminate(instance), "gone");
    await stage.settle();
    assert.deepEqual(await stage.nodes(), []);
  });

  onStage("leaves no node of a machine that is terminated while its node is being made", booting, async (stage) => {
    const instance = await launch(stage, await stage.createClaim("web"));
    stage.cluster.faults.inject({ effect: "slow", byMs: 5 * seconds, probability: 1, on: nodeCreations });
    await stage.clock.advance(61 * seconds);
    const termination = stage.provider.terminate(instance);
    await stage.settle();
    assert.equal(await termination, "gone");
    assert.deepEqual(await stage.nodes(), []);
  });

  onStage("tries again until the node is made", booting, async (stage) => {
    await launch(stage, await stage.createClaim("web"));
    const refusal = { effect: "refuse", status: 500, probability: 1, on: nodeCreations } as const;
    const restore = stage.cluster.faults.inject(refusal);
    await stage.clock.advance(70 * seconds);
    assert.equal((await stage.nodes()).length, 0);
    assert.equal((await stage.provider.list()).length, 1);
    assert.match(stage.complaints[0] ?? "", /^Cannot create the node of a machine, trying again: /);
    restore();
    await stage.settle();
    assert.equal((await stage.nodes()).length, 1);
  });

  onStage("finds the machine whose launch was never answered", {}, async (stage) => {
    const claim = await stage.createClaim("web");
    const loss = { effect: "drop", at: "answer", probability: 1, times: 1, on: nodeCreations } as const;
    stage.cluster.faults.inject(loss);
    await assert.rejects(stage.provider.launch(claim), /connection broke/);
    await launch(stage, claim);
    assert.equal((await stage.nodes()).length, 1);
  });

  onStage("says why there is no capacity or what is unknown", {}, async (stage) => {
    const lost = await stage.createClaim("lost", { nodeClassRef: { ...stage.nodeClassRef, name: "lost" } });
    assert.deepEqual(await stage.provider.launch(lost), {
      kind: "insufficient-capacity",
      message: 'cannot find the node class: kwoknodeclasses.karpenter.kwok.sh "lost" not found',
    });
    const values = ["a", "b", "c", "d", "e", "f", "g"];
    const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values }];
    assert.deepEqual(await stage.provider.launch(await stage.createClaim("unknown", { requirements })), {
      kind: "failed",
      reason: "InstanceTypesNotFound",
      message: "the claim names only instance types that do not exist: a, b, c, d, e and 2 more",
    });
  });

  onStage("launches nothing for a node class that is not ready", {}, async (stage) => {
    await stage.setNodeClassConditions([{ type: "Ready", status: "False", reason: "Broken", message: "it is broken" }]);
    assert.deepEqual(await stage.provider.launch(await stage.createClaim("web")), {
      kind: "node-class-not-ready",
      message: "it is broken",
    });
  });

  onStage("says of a node class without conditions that it is ready", {}, async (stage) => {
    await stage.setNodeClassConditions([]);
    await stage.provider.resume();
    await stage.clock.advance(0);
    const { status } = orThrow(await stage.kube.get(kwokNodeClasses, { name: "default" }), "read the class");
    assert.deepEqual(status, {
      conditions: [
        { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    });
  });

  onStage("lets the machine of a node go that is held by a finalizer", {}, async (stage) => {
    const instance = await launch(stage, await stage.createClaim("web"));
    const name = instance.providerId.replace("kwok://", "");
    await stage.kube.patch(nodes, { name }, { body: { metadata: { finalizers: ["karpenter.sh/termination"] } } });
    assert.equal(await stage.provider.terminate(instance), "terminating");
    assert.equal(await stage.provider.terminate(instance), "gone");
    assert.equal(await stage.provider.find(instance.providerId), undefined);
    assert.deepEqual(
      (await stage.provider.list()).map(({ isTerminating }) => isTerminating),
      [true],
    );
  });

  onStage("leaves nodes of others alone", {}, async (stage) => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "theirs" }, spec: { providerID: "aws:///a/i-1" } };
    orThrow(await stage.kube.create(nodes, node), "create a node");
    assert.deepEqual(await stage.provider.list(), []);
    assert.equal(await stage.provider.find("kwok://theirs"), undefined);
    assert.equal(await stage.provider.terminate({ providerId: "kwok://theirs", claimName: "" }), "gone");
    assert.equal((await stage.nodes()).length, 1);
  });

  onStage("knows its labels", {}, async ({ provider }) => {
    assert.deepEqual([...provider.wellKnownLabels].sort(), [
      "karpenter.kwok.sh/instance-cpu",
      "karpenter.kwok.sh/instance-family",
      "karpenter.kwok.sh/instance-memory",
      "karpenter.kwok.sh/instance-size",
      "karpenter.sh/capacity-type",
      "topology.kubernetes.io/zone",
    ]);
  });
});
