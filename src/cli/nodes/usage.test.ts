import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { VirtualClock } from "../../embedded/time/virtual-clock.ts";
import type { KubeResponse, KubeTransport } from "../../ports/kube-transport.ts";
import { readUsage } from "./usage.ts";

/** Serves metrics.k8s.io at the path and in the form of metrics-server, which a real one aggregates. */
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "nodes.metrics.k8s.io",
    annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
  },
  spec: {
    group: "metrics.k8s.io",
    scope: "Cluster",
    names: { plural: "nodes", singular: "nodemetric", kind: "NodeMetrics", listKind: "NodeMetricsList" },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const measured = (name: string, usage: object): object => ({
  apiVersion: "metrics.k8s.io/v1beta1",
  kind: "NodeMetrics",
  metadata: { name },
  timestamp: "2026-01-01T00:00:00Z",
  window: "20.058s",
  usage,
});

const answering = (answer: KubeResponse | Error): KubeTransport => ({
  send: async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  },
  watch: () => Promise.reject(new Error("nothing is watched")),
});

describe("what nodes use", () => {
  let cluster: EmbeddedCluster;
  before(() => {
    cluster = new EmbeddedCluster({ clock: new VirtualClock(0), seed: 1 });
  });
  after(() => cluster.stop());

  it("is unknown without a word where the cluster does not have the metrics API", async () => {
    assert.deepEqual(await readUsage(cluster.transport), { usage: undefined, notes: [] });
  });

  it("is what the metrics API says, node by node; what cannot be read is left out", async () => {
    const objects = [
      definition,
      measured("one", { cpu: "156337091n", memory: "1216Ki" }),
      measured("two", { cpu: "2", memory: "3Gi" }),
      measured("three", { cpu: "many" }),
    ];
    const { problems } = loadManifests(cluster, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    assert.deepEqual(problems, []);
    const { usage, notes } = await readUsage(cluster.transport);
    assert.deepEqual(
      [...(usage ?? [])].map(([name, used]) => [name, used.get("cpu"), used.get("memory")]),
      [
        ["one", 157, 1216 * 1024],
        ["two", 2000, 3 * 2 ** 30],
      ],
    );
    assert.deepEqual(notes, []);
  });

  it("is unknown for a reason that is told, where the API says no, fails, or talks of something else", async () => {
    const unavailable = { kind: "Status", message: "the server is currently unable to handle the request" };
    const answers = [
      { status: 403, body: { kind: "Status", message: 'nodes.metrics.k8s.io is forbidden: User "me" cannot list' } },
      { status: 503, body: unavailable },
      { status: 502, body: "<html>" },
      { status: 200, body: null },
      new Error("No whole answer to GET /apis/metrics.k8s.io/v1beta1/nodes: other side closed"),
    ];
    const told = await Promise.all(answers.map((answer) => readUsage(answering(answer))));
    assert.deepEqual(
      told.flatMap(({ usage, notes }) => [usage, ...notes]),
      [
        "you may not list nodes of metrics.k8s.io",
        "metrics.k8s.io answers with 503: the server is currently unable to handle the request",
        "metrics.k8s.io answers with 502",
        "metrics.k8s.io answers with something else than a list",
        "metrics.k8s.io gives no answer: other side closed",
      ].flatMap((reason) => [undefined, `what is used is not shown: ${reason}`]),
    );
  });
});
