import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type BodyAnswer, jsonAnswer, textAnswer } from "../../embedded/api/api-request.ts";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { type RunningServer, startHttpServer } from "../../embedded/server/http-server.ts";
import { kubeconfigFor } from "../../embedded/server/kubeconfig.ts";
import { systemClock } from "../../embedded/time/system-clock.ts";

const main = join(import.meta.dirname, "..", "main.ts");
const labels = { "app.kubernetes.io/name": "karpenter" };
const container = { name: "controller", image: "x", env: [{ name: "METRICS_PORT", value: "9090" }] };
const objects: readonly object[] = [
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "one",
      labels: {
        "karpenter.sh/capacity-type": "spot",
        "node.kubernetes.io/instance-type": "m5.large",
        "topology.kubernetes.io/zone": "eu-west-1a",
      },
    },
    spec: { providerID: "aws:///eu-west-1a/i-1" },
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "50" } },
  },
  {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "karpenter" },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "karpenter", namespace: "karpenter", labels },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "karpenter-1", namespace: "karpenter", labels },
    spec: { nodeName: "one", containers: [{ name: "controller", image: "x" }] },
  },
];
const price = "karpenter_cloudprovider_instance_type_offering_price_estimate";
const metricsPath = "/api/v1/namespaces/karpenter/pods/karpenter-1:9090/proxy/metrics";
const usagePath = "/apis/metrics.k8s.io/v1beta1/nodes";
const prices = textAnswer(200, `${price}{capacity_type="spot",instance_type="m5.large",zone="eu-west-1a"} 0.0401\n`);
const usage = jsonAnswer(200, {
  kind: "NodeMetricsList",
  apiVersion: "metrics.k8s.io/v1beta1",
  metadata: {},
  items: [{ metadata: { name: "one" }, timestamp: "", window: "20s", usage: { cpu: "999999999n", memory: "4Gi" } }],
});
const refusal = (status: number, message: string): BodyAnswer =>
  jsonAnswer(status, { kind: "Status", apiVersion: "v1", status: "Failure", message, code: status });

/** An API server hands some requests on: to pods, and to servers of other groups. */
describe("answers that an API server gets from others", () => {
  let folder = "";
  let cluster: EmbeddedCluster;
  let server: RunningServer;
  let answers: Readonly<Record<string, BodyAnswer>> = {};

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "karpenter-ask-"));
    cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["kubelet"] });
    const { problems } = loadManifests(cluster, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    assert.deepEqual(problems, []);
    server = await startHttpServer({
      port: 0,
      serve: async (request) => {
        const answer = answers[request.target];
        return answer === undefined ? cluster.serve(request) : { answer };
      },
    });
    writeFileSync(join(folder, "kubeconfig"), kubeconfigFor(server), { mode: 0o600 });
  });
  after(async () => {
    await server.close();
    cluster.stop();
    rmSync(folder, { recursive: true });
  });

  async function lookAtNodes() {
    // Nobody is logged in to AWS, and no machine hands out credentials.
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      KUBECONFIG: join(folder, "kubeconfig"),
      AWS_EC2_METADATA_DISABLED: "true",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    };
    const text = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [main, "nodes", "-o", "json"], { env }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error })),
      );
    });
    const { nodes, notes } = JSON.parse(text);
    const [{ pricePerHour, used }] = nodes;
    const told = notes.filter((note: string) => !note.startsWith("this cluster does not know"));
    return { pricePerHour, used, told };
  }

  it("tell what machines cost and what they use", async () => {
    answers = { [metricsPath]: prices, [usagePath]: usage };
    assert.deepEqual(await lookAtNodes(), { pricePerHour: 0.0401, used: { cpu: "1", memory: "4Gi" }, told: [] });
  });

  it("are told of where they say no", async () => {
    answers = {
      [metricsPath]: refusal(403, 'pods "karpenter-1" is forbidden: User "me" cannot get resource "pods/proxy"'),
      [usagePath]: refusal(403, 'nodes.metrics.k8s.io is forbidden: User "me" cannot list resource "nodes"'),
    };
    assert.deepEqual(await lookAtNodes(), {
      pricePerHour: null,
      used: null,
      told: [
        "no price for 1 of the nodes: you may not get pods/proxy in karpenter, to ask the controller; there are no AWS credentials here: log in, or set AWS_PROFILE",
        "what is used is not shown: you may not list nodes of metrics.k8s.io",
      ],
    });
  });

  it("are told of where those others are away", async () => {
    answers = {
      [metricsPath]: refusal(503, "error trying to reach service: connection refused"),
      [usagePath]: textAnswer(503, "service unavailable\n"),
    };
    assert.deepEqual(await lookAtNodes(), {
      pricePerHour: null,
      used: null,
      told: [
        "no price for 1 of the nodes: the controller's /metrics answers with 503; there are no AWS credentials here: log in, or set AWS_PROFILE",
        "what is used is not shown: metrics.k8s.io answers with 503",
      ],
    });
  });
});
