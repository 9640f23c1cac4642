import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeRequest } from "../../src/ports/kube-transport.ts";
import { budget } from "../scenarios/manifests.ts";
import { cores, type DisruptorStage, onDisruptorStage, poolOf, web } from "./disruptor-stage.ts";
import { beginWasteful, isReplacement, large, relabel, replacementsBought, small } from "./wasteful-stage.ts";

const isProposed = (stage: DisruptorStage): boolean =>
  stage.decisions.some(
    ({ reason, kind, moves }) => reason === "Underutilized" && kind === "looked" && moves.length > 0,
  );

/** Nodes that join from now on never get ready. */
function keepNodesFromReadiness(stage: DisruptorStage): () => void {
  const { api, kubelets, clock } = stage.whole.cluster;
  return api.collection(api.registry.builtIn("", "nodes")).subscribe(({ type, object }) => {
    if (type === "ADDED") clock.after(0, () => kubelets.neverReady(object.metadata.name));
  });
}

describe("a move that cannot be carried out", () => {
  it("is taken back when its replacement does not get ready in ten minutes", () =>
    onDisruptorStage(async (stage) => {
      await beginWasteful(stage);
      const mend = keepNodesFromReadiness(stage);
      await stage.until(() => stage.marked.length > 0, 120_000);
      await stage.until(() => stage.marked.length === 0, 660_000);
      mend();
      assert.match(stage.events("DisruptionFailed").join(), /Node: .*not done after 600 s/);
      assert.equal(stage.pods.length, 1);
      const failures = 'decision="replace",reason="underutilized",consolidation_type="single"';
      assert.equal(stage.count(`voluntary_disruption_queue_failures_total{${failures}}`), 1);
    }));

  it("is taken back when there is no capacity, and tried again after ten minutes, restart or not", () =>
    onDisruptorStage(async (stage) => {
      await beginWasteful(stage);
      let isSoldOut = true;
      stage.whole.tamper = (request) => (isSoldOut ? unlaunchable(request) : request);
      await stage.until(() => stage.events("DisruptionFailed").length > 0, 120_000);
      assert.deepEqual(stage.marked, []);
      isSoldOut = false;
      await stage.pass(60_000);
      stage.whole.restart();
      await stage.pass(500_000);
      assert.deepEqual({ types: stage.types, bought: replacementsBought(stage) }, { types: [large], bought: 1 });
      await stage.until(() => stage.types.join() === small, 180_000);
    }));

  function unlaunchable(request: KubeRequest): KubeRequest {
    if (request.method !== "POST" || !request.path.endsWith("/nodeclaims")) return request;
    const body = request.body as { spec: { requirements: object[] } };
    const nowhere = { key: "topology.kubernetes.io/zone", operator: "In", values: ["nowhere"] };
    const requirements = body.spec.requirements.filter((one) => (one as { key: string }).key !== nowhere.key);
    return { ...request, body: { ...body, spec: { ...body.spec, requirements: [...requirements, nowhere] } } };
  }
});

describe("what happens between plan and act", () => {
  const hold = (stage: DisruptorStage): void => {
    const [pod] = stage.pods;
    assert.ok(pod);
    stage.whole.change({ ...pod, apiVersion: "v1", kind: "Pod" } as never, (current) => ({
      ...current,
      metadata: { ...(current.metadata as object), annotations: { "karpenter.sh/do-not-disrupt": "true" } } as never,
    }));
  };
  const protect = (stage: DisruptorStage): void => stage.whole.load(budget("web", { maxUnavailable: 0 }));

  for (const [what, act] of [
    ["a pod that must not be moved", hold],
    ["a budget that lets no pod go", protect],
  ] as const) {
    it(`${what} while it is thought over ends it before it begins`, () =>
      onDisruptorStage(async (stage) => {
        await beginWasteful(stage);
        await stage.until(() => isProposed(stage), 120_000);
        act(stage);
        await stage.pass(120_000);
        assert.deepEqual(
          { types: stage.types, marked: stage.marked, bought: replacementsBought(stage) },
          { types: [large], marked: [], bought: 0 },
        );
        assert.match(stage.events("DisruptionBlocked").join(), /Node: .*Pod=default\/web-/);
      }));

    it(`${what} while the replacement comes up keeps the node`, () =>
      onDisruptorStage(async (stage) => {
        await beginWasteful(stage);
        await stage.until(() => replacementsBought(stage) > 0, 120_000);
        const [pod] = stage.pods;
        act(stage);
        await stage.pass(120_000);
        assert.deepEqual(
          { marked: stage.marked, pod: stage.pods[0]?.metadata.uid },
          { marked: [], pod: pod?.metadata.uid },
        );
        assert.ok(stage.types.includes(large));
        // The replacement is for nobody, and goes as any empty node does.
        await stage.until(() => stage.types.join() === large, 180_000);
      }));
  }
});

describe("what is noted on replacements", () => {
  const keys = ({ metadata }: { metadata: { annotations?: Record<string, string> } }): readonly string[] =>
    Object.keys(metadata.annotations ?? {}).filter((key) => /replace|move-/.test(key));

  it("is not on nodes, and of it a trifle is left when what they replace is gone", () =>
    onDisruptorStage(async (stage) => {
      await beginWasteful(stage);
      await stage.until(() => stage.types.length === 2, 120_000);
      assert.deepEqual(stage.nodes.flatMap(keys), []);
      assert.equal(stage.claims.flatMap(keys).length, 3);
      await stage.until(() => stage.types.join() === small, 120_000);
      await stage.pass(20_000);
      assert.deepEqual(stage.claims.flatMap(keys), ["karpenter.sh/is-replacement"]);
      assert.deepEqual(stage.nodes.flatMap(keys), []);
    }));
});

describe("a controller that is killed", () => {
  for (const writes of Array.from({ length: 20 }, (_, index) => index + 1)) {
    it(`after write ${writes} of a move leaves nothing marked, doubled or lost`, () =>
      onDisruptorStage(async (stage) => {
        await beginWasteful(stage);
        await stage.until(() => isProposed(stage), 120_000);
        // Leases are written all the time, and events are not sent here.
        await stage.pass(14_500);
        countDisruptorWrites(stage, writes);
        await stage.until(() => !stage.whole.isRunning, 60_000);
        await stage.pass(5_000);
        stage.whole.tamper = (request) => request;
        stage.whole.start();
        await stage.until(() => stage.types.join() === small, 300_000);
        await stage.pass(60_000);
        assert.deepEqual(
          { types: stage.types, marked: stage.marked, bought: replacementsBought(stage), pods: stage.pods.length },
          { types: [small], marked: [], bought: 1, pods: 1 },
        );
      }));
  }

  /** The process dies after so many of its writes to nodes and claims. */
  function countDisruptorWrites(stage: DisruptorStage, most: number): void {
    let count = 0;
    stage.whole.tamper = (request) => {
      const isCounted = request.method !== "GET" && /\/(nodes|nodeclaims)(\/|$)/.test(request.path);
      if (isCounted && ++count === most) stage.whole.crashAfterWrites(1);
      return request;
    };
  }

  it("whenever it has bought one of two replacements buys no more for a while", () =>
    onDisruptorStage(async (stage) => {
      const pool = poolOf("general", { requirements: cores(2, 16) });
      await stage.begin([pool], [web(15, { cpu: "900m" })]);
      stage.scale("web", 3);
      let starts = 0;
      stage.whole.tamper = (request) => {
        const { method, path, body } = request;
        if (method !== "POST" || !path.endsWith("/nodeclaims") || !isReplacement(body)) return request;
        // Both are on their way when the first one is answered.
        if (starts === stage.whole.starts) return { ...request, path: "/nowhere" };
        starts = stage.whole.starts;
        stage.whole.crashAfterWrites(1);
        return request;
      };
      for (let count = 0; count < 6; count++) {
        await stage.pass(90_000);
        if (!stage.whole.isRunning) stage.whole.start();
      }
      assert.equal(replacementsBought(stage), 1);
    }));

  it("in the middle of a drift goes on with what was bought", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general", { disruption: { consolidateAfter: "Never" } })], [web(3)]);
      relabel(stage);
      await stage.until(() => replacementsBought(stage) > 0, 120_000);
      stage.whole.restart();
      const replacement = stage.claims.find(isReplacement)?.metadata.name;
      await stage.until(() => stage.nodes.length === 1 && stage.claims.length === 1, 180_000);
      assert.equal(replacementsBought(stage), 1);
      assert.equal(stage.claims[0]?.metadata.name, replacement);
      assert.deepEqual(stage.marked, []);
    }));

  it("leaves marks that the next one takes away", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general", { disruption: { consolidateAfter: "Never" } })], [web(3)]);
      const [node] = stage.nodes;
      assert.ok(node);
      stage.whole.crash();
      stage.whole.change({ ...node, apiVersion: "v1", kind: "Node" } as never, (current) => ({
        ...current,
        spec: {
          ...(current.spec as object),
          taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }],
        } as never,
      }));
      assert.equal(stage.marked.length, 1);
      stage.whole.start();
      await stage.until(() => stage.marked.length === 0, 60_000);
    }));
});

describe("a node of a controller that buys elsewhere", () => {
  it("keeps its marks, and its claim is not written to", () =>
    onDisruptorStage(async (stage) => {
      const providerID = "elsewhere://1";
      const labels = { "karpenter.sh/nodepool": "theirs", "karpenter.sh/initialized": "true" };
      const annotations = { "karpenter.sh/replaces": "their-old", "karpenter.sh/replacements": "theirs" };
      const claimOf = (name: string): object => ({
        apiVersion: "karpenter.sh/v1",
        kind: "NodeClaim",
        metadata: { name, labels, annotations: name === "theirs" ? annotations : {} },
        spec: {
          nodeClassRef: { group: "karpenter.elsewhere", kind: "TheirNodeClass", name: "default" },
          requirements: [],
        },
        status: {
          providerID: name === "theirs" ? "elsewhere://2" : providerID,
          conditions: [
            {
              type: "DisruptionReason",
              status: "True",
              reason: "Drifted",
              message: "",
              lastTransitionTime: "2026-01-01T00:00:00Z",
            },
          ],
        },
      });
      stage.whole.load(claimOf("theirs"), claimOf("their-old"), {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "their-node", labels },
        spec: { providerID, taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] },
      });
      stage.whole.start();
      await stage.pass(700_000);
      const written = stage.whole.sent.filter(
        ({ request: { method, path } }) => method !== "GET" && /\/(nodes\/their-node|nodeclaims\/their)/.test(path),
      );
      assert.deepEqual(
        written.map(({ request: { method, path } }) => [method, path]),
        [],
      );
      assert.ok(stage.marked.includes("their-node"));
    }));
});
