import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AwsApi } from "../../src/adapters/aws/api/aws-api.ts";
import { openAwsMarket } from "../../src/adapters/aws/aws-market.ts";
import type { AwsSettings } from "../../src/adapters/aws/aws-settings.ts";
import { AwsTerm } from "../../src/adapters/aws/aws-term.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { KubeClient } from "../../src/runtime/kube-client.ts";
import { instanceTypeInfo } from "../support/instance-type-info.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";

const settings: AwsSettings = {
  clusterName: "one",
  clusterEndpoint: "https://example.com",
  clusterCaBundle: "",
  isolatedVpc: false,
  eksControlPlane: false,
  vmMemoryOverheadPercent: 0.075,
  interruptionQueue: "warnings",
  reservedEnis: 0,
  disableDryRun: false,
  enableZonalShift: false,
  amiRefreshMilliseconds: 60_000,
  subnetRefreshMilliseconds: 60_000,
  isReservedCapacityEnabled: true,
  isNodeClassCelEnabled: false,
};

describe("a term of the AWS provider", () => {
  it("begins everything that acts once what is sold is known, and ends it again", async () => {
    const stage = new Stage();
    await stage.term.resume();
    await stage.clock.advance(1_000);
    assert.ok(stage.calls.includes("receiveMessages"));
    assert.ok(stage.calls.includes("describeInstanceStatus"));
    await stage.term.stop();
    const before = stage.calls.length;
    await stage.clock.advance(600_000);
    assert.deepEqual(stage.calls.slice(before), []);
    stage.stop();
  });

  it("begins nothing when it is ended while it still finds out what is sold", async () => {
    const stage = new Stage();
    let tellTypes = (): void => {};
    stage.typesAreTold = new Promise<void>((resolve) => {
      tellTypes = resolve;
    });
    const resumed = stage.term.resume();
    await stage.clock.advance(1_000);
    await stage.term.stop();
    tellTypes();
    await resumed;
    await stage.clock.advance(600_000);
    assert.deepEqual(
      stage.calls.filter((call) => call === "receiveMessages" || call === "describeInstanceStatus"),
      [],
    );
    stage.stop();
  });
});

/** AWS sells one type, and tells nothing else; all calls are noted. */
class Stage {
  readonly clock = new VirtualClock(0);
  readonly calls: string[] = [];
  readonly embedded = new EmbeddedCluster({
    clock: this.clock,
    seed: 1,
    onError: (error) => assert.fail(String(error)),
  });
  readonly term: AwsTerm;
  typesAreTold: Promise<void> = Promise.resolve();

  constructor() {
    const { clock } = this;
    const { transport } = this.embedded;
    const telemetry = new RecordingTelemetry();
    this.term = new AwsTerm({
      settings,
      clock,
      random: () => 0.5,
      caBundle: "",
      market: openAwsMarket({ api: this.#api(), settings, clock, telemetry, shifts: undefined }),
      kube: new KubeClient({ transport }),
      transport,
      cluster: new ClusterState(),
      telemetry,
    });
  }

  stop(): void {
    this.embedded.stop();
  }

  #api(): AwsApi {
    const note = (name: string): void => void this.calls.push(name);
    const nothing = (name: string) => async () => {
      note(name);
      return [];
    };
    const noPages = (name: string) =>
      async function* () {
        note(name);
        yield [];
      };
    const stage = this;
    const ec2 = {
      async *describeInstanceTypes() {
        await stage.typesAreTold;
        yield [instanceTypeInfo("m5.large")];
      },
      describeInstanceTypeOfferings: noPages("describeInstanceTypeOfferings"),
      describeSpotPriceHistory: noPages("describeSpotPriceHistory"),
      describeLaunchTemplates: nothing("describeLaunchTemplates"),
      describeInstances: nothing("describeInstances"),
      describeInstanceStatus: nothing("describeInstanceStatus"),
    };
    const sqs = {
      getQueueUrl: async () => "queue",
      receiveMessages: (_: unknown, signal: AbortSignal) => {
        note("receiveMessages");
        return new Promise<[]>((resolve) => {
          signal.addEventListener("abort", () => resolve([]));
        });
      },
      deleteMessage: async () => {},
    };
    const api = {
      region: "us-west-2",
      ec2,
      sqs,
      iam: { listInstanceProfiles: nothing("listInstanceProfiles") },
      ssm: {},
      pricing: { getProducts: noPages("getProducts") },
      eks: {},
      zonalShift: {},
      close: () => {},
    };
    return api as unknown as AwsApi;
  }
}
