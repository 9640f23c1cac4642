import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { TerminatorStage } from "../support/terminator-stage.ts";

describe("draining", () => {
  let stage: TerminatorStage;

  beforeEach(() => {
    stage = new TerminatorStage();
  });

  afterEach(() => stage.stop());

  const held = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };
  const web = { labels: { app: "web" } };

  describe("a drain", () => {
    test("goes tier by tier", async () => {
      await stage.startWith("a");
      stage.bench.load({
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "daemon", namespace: "default" },
        spec: {
          selector: { matchLabels: { app: "daemon" } },
          template: {
            metadata: { labels: { app: "daemon" } },
            spec: { containers: [{ name: "main", image: "main" }] },
          },
        },
      });
      stage.addPod("critical", "a", { priorityClassName: "system-cluster-critical" });
      stage.addPod("ordinary", "a");
      await stage.clock.advance(2_000);
      const gone: string[] = [];
      stage.cluster.pods.onChange(({ after, key }) => {
        if (after === undefined) gone.push(key.split(/[/-]/)[1] ?? "");
      });
      await stage.deleteNode("a");
      await stage.secondsUntilGone();
      assert.deepEqual(gone, ["ordinary", "daemon", "critical"]);
    });

    test("waits for a held pod for ever, and goes on when it is let go", async () => {
      await stage.startWith("a");
      stage.addPod("held", "a", { metadata: held });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(3_600_000);
      assert.deepEqual(stage.left, { claims: ["a"], nodes: ["a"], machines: ["a"] });
      assert.match(
        stage.messagesOf("FailedDraining")[0] ?? "",
        /default\/held \(annotated karpenter\.sh\/do-not-disrupt\)/,
      );
      await stage.bench.transport.send({
        method: "PATCH",
        path: "/api/v1/namespaces/default/pods/held",
        contentType: "application/merge-patch+json",
        body: { metadata: { annotations: { "karpenter.sh/do-not-disrupt": null } } },
      });
      assert.ok((await stage.secondsUntilGone()) < 35);
    });

    test("evicts a pod that is held for a while when that is over", async () => {
      await stage.startWith("a");
      stage.addPod("held", "a", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": "10m" } } });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(590_000);
      assert.equal(stage.hasPod("held"), true);
      assert.ok((await stage.secondsUntilGone()) < 45);
      assert.deepEqual(stage.reasonsFor("held"), ["DoNotDisruptUntil", "DoNotDisruptGracePeriodElapsed", "Evicted"]);
    });

    test("waits for a budget, says so, and does not flood the API", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a", { metadata: web });
      stage.addBudget("web", web.labels, { maxUnavailable: 0 });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(600_000);
      assert.equal(stage.hasPod("web"), true);
      assert.ok(stage.requestsTo(/eviction/) < 80, `${stage.requestsTo(/eviction/)} requests`);
      assert.ok(stage.number('pods_eviction_requests_total{code="429"}') > 50);
      assert.ok(
        stage.messagesOf("FailedDraining").some((message) => message.includes('Cannot evict pod "default/web"')),
      );
      await stage.delete("/apis/policy/v1/namespaces/default/poddisruptionbudgets/web");
      assert.ok((await stage.secondsUntilGone()) < 35);
    });

    test("tries again as soon as the budget allows it", async () => {
      await stage.startWith("a");
      stage.addPod("web-1", "a", { metadata: web });
      stage.addPod("web-2", "a", { metadata: web });
      stage.addBudget("web", web.labels, { minAvailable: 2 });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(60_000);
      assert.equal(stage.number('pods_eviction_requests_total{code="200"}'), 0);
      const b = { name: "b", labels: { "kubernetes.io/hostname": "b" } };
      stage.bench.load({
        apiVersion: "v1",
        kind: "Node",
        metadata: b,
        status: { capacity: { cpu: "8", pods: "110" } },
      });
      stage.addPod("web-3", "b", { metadata: web });
      const evicted = () => stage.number('pods_eviction_requests_total{code="200"}') > 0;
      assert.equal(await stage.clock.advanceUntil(evicted, 3_000), true);
    });

    test("of two nodes with one budget never takes more than the budget allows", async () => {
      await stage.startWith("a", "b", "c");
      stage.bench.load({
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "web", namespace: "default" },
        spec: {
          replicas: 9,
          selector: { matchLabels: web.labels },
          template: { metadata: web, spec: { containers: [{ name: "main", image: "main" }] } },
        },
      });
      stage.addBudget("web", web.labels, { maxUnavailable: 1 });
      await stage.clock.advance(10_000);
      const ready = () =>
        [...stage.cluster.pods.values()].filter((pod) => pod.readyAt !== undefined && !pod.isDeleting);
      assert.equal(ready().length, 9);
      let fewest = 9;
      stage.cluster.pods.onChange(() => {
        fewest = Math.min(fewest, ready().length);
      });
      await stage.deleteNode("a");
      await stage.deleteNode("b");
      const isDone = () => stage.left.nodes.length === 1 && stage.left.claims.length === 1;
      assert.equal(await stage.clock.advanceUntil(isDone, 1_200_000), true);
      assert.equal(fewest, 8);
      assert.deepEqual(stage.left, { claims: ["c"], nodes: ["c"], machines: ["c"] });
    });

    test("names several budgets, which the API cannot serve", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a", { metadata: web });
      stage.addBudget("one", web.labels, { minAvailable: 0 });
      stage.addBudget("two", web.labels, { minAvailable: 0 });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(30_000);
      assert.ok(stage.number('pods_eviction_requests_total{code="500"}') > 2);
      assert.ok(
        stage.messagesOf("FailedDraining").some((message) => message.includes("has several budgets: one, two")),
      );
      await stage.delete("/apis/policy/v1/namespaces/default/poddisruptionbudgets/two");
      await stage.secondsUntilGone();
    });

    test("repeats the words of a webhook that refuses, and goes on asking", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a");
      await stage.clock.advance(2_000);
      for (const code of [400, 403, 422, 500]) {
        stage.refuse = ({ path }) =>
          path.endsWith("/eviction")
            ? {
                status: code,
                body: { message: `admission webhook "no.example" denied the request: not on a ${code}day` },
              }
            : undefined;
        await stage.deleteNode("a");
        await stage.clock.advance(30_000);
      }
      const said = stage.messagesOf("FailedDraining").join("\n");
      for (const code of [400, 403, 422, 500])
        assert.match(said, new RegExp(`denied the request: not on a ${code}day`));
      assert.equal(stage.hasPod("web"), true);
      stage.refuse = () => undefined;
      assert.ok((await stage.secondsUntilGone()) < 45);
    });

    test("gives up on a pod that hangs a minute after its time", async () => {
      await stage.startWith("a");
      stage.bench.embedded.kubelets.holdPods(({ metadata }) => metadata?.name === "hangs");
      stage.addPod("hangs", "a", { terminationGracePeriodSeconds: 20 });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      const seconds = await stage.secondsUntilGone();
      assert.ok(seconds >= 79 && seconds < 83, `${seconds} s`);
    });

    test("spares a pod of the same name that came later", async () => {
      await stage.startWith("a", "b");
      stage.addPod("web", "a", { metadata: web });
      stage.addBudget("web", web.labels, { maxUnavailable: 0 });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(20_000);
      await stage.delete("/api/v1/namespaces/default/pods/web?gracePeriodSeconds=0");
      stage.addPod("web", "b");
      await stage.delete("/apis/policy/v1/namespaces/default/poddisruptionbudgets/web");
      await stage.clock.advance(60_000);
      assert.deepEqual(stage.left.nodes, ["b"]);
      assert.equal(stage.hasPod("web"), true);
    });

    test("waits for the volumes of pods that leave, not for those of pods that stay", async () => {
      await stage.startWith("a");
      for (const name of ["leaving", "staying"]) {
        stage.bench.load(
          {
            apiVersion: "v1",
            kind: "PersistentVolume",
            metadata: { name: `pv-${name}` },
            spec: {
              capacity: { storage: "1Gi" },
              accessModes: ["ReadWriteOnce"],
              claimRef: { namespace: "default", name },
              csi: { driver: "csi.example", volumeHandle: name },
            },
          },
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name, namespace: "default" },
            spec: {
              volumeName: `pv-${name}`,
              storageClassName: "",
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1Gi" } },
            },
          },
          {
            apiVersion: "storage.k8s.io/v1",
            kind: "VolumeAttachment",
            metadata: { name: `va-${name}`, finalizers: ["example.com/keep"] },
            spec: { attacher: "csi.example", nodeName: "a", source: { persistentVolumeName: `pv-${name}` } },
            status: { attached: true },
          },
        );
      }
      stage.addPod("staying", "a", {
        tolerations: [{ operator: "Exists" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "staying" } }],
      });
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(60_000);
      assert.equal(stage.condition("a", "VolumesDetached"), "Unknown AwaitingVolumeDetachment");
      assert.deepEqual(stage.messagesOf("AwaitingVolumeDetachment"), [
        "Waiting for volume attachments to go: va-leaving",
      ]);
      const path = "/apis/storage.k8s.io/v1/volumeattachments/va-leaving";
      await stage.bench.transport.send({
        method: "PATCH",
        path,
        contentType: "application/merge-patch+json",
        body: { metadata: { finalizers: [] } },
      });
      await stage.delete(path);
      assert.ok((await stage.secondsUntilGone()) < 1);
    });
  });

  describe("a grace period", () => {
    const spec = { terminationGracePeriod: "300s" };

    async function startLimited(): Promise<void> {
      stage.addNode("a", { spec });
      await stage.start();
      await stage.clock.advance(2_000);
    }

    test("ends the wait for pods that nothing else moves, with their own grace", async () => {
      await startLimited();
      const grace = { terminationGracePeriodSeconds: 60 };
      stage.addPod("held", "a", { metadata: held, ...grace });
      stage.addPod("web", "a", { metadata: web, ...grace });
      stage.addBudget("web", web.labels, { maxUnavailable: 0 });
      await stage.clock.advance(2_000);
      await stage.deleteClaim("a");
      const started = stage.clock.now();
      const deletion = () => [...stage.cluster.pods.values()].every((pod) => pod.isDeleting);
      assert.equal(await stage.clock.advanceUntil(deletion, 600_000), true);
      const seconds = (stage.clock.now() - started) / 1000;
      assert.ok(seconds > 238 && seconds < 241, `${seconds} s`);
      assert.match(stage.messagesOf("Disrupted")[0] ?? "", /it has (59|60) s of its 60 s to end/);
      assert.deepEqual(stage.reasonsFor("a").toSorted(), ["FailedDraining", "TerminationGracePeriodExpiring"]);
      await stage.secondsUntilGone(120_000);
    });

    test("shortens a deletion that would end too late", async () => {
      await startLimited();
      stage.bench.embedded.kubelets.holdPods(({ metadata }) => metadata?.name === "slow");
      stage.addPod("slow", "a", { terminationGracePeriodSeconds: 3_600 });
      await stage.clock.advance(2_000);
      await stage.delete("/api/v1/namespaces/default/pods/slow");
      await stage.clock.advance(1_000);
      await stage.deleteClaim("a");
      await stage.clock.advance(1_000);
      const { deletesAt = 0 } = stage.cluster.pods.get("default/slow") ?? {};
      assert.ok(deletesAt <= stage.clock.now() + 300_000, new Date(deletesAt).toISOString());
      assert.equal(stage.requestsTo(/DELETE .*pods\/slow/), 1);
    });

    test("ends the wait for volumes", async () => {
      await startLimited();
      stage.bench.load(
        {
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name: "pv" },
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            csi: { driver: "x", volumeHandle: "x" },
          },
        },
        {
          apiVersion: "storage.k8s.io/v1",
          kind: "VolumeAttachment",
          metadata: { name: "va", finalizers: ["example.com/keep"] },
          spec: { attacher: "x", nodeName: "a", source: { persistentVolumeName: "pv" } },
          status: { attached: true },
        },
      );
      stage.park.endMilliseconds = 2_000;
      await stage.deleteClaim("a");
      await stage.clock.advance(300_500);
      assert.equal(stage.condition("a", "VolumesDetached"), "False TerminationGracePeriodElapsed");
      await stage.secondsUntilGone(10_000);
    });

    test("that somebody has set to an earlier time is kept", async () => {
      await startLimited();
      const time = new Date(stage.clock.now() + 5_000).toISOString().replace(/\.\d+Z/, "Z");
      await stage.bench.transport.send({
        method: "PATCH",
        path: "/apis/karpenter.sh/v1/nodeclaims/a",
        contentType: "application/merge-patch+json",
        body: { metadata: { annotations: { "karpenter.sh/nodeclaim-termination-timestamp": time } } },
      });
      stage.addPod("held", "a", { metadata: held });
      await stage.deleteClaim("a");
      await stage.secondsUntilGone(45_000);
    });
  });
});
