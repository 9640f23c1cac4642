import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Cluster } from "@aws-sdk/client-eks";
import { RecordingTelemetry } from "../../../test/support/recording-telemetry.ts";
import type { KubeAnswer } from "../../runtime/kube-client.ts";
import { ClusterFactsSource } from "./cluster-facts.ts";

const refusal = (code: number): KubeAnswer => ({
  ok: false,
  refusal: { code, reason: "", message: "no", retryAfterSeconds: undefined, isNamespaceTerminating: false },
});

describe("facts of the cluster", () => {
  const settings = { clusterName: "prod", clusterEndpoint: "https://api", clusterCaBundle: "", eksControlPlane: false };
  let telemetry: RecordingTelemetry;
  let cluster: Cluster | undefined;
  let asked: number;
  let dns: KubeAnswer;
  let version: { major: string; minor: string };
  let tick: () => void;
  beforeEach(() => {
    telemetry = new RecordingTelemetry();
    cluster = {
      endpoint: "https://eks",
      version: "1.34",
      kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16", serviceIpv6Cidr: "fd00::/108" },
    };
    asked = 0;
    dns = { ok: true, object: { metadata: { name: "kube-dns" }, spec: { clusterIP: "10.100.0.10" } } } as KubeAnswer;
    version = { major: "1", minor: "36+" };
  });

  const open = (changes: Partial<typeof settings> = {}) =>
    new ClusterFactsSource({
      api: {
        eks: {
          describeCluster: async () => {
            asked++;
            return cluster;
          },
        },
      },
      kube: { get: async () => dns },
      transport: { send: async () => ({ status: 200, body: version }) },
      settings: { ...settings, ...changes },
      clientCaBundle: "Y2E=",
      clock: {
        now: () => 0,
        after: (_, callback) => {
          tick = callback;
          return { cancel: () => {} };
        },
      },
      telemetry,
    });

  it("come from the settings and the API server, without EKS", async () => {
    const source = open();
    await source.discover();
    assert.deepEqual(source.facts, {
      endpoint: "https://api",
      caBundle: "Y2E=",
      dnsAddress: "10.100.0.10",
      version: "1.36",
      serviceCidr: undefined,
    });
    assert.equal(asked, 0);
  });

  it("come from EKS where the settings say nothing", async () => {
    const source = open({ clusterEndpoint: "", clusterCaBundle: "b3Ro", eksControlPlane: true });
    await source.discover();
    assert.deepEqual(
      [source.facts.endpoint, source.facts.caBundle, source.facts.version],
      ["https://eks", "b3Ro", "1.34"],
    );
  });

  it("say how to go on when nobody knows the endpoint", async () => {
    cluster = undefined;
    await assert.rejects(open({ clusterEndpoint: "" }).discover(), /"prod".*set CLUSTER_ENDPOINT.*CLUSTER_NAME/);
  });

  it("do without a DNS service, and complain when it cannot be read", async () => {
    const source = open();
    dns = refusal(404);
    await source.discover();
    assert.deepEqual([source.facts.dnsAddress, telemetry.lines.length], [undefined, 0]);
    dns = refusal(403);
    await source.discover();
    assert.deepEqual([source.facts.dnsAddress, telemetry.lines.length], [undefined, 1]);
  });

  it("look again for a DNS service that was not there", async () => {
    const found = dns;
    dns = refusal(404);
    const source = open();
    await source.discover();
    dns = found;
    source.start();
    tick();
    await new Promise((resolve) => setImmediate(resolve));
    await source.stop();
    assert.equal(source.facts.dnsAddress, "10.100.0.10");
  });

  it("tell the addresses of services once somebody needs them, IPv4 if there are any", async () => {
    const source = open();
    await source.discover();
    await source.resolveServiceCidr();
    await source.resolveServiceCidr();
    assert.deepEqual([source.facts.serviceCidr, asked], ["10.100.0.0/16", 1]);
    cluster = { kubernetesNetworkConfig: { serviceIpv6Cidr: "fd00::/108" } };
    const other = open();
    await other.discover();
    await other.resolveServiceCidr();
    assert.equal(other.facts.serviceCidr, "fd00::/108");
  });

  it("follow the version, and complain once of one that is not supported", async () => {
    const source = open();
    await source.discover();
    source.start();
    version = { major: "1", minor: "37" };
    for (let time = 0; time < 2; time++) {
      tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(source.facts.version, "1.37");
    assert.deepEqual(
      telemetry.lines.map(({ message }) => message),
      ["found another version of Kubernetes", "Kubernetes 1.37 is not supported: it has to be 1.26 to 1.36"],
    );
    await source.stop();
  });
});
