import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AwsApi } from "../../adapters/aws/api/aws-api.ts";
import { loadInstanceTypes } from "../../adapters/kwok/load-instance-types.ts";
import { readNode } from "../../core/api/read-node.ts";
import { ClusterState } from "../../core/cluster/cluster-state.ts";
import { VirtualClock } from "../../embedded/time/virtual-clock.ts";
import type { OffersOrWhy } from "./controller-prices.ts";
import { Prices, type PricesOptions } from "./prices.ts";

const labelsOf = (capacityType: string, zone: string, more: Record<string, string> = {}) => ({
  "node.kubernetes.io/instance-type": "m5.large",
  "karpenter.sh/capacity-type": capacityType,
  "topology.kubernetes.io/zone": zone,
  ...more,
});

function clusterOf(...nodes: readonly Record<string, string>[]): ClusterState {
  const cluster = new ClusterState();
  for (const [i, labels] of nodes.entries()) {
    const read = readNode({
      metadata: { name: `n${i}`, uid: `n${i}`, labels },
      spec: { providerID: `aws:///a/i-${i}` },
    });
    if (read.problems !== undefined) throw new Error(JSON.stringify(read.problems));
    cluster.nodes.put(`n${i}`, read.value);
  }
  return cluster;
}

/** Tells these prices, of machines and of whole ones; or says no, as AWS does. */
function awsOf({ spot, onDemand, refusal }: { spot?: string; onDemand?: string; refusal?: Error }): AwsApi {
  const productOf = (instanceType: string): string =>
    JSON.stringify({
      product: { attributes: { instanceType } },
      terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD: onDemand } } } } } },
    });
  const api: Partial<AwsApi> = {
    region: "eu-west-1",
    pricing: {
      async *getProducts() {
        if (refusal !== undefined) throw refusal;
        yield [productOf("m5.large")];
      },
    },
    ec2: {
      async *describeSpotPriceHistory() {
        if (refusal !== undefined) throw refusal;
        yield [{ InstanceType: "m5.large", AvailabilityZone: "eu-west-1a", SpotPrice: spot, Timestamp: new Date(0) }];
      },
    } as unknown as AwsApi["ec2"],
    close: () => {},
  };
  return api as AwsApi;
}

const nobody: OffersOrWhy = { why: "no controller runs here" };

function open(cluster: ClusterState, options: Partial<PricesOptions> = {}): Prices {
  return new Prices({
    catalogue: [],
    cluster,
    clock: new VirtualClock(0),
    askController: async () => nobody,
    openAws: () => Promise.reject(new Error("AWS must not be asked")),
    ...options,
  });
}

const find = (prices: Prices, labels: Record<string, string>, providerId = "aws:///eu-west-1a/i-1") =>
  prices.find(new Map(Object.entries(labels)), providerId);

describe("the price of a node", () => {
  it("is what the node says, before everything else, and nobody is asked", async () => {
    const told = labelsOf("spot", "us-east-1a", { "eks-node-viewer/instance-price": "0.031" });
    const prices = open(clusterOf(told), { askController: () => Promise.reject(new Error("asked")) });
    await prices.renew();
    assert.equal(find(prices, told), 0.031);
    assert.deepEqual(prices.notes, []);
  });

  it("is what the catalogue asks", () => {
    const prices = open(new ClusterState(), { catalogue: loadInstanceTypes({ builtIn: "aws" }) });
    assert.equal(find(prices, labelsOf("on-demand", "us-west-2a"), ""), 0.102);
  });

  it("is what the controller reckons with, spot and on demand, in any region", async () => {
    const nodes = [labelsOf("spot", "eu-west-1a"), labelsOf("on-demand", "eu-west-1b")];
    const offers = new Map([
      ["m5.large spot eu-west-1a", 0.04],
      ["m5.large on-demand eu-west-1b", 0.107],
    ]);
    const prices = open(clusterOf(...nodes), { askController: async () => ({ offers }) });
    await prices.renew();
    assert.deepEqual(
      nodes.map((labels) => find(prices, labels)),
      [0.04, 0.107],
    );
    assert.deepEqual(prices.notes, []);
  });

  it("is what AWS says where no controller does, also of managed node groups", async () => {
    const group = { ...labelsOf("", "eu-west-1b"), "eks.amazonaws.com/capacityType": "ON_DEMAND" };
    delete (group as Record<string, string>)["karpenter.sh/capacity-type"];
    const spot = labelsOf("spot", "eu-west-1a");
    const regions: string[] = [];
    const prices = open(clusterOf(spot, group), {
      openAws: async (region) => {
        regions.push(region);
        return awsOf({ spot: "0.041", onDemand: "0.107" });
      },
    });
    await prices.renew();
    await prices.renew();
    assert.deepEqual([find(prices, spot), find(prices, group), regions], [0.041, 0.107, ["eu-west-1"]]);
  });

  it("is the built-in list price, on demand, in a region that has one, when nobody answers", async () => {
    const labels = labelsOf("on-demand", "us-east-1a");
    const prices = open(clusterOf(labels), { openAws: async () => awsOf({ refusal: new Error("away") }) });
    await prices.renew();
    assert.equal(find(prices, labels), 0.096);
    assert.deepEqual(prices.notes, []);
  });

  it("is not known otherwise, never guessed, and it is told why", async () => {
    const refusals = [
      Object.assign(new Error("Could not load credentials from any providers"), { name: "CredentialsProviderError" }),
      Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: { httpStatusCode: 403 } }),
      new Error("connect ETIMEDOUT"),
    ];
    const notes = [];
    for (const refusal of refusals) {
      const prices = open(clusterOf(labelsOf("spot", "eu-west-1a")), { openAws: async () => awsOf({ refusal }) });
      await prices.renew();
      notes.push(...prices.notes);
      assert.equal(find(prices, labelsOf("spot", "eu-west-1a")), undefined);
    }
    const whose = "no price for 1 of the nodes: no controller runs here; ";
    assert.deepEqual(notes, [
      `${whose}there are no AWS credentials here: log in, or set AWS_PROFILE`,
      `${whose}AWS does not allow you ec2:DescribeSpotPriceHistory`,
      `${whose}AWS gives no answer: connect ETIMEDOUT`,
    ]);
  });

  it("is not asked for where the answer would mean nothing, or where a label names no region", async () => {
    const strange = [
      labelsOf("on-demand", "cn-north-1a"),
      labelsOf("reserved", "eu-west-1a"),
      labelsOf("", "eu-west-1a"),
      labelsOf("spot", "a", { "topology.kubernetes.io/region": "x.example.com/#" }),
    ];
    const prices = open(clusterOf(...strange), { askController: () => Promise.reject(new Error("asked")) });
    await prices.renew();
    assert.deepEqual(new Set(strange.map((labels) => find(prices, labels))), new Set([undefined]));
    assert.deepEqual(prices.notes, [
      "no price: in China machines are paid for in yuan",
      "no price: reserved machines are paid for with their reservation",
      "no price: some nodes have no label karpenter.sh/capacity-type that tells whether they are spot or on demand",
      "no price: some nodes have no labels that tell their type and region",
    ]);
    assert.equal(find(open(new ClusterState()), labelsOf("on-demand", "us-east-1a"), "gce:///x"), undefined);
  });

  it("is asked for again after ten minutes, and after one where nobody answered", async () => {
    const clock = new VirtualClock(0);
    const cluster = clusterOf(labelsOf("spot", "eu-west-1a"));
    let asked = 0;
    const offers = new Map([["m5.large spot eu-west-1a", 0.04]]);
    const askController = async (): Promise<OffersOrWhy> => (++asked === 1 ? nobody : { offers });
    const openAws = async () => awsOf({ refusal: new Error("away") });
    const prices = open(cluster, { clock, askController, openAws });
    const counts: number[] = [];
    for (const minutes of [0, 0.5, 0.6, 5, 5]) {
      await clock.advance(minutes * 60_000);
      await prices.renew();
      counts.push(asked);
    }
    assert.deepEqual(counts, [1, 1, 2, 2, 3]);
  });

  it("is asked for at once when a machine of another market or region comes, and kept when AWS is away later", async () => {
    const clock = new VirtualClock(0);
    const spot = labelsOf("spot", "eu-west-1a");
    const onDemand = labelsOf("on-demand", "eu-west-1a");
    const cluster = clusterOf(spot);
    let refusal: Error | undefined;
    const openAws = async () => awsOf({ spot: "0.041", onDemand: "0.107", ...(refusal && { refusal }) });
    const prices = open(cluster, { clock, openAws });
    await prices.renew();
    assert.deepEqual([find(prices, spot), find(prices, onDemand)], [0.041, undefined]);
    const both = clusterOf(spot, onDemand);
    for (const node of both.nodes.values()) cluster.nodes.put(node.name, node);
    await prices.renew();
    refusal = new Error("away");
    await clock.advance(11 * 60_000);
    await prices.renew();
    assert.deepEqual([find(prices, spot), find(prices, onDemand)], [0.041, 0.107]);
  });
});
