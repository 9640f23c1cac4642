import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { plainStyle } from "../../../test/support/plain-style.ts";
import { customResourceDefinitions } from "../../core/api/definitions/custom-resource-definitions.ts";
import { jsonAnswer } from "../../embedded/api/api-request.ts";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { startHttpServer } from "../../embedded/server/http-server.ts";
import { kubeconfigFor } from "../../embedded/server/kubeconfig.ts";
import { systemClock } from "../../embedded/time/system-clock.ts";
import { printSections } from "../ask/sections.ts";
import { answerAboutNode } from "./explain-command.ts";

const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const amounts = { cpu: "4", memory: "8Gi", pods: "50" };
const labels = {
  "karpenter.sh/nodepool": "default",
  "karpenter.sh/capacity-type": "spot",
  "karpenter.sh/registered": "true",
  "karpenter.sh/initialized": "true",
  "node.kubernetes.io/instance-type": "c-4x-amd64-linux",
  "topology.kubernetes.io/zone": "test-zone-a",
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/os": "linux",
};
const conditions = ["Launched", "Registered", "Initialized", "Consolidatable", "Ready"].map((type) => ({
  type,
  status: "True",
  reason: type,
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
}));

/** An empty node, and its claim `default-<name>`. */
function machine(name: string): readonly object[] {
  const providerID = `kwok://${name}`;
  return [
    {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name: `default-${name}`, labels },
      spec: { nodeClassRef, requirements: [] },
      status: { providerID, nodeName: name, capacity: amounts, allocatable: amounts, conditions },
    },
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { ...labels, "kubernetes.io/hostname": name } },
      spec: { providerID },
      status: { capacity: amounts, allocatable: amounts, conditions: [{ type: "Ready", status: "True" }] },
    },
  ];
}

function deployment(name: string, replicas: number, more: { annotations?: object; container?: object } = {}): object {
  const { annotations = {}, container = {} } = more;
  const own = { "app.kubernetes.io/name": name };
  const containers = [{ name, image: name, resources: { requests: { cpu: "1" } }, ...container }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", labels: own, annotations },
    spec: { replicas, selector: { matchLabels: own }, template: { metadata: { labels: own }, spec: { containers } } },
  };
}

const pool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "default" },
  spec: {
    disruption: { consolidateAfter: "0s", budgets: [{ nodes: "100%" }] },
    template: { spec: { nodeClassRef, requirements: [] } },
  },
};
const nodeClass = { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } };
const basics = [...customResourceDefinitions, nodeClass, pool];
const hour = 3_600_000;

interface Circumstances {
  /** How long ago all of it was created. Nothing is too long ago when the server's clock is ahead. */
  readonly age?: number;
  /** Plural names of what the user may not list. */
  readonly forbidden?: readonly string[];
}

describe("pods that workloads still have to create", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "karpenter-due-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What is said of each of these nodes or claims by a cluster that has created one pod of each Deployment so far. */
  async function explain(names: readonly string[], objects: readonly object[], more: Circumstances = {}) {
    const { age = -hour, forbidden = [] } = more;
    const clock = { ...systemClock, now: () => systemClock.now() - age };
    const without = ["kubelet", "scheduler"] as const;
    const cluster = new EmbeddedCluster({ clock, seed: 1, without, podsPerSecond: 0.000_1 });
    const text = [...basics, ...objects].map((object) => JSON.stringify(object)).join("\n---\n");
    assert.deepEqual(loadManifests(cluster, text).problems, []);
    const server = await startHttpServer({
      port: 0,
      serve: async (request) => {
        const plural = request.target.split("?")[0]?.split("/").at(-1) ?? "";
        const refusal = { kind: "Status", apiVersion: "v1", status: "Failure", message: "forbidden", code: 403 };
        return forbidden.includes(plural) ? { answer: jsonAnswer(403, refusal) } : cluster.serve(request);
      },
    });
    try {
      await settle(cluster);
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, kubeconfigFor(server), { mode: 0o600 });
      const answers = await Promise.all(names.map((name) => answerAboutNode(name, { kubeconfig })));
      return answers.map((sections) => printSections(sections, Number.POSITIVE_INFINITY, plainStyle));
    } finally {
      await server.close();
      cluster.stop();
    }
  }

  /** Until nodes have lost the taint that they are created with, and the first pod is there. */
  async function settle({ transport }: EmbeddedCluster): Promise<void> {
    for (;;) {
      const [nodes, pods] = await Promise.all(
        ["nodes", "pods"].map(async (plural) => {
          const { body } = await transport.send({ method: "GET", path: `/api/v1/${plural}` });
          return (body as { readonly items: readonly { readonly spec: { readonly taints?: unknown } }[] }).items;
        }),
      );
      if (pods?.length === 1 && nodes?.every(({ spec }) => spec.taints === undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  const free = /^ {2}yes: it is empty$/m;

  it("hold a node that they are due on, by either of its names", async () => {
    for (const text of await explain(["one", "default-one"], [...machine("one"), deployment("web", 3)])) {
      assert.match(text, /^MAY IT GO\?\n {2}no: pods are on their way to it \(see below\)$/m);
      assert.match(text, /^PODS ON THEIR WAY \(3\)$/m);
      assert.match(text, /^ {2}1 pod of Deployment default\/web is due here$/m);
      assert.match(text, /^ {2}2 pods that Deployment default\/web still has to create are due here$/m);
    }
  });

  it("leave it open whether another node goes that they fit on, too", async () => {
    const texts = await explain(["one", "two"], [...machine("one"), ...machine("two"), deployment("web", 3)]);
    const [held] = texts.filter((text) => text.includes("no: pods are on their way"));
    const [other = ""] = texts.filter((text) => text !== held);
    assert.match(other, /^ {2}perhaps, unless the controller keeps it for pods .*: it is empty$/m);
    assert.match(other, /^ {2}2 pods that Deployment default\/web still has to create fit here and may be due$/m);
  });

  it("hold none that they do not fit on", async () => {
    const large = deployment("web", 3, { container: { resources: { requests: { cpu: "5" } } } });
    assert.match((await explain(["one"], [...machine("one"), large]))[0] ?? "", free);
  });

  it("are not looked for where look-ahead is off, of a workload or of the controller", async () => {
    const optedOut = deployment("web", 3, { annotations: { "karpenter.sh/look-ahead": "false" } });
    const controller = deployment("karpenter", 0, { container: { env: [{ name: "LOOK_AHEAD", value: "Off" }] } });
    for (const objects of [[optedOut], [controller, deployment("web", 3)]]) {
      const [text = ""] = await explain(["one"], [...machine("one"), ...objects]);
      assert.match(text, free);
      assert.doesNotMatch(text, /ON THEIR WAY/);
    }
  });

  it("are not expected of a workload that has created none for long", async () => {
    const [text = ""] = await explain(["one"], [...machine("one"), deployment("web", 3)], { age: hour });
    assert.match(text, /^PODS ON THEIR WAY \(1\)\n {2}1 pod of Deployment default\/web is due here$/m);
  });

  it("are not known where workloads may not be listed, and that is said", async () => {
    const forbidden = ["deployments", "replicasets"];
    const [text = ""] = await explain(["one"], [...machine("one"), deployment("web", 3)], { forbidden });
    assert.match(text, free);
    assert.match(text, /^ {2}you may not list replicasets, deployments, so they are left out$/m);
  });
});
