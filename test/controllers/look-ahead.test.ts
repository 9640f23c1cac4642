import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { ApiError } from "../../src/embedded/api/api-error.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { deployment, type Manifest, type PodParts } from "../scenarios/manifests.ts";
import type { Wire } from "../support/builders.ts";
import type { WholeControllerOptions } from "../support/whole-controller.ts";
import { onStage, type ProvisionerStage } from "./provisioner-stage.ts";

/** Three of them fill a node. */
const third = "1200m";

/** Refuses the pods of an app beyond so many, as a webhook or a quota does. */
class Gatekeeper {
  readonly #allowed = new Map<string, number>();

  constructor({ whole }: ProvisionerStage) {
    whole.cluster.addWebhook((draft, { plural }, old) => {
      const app = draft.metadata.labels?.app ?? "";
      const left = this.#allowed.get(app);
      if (plural !== "pods" || old !== undefined || left === undefined) return;
      if (left === 0) throw new ApiError(403, "Forbidden", "not yet");
      this.#allowed.set(app, left - 1);
    });
  }

  allow(app: string, more: number): void {
    this.#allowed.set(app, (this.#allowed.get(app) ?? 0) + more);
  }
}

interface Scene {
  readonly stage: ProvisionerStage;
  readonly gate: Gatekeeper;
}

/** The controller leads, with a pool of nodes for three pods each. */
async function onScene(
  settings: WholeControllerOptions["settings"],
  act: (scene: Scene) => Promise<void>,
): Promise<void> {
  await onStage(settings, async (stage) => {
    const gate = new Gatekeeper(stage);
    await stage.lead();
    await act({ stage, gate });
  });
}

function web(replicas: number, parts: PodParts = {}, name = "web"): Manifest {
  return deployment(name, replicas, { cpu: third, ...parts });
}

interface Counts {
  readonly expected: number;
  readonly created: number;
  readonly dropped: number;
  readonly claims: number;
  readonly inVain: number;
}

function countsOf(stage: ProvisionerStage): Counts {
  return {
    expected: stage.count("pods_expected{}"),
    created: stage.count('pods_expected_outcome_total{outcome="created"}'),
    dropped: stage.count('pods_expected_outcome_total{outcome="dropped"}'),
    claims: stage.times("claim").length,
    inVain: stage.count('nodes_bought_for_dropped_pods_total{nodepool="general"}'),
  };
}

function isRunning({ status }: KubeObject): boolean {
  return (status as Pod["status"])?.phase === "Running";
}

const nothing: Counts = { expected: 0, created: 0, dropped: 0, claims: 0, inVain: 0 };

describe("pods that are still to be created", () => {
  it("are planned with the first one of their template, and the real ones take their places", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 1);
      stage.whole.load(web(8));
      await stage.pass(3_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 7, claims: 3 });
      const [line] = stage.whole.telemetry.lines.filter(({ message }) => message.startsWith("computed new nodeclaim"));
      const { pods, "pods-to-be-created": toBeCreated } = line!.fields;
      assert.deepEqual({ pods, toBeCreated }, { pods: 8, toBeCreated: 7 });
      gate.allow("web", 7);
      await stage.pass(30_000);
      assert.deepEqual(countsOf(stage), { ...nothing, created: 7, claims: 3 });
      assert.equal(stage.times("bind").length, 8);
      assert.equal(stage.whole.controller.cluster.intendedPods.size, 0);
    }));

  it("are in no metric of the Go version", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 0);
      stage.whole.load(web(4));
      stage.add("100m", "other");
      await stage.pass(5_000);
      const count = (name: string): number | undefined => stage.whole.telemetry.numbers.get(name);
      assert.equal(count("pods_expected{}"), 4);
      assert.equal(count('scheduler_unschedulable_pods_count{controller="provisioner"}'), 0);
      assert.equal(count("scheduler_ignored_pods_count{}"), 0);
    }));

  it("get no machine before a pod of their template was admitted", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 0);
      stage.whole.load(web(4));
      stage.add("100m", "other");
      await stage.pass(5_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 4, claims: 1 });
      gate.allow("web", 1);
      await stage.pass(10_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 3, created: 1, claims: 2 });
    }));

  it("get machines at once where other pods of their service account were admitted unchanged", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 0);
      stage.whole.load(web(1, {}, "api"), web(5));
      await stage.pass(5_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 5, claims: 2 });
    }));

  it("get no machine where the other pods of their service account were changed at admission", () =>
    onScene({}, async ({ stage, gate }) => {
      stage.whole.cluster.addWebhook((draft, { plural }, old) => {
        if (plural === "pods" && old === undefined)
          Object.assign((draft as Pod).spec!, { nodeSelector: { "kubernetes.io/os": "linux" } });
      });
      gate.allow("web", 0);
      stage.whole.load(web(1, {}, "api"), web(5));
      await stage.pass(5_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 5, claims: 1 });
    }));

  it("are none for a template whose pods wait behind a gate", () =>
    onScene({}, async ({ stage, gate }) => {
      stage.whole.cluster.addWebhook((draft, { plural }, old) => {
        const isWeb = draft.metadata.labels?.app === "web" && plural === "pods" && old === undefined;
        if (isWeb) Object.assign((draft as Pod).spec!, { schedulingGates: [{ name: "example.com/quota" }] });
      });
      gate.allow("web", 2);
      stage.whole.load(web(20));
      stage.add("100m", "other");
      await stage.pass(5_000);
      assert.deepEqual(countsOf(stage), { ...nothing, claims: 1 });
    }));

  it("are no more than the setting allows", () =>
    onScene({ lookAheadMaxPods: 2 }, async ({ stage, gate }) => {
      gate.allow("web", 1);
      stage.whole.load(web(20));
      await stage.pass(3_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 2, claims: 1 });
    }));
});

describe("looking ahead is turned off", () => {
  async function staysOut(
    manifests: readonly Manifest[],
    {
      namespace = "default",
      settings = {},
    }: { namespace?: string; settings?: WholeControllerOptions["settings"] } = {},
  ): Promise<void> {
    await onScene(settings, async ({ stage, gate }) => {
      gate.allow("web", 1);
      const all = manifests.map((one) => ("spec" in one ? { ...one, metadata: { ...one.metadata, namespace } } : one));
      stage.whole.load(...all);
      await stage.pass(5_000);
      assert.deepEqual(countsOf(stage), { ...nothing, claims: 1 });
    });
  }

  const optOut = { "karpenter.sh/look-ahead": "false" };
  const withMetadata = (manifest: Manifest, metadata: Wire): Manifest => ({
    ...manifest,
    metadata: { ...manifest.metadata, ...metadata },
  });

  it("by a setting", () => staysOut([web(8)], { settings: { lookAhead: "Off" } }));
  it("by an annotation of a Deployment", () => staysOut([withMetadata(web(8), { annotations: optOut })]));
  it("by a label of a Deployment", () => staysOut([withMetadata(web(8), { labels: optOut })]));
  it("by a label of a ReplicaSet", () =>
    staysOut([{ ...withMetadata(web(8), { labels: optOut }), kind: "ReplicaSet" }]));
  for (const where of ["annotations", "labels"]) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "quiet", [where]: optOut } };
    it(`by ${where} of a namespace`, () => staysOut([namespace, web(8)], { namespace: "quiet" }));
  }

  it("until the label is taken off the Deployment", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 1);
      const manifest = withMetadata(web(8), { labels: optOut });
      stage.whole.load(manifest);
      await stage.pass(3_000);
      assert.deepEqual(countsOf(stage), { ...nothing, claims: 1 });
      stage.whole.change(manifest, (current) => ({
        ...current,
        metadata: { ...(current.metadata as object), labels: {} },
      }));
      await stage.pass(3_000);
      assert.equal(countsOf(stage).expected, 7);
    }));
});

describe("a workload that creates no pods", () => {
  it("is not waited for after 30 s, and is tried again after 5, 10, 20 and 30 minutes", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 1);
      stage.whole.load(web(2));
      const begun = stage.seconds;
      const changes: [at: number, expected: number][] = [];
      for (let expected = 0; stage.seconds - begun < 70 * 60; await stage.pass(1_000)) {
        if (countsOf(stage).expected === expected) continue;
        expected = countsOf(stage).expected;
        changes.push([Math.round(stage.seconds - begun), expected]);
      }
      const spans = changes.slice(1).map(([at], index) => at - changes[index]![0]);
      const minute = 60;
      assert.deepEqual(
        changes.map(([, expected]) => expected),
        [1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
      );
      const expected = [30, 5 * minute, 30, 10 * minute, 30, 20 * minute, 30, 30 * minute, 30];
      for (const [index, span] of spans.entries())
        assert.ok(Math.abs(span - expected[index]!) <= 2, `${spans} instead of ${expected}`);
      assert.equal(countsOf(stage).claims, 1);
    }));

  it("loses the nodes that were bought for it, which are counted, and only then", () =>
    onScene({}, async ({ stage, gate }) => {
      gate.allow("web", 1);
      stage.whole.load(web(7));
      await stage.pass(28_000);
      assert.deepEqual(countsOf(stage), { ...nothing, expected: 6, claims: 3 });
      assert.deepEqual(
        stage.claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
        [],
      );
      assert.equal(stage.claims.length, 3);
      await stage.pass(120_000);
      assert.deepEqual(countsOf(stage), { ...nothing, dropped: 6, claims: 3, inVain: 2 });
      assert.equal(stage.claims.length, 1);
    }));
});

describe("a StatefulSet that is scaled down while a node of it drains", () => {
  /** Its last pod terminates on a node that goes, and one is asked for less. Returns how many nodes are bought for that. */
  async function drain({ stage }: Scene, replicas: number): Promise<number> {
    const set = web(3, { cpu: "3" }, "db");
    const manifest = { ...set, kind: "StatefulSet", spec: { ...(set.spec as object), serviceName: "db" } };
    stage.whole.load(manifest);
    const isUp = (): boolean => stage.whole.list("v1", "Pod").filter(isRunning).length === 3;
    await stage.whole.clock.advanceUntil(isUp, 60_000);
    const last = stage.pod("db-2");
    stage.whole.change(last, (current) => ({
      ...current,
      metadata: { ...(current.metadata as object), finalizers: ["example.com/slow"] },
    }));
    const node = last.spec?.nodeName;
    const before = stage.claims;
    const claim = before.find(({ status }) => (status as { nodeName?: string }).nodeName === node);
    stage.whole.change(manifest, (current) => ({ ...current, spec: { ...(current.spec as object), replicas } }));
    stage.whole.delete(claim!);
    await stage.pass(5_000);
    return stage.times("claim").length - before.length;
  }

  it("gets no node for the pod that is not created again", () =>
    onScene({}, async (scene) => assert.equal(await drain(scene, 2), 0)));

  it("gets one for a pod that is", () => onScene({}, async (scene) => assert.equal(await drain(scene, 3), 1)));
});

describe("the batching window", () => {
  it("closes within 0.3 s of the refusal of a pod whose workload says that it is the only one", () =>
    onScene({}, async ({ stage }) => {
      stage.whole.load(web(1));
      const isRefused = (): boolean =>
        stage.whole
          .list("v1", "Pod")
          .some(({ status }) =>
            (status as Pod["status"])?.conditions?.some(({ reason }) => reason === "Unschedulable"),
          );
      await stage.whole.clock.advanceUntil(isRefused, 10_000);
      const refused = stage.seconds;
      await stage.pass(2_000);
      const [bought = 0] = stage.times("claim");
      assert.ok(bought - refused <= 0.3, `bought ${bought - refused} s after the refusal`);
    }));

  it("stays open while a pod waits of which it is not known how many more are coming", () =>
    onScene({}, async ({ stage }) => {
      stage.whole.load(web(1));
      stage.add("100m", "alone");
      const added = stage.seconds;
      await stage.pass(5_000);
      const [bought = 0] = stage.times("claim");
      assert.ok(bought - added >= 1, `bought ${bought - added} s after the pod came`);
    }));
});
