import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { VirtualClock } from "../../embedded/time/virtual-clock.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import { readControllerSettings } from "./running-controller.ts";

const labels = { "app.kubernetes.io/name": "karpenter" };
const deploymentOf = (container: object): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "karpenter", namespace: "kube-system", labels },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: "sidecar", image: "x" },
          { name: "controller", image: "y", ...container },
        ],
      },
    },
  },
});

const defaults = "preferences Respect, minValues Strict, SpotToSpotConsolidation off, look-ahead Workloads";

describe("settings of the controller in a cluster", () => {
  let cluster: EmbeddedCluster;
  before(() => {
    cluster = new EmbeddedCluster({ clock: new VirtualClock(0), seed: 1 });
  });
  after(() => cluster.stop());

  it("are the defaults where none is to be seen, and that is said", async () => {
    const forbidding: KubeTransport = {
      send: async () => ({ status: 403, body: { kind: "Status", message: "forbidden" } }),
      watch: () => Promise.reject(new Error("nothing is watched")),
    };
    const answers = await Promise.all([cluster.transport, forbidding].map(readControllerSettings));
    assert.deepEqual(
      answers.map(({ source }) => source),
      [
        [`defaults: no Deployment has the label app.kubernetes.io/name=karpenter: ${defaults}`],
        [`defaults: you may not list deployments, which would tell those of the controller: ${defaults}`],
      ],
    );
  });

  it("are what its Deployment says, by variables and arguments; what cannot be read there is named", async () => {
    const container = {
      args: ["controller", "--min-values-policy=BestEffort"],
      env: [
        { name: "PREFERENCE_POLICY", value: "Ignore" },
        { name: "LOOK_AHEAD", value: "Off" },
        { name: "METRICS_PORT", value: "9090" },
        { name: "FEATURE_GATES", value: "SpotToSpotConsolidation=true,NotOurs=true" },
        { name: "SCHEDULER_CONFIG", valueFrom: { configMapKeyRef: { name: "x", key: "y" } } },
      ],
      envFrom: [{ configMapRef: { name: "z" } }],
    };
    const { problems } = loadManifests(cluster, JSON.stringify(deploymentOf(container)));
    assert.deepEqual(problems, []);
    assert.deepEqual(await readControllerSettings(cluster.transport), {
      preferencePolicy: "Ignore",
      minValuesPolicy: "BestEffort",
      defaultSpread: [],
      lookAhead: "Off",
      lookAheadMaxPods: 5_000,
      metricsPort: 9090,
      machines: { vmMemoryOverheadPercent: 0.075, reservedEnis: 0, isNodeClassCelEnabled: false },
      isSpotToSpotEnabled: false,
      source: [
        "those of Deployment kube-system/karpenter: preferences Ignore, minValues BestEffort, SpotToSpotConsolidation off, look-ahead Off",
        "the defaults were taken for SCHEDULER_CONFIG, FEATURE_GATES, which cannot be read there",
        "variables that come from a ConfigMap or Secret (envFrom) were not seen",
      ],
    });
  });

  it("are without look-ahead where it is the Go version", async () => {
    const image = "public.ecr.aws/karpenter/controller:1.14.1";
    const send = async () => ({ status: 200, body: { items: [deploymentOf({ image })] } });
    const { lookAhead } = await readControllerSettings({ ...cluster.transport, send });
    assert.equal(lookAhead, "Off");
  });
});
