import type { ResourceSettings } from "../../adapters/aws/instance-types/machine-resources.ts";
import { listRecordedTypes, type RecordedMarket } from "../../adapters/aws/instance-types/recorded-catalogue.ts";
import { recordedOn } from "../../adapters/aws/instance-types/recorded-types.ts";
import type { Ec2NodeClass } from "../../adapters/aws/node-class/ec2-node-class.ts";
import { readEc2NodeClass } from "../../adapters/aws/node-class/read-node-class.ts";
import { fallbackRegionOf, loadFallbackPrices, pricedOn } from "../../adapters/aws/pricing/fallback-prices.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { zoneLabel } from "../../core/model/labels.ts";
import type { NodeClassRef } from "../../core/model/node-pool.ts";
import { type Offers, offerKey } from "./controller-prices.ts";

export interface Ec2MachinesOptions {
  readonly cluster: ClusterState;
  readonly settings: ResourceSettings;
  /** What the running controller says that it can buy, if it does. */
  readonly offers: Offers | undefined;
}

/** Enough for spot to be bought first, as it would. How much less it costs, only the market knows. */
const spotShare = 0.99;

/** What pools on EC2 could buy, as far as can be told without asking AWS: by the list of machines that is built in. */
export class Ec2Machines {
  readonly #options: Ec2MachinesOptions;
  readonly #lists = new Map<string, readonly InstanceType[] | undefined>();
  readonly #notes = new Set<string>();

  constructor(options: Ec2MachinesOptions) {
    this.#options = options;
  }

  /** What the answers rest on, for people. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Whether prices are those of another time, and perhaps of another region or market. */
  get isRough(): boolean {
    return this.#options.offers === undefined;
  }

  /** Undefined when there is no such node class that can be read. */
  of(ref: NodeClassRef): readonly InstanceType[] | undefined {
    if (!this.#lists.has(ref.name)) this.#lists.set(ref.name, this.#list(ref));
    return this.#lists.get(ref.name);
  }

  #list(ref: NodeClassRef): readonly InstanceType[] | undefined {
    const read = readEc2NodeClass(this.#options.cluster.nodeClassOf(ref)?.wire);
    if (read.problems !== undefined) return undefined;
    const nodeClass = read.value.status.subnets.length > 0 ? read.value : this.#placed(read.value);
    const region = nodeClass.status.subnets[0]?.zone.replace(/[a-z]$/, "") ?? "";
    const types = listRecordedTypes(nodeClass, this.#marketIn(region));
    const list = `Machines are those of EC2 in the built-in list of ${recordedOn}`;
    this.#notes.add(
      this.#options.offers === undefined
        ? `${list}, each as sold in every zone and at its on-demand price of ${pricedOn} in ${fallbackRegionOf(region)}; spot counts as nearly as dear.`
        : `${list}, where and at what price the controller says that they are sold.`,
    );
    return types;
  }

  #marketIn(region: string): RecordedMarket {
    const { offers, settings } = this.#options;
    if (offers === undefined) {
      const table = loadFallbackPrices(region);
      const onDemand = (type: string): number | undefined => table.get(type);
      const spot = (type: string): number | undefined => scaled(table.get(type), spotShare);
      return { region, settings, prices: { onDemand, spot }, isSoldIn: () => true };
    }
    const onDemand = new Map<string, number>();
    const sold = new Set<string>();
    for (const [key, price] of offers) {
      const [type = "", capacityType, zone] = key.split(" ");
      sold.add(`${type} ${zone}`);
      if (capacityType === "on-demand") onDemand.set(type, price);
    }
    return {
      region,
      settings,
      prices: {
        onDemand: (type) => onDemand.get(type),
        spot: (instanceType, zone) => offers.get(offerKey({ instanceType, capacityType: "spot", zone })),
      },
      isSoldIn: (type, zone) => sold.has(`${type} ${zone}`),
    };
  }

  /** In the zones that the cluster is in, as far as can be seen. */
  #placed(nodeClass: Ec2NodeClass): Ec2NodeClass {
    const { nodes, pools } = this.#options.cluster;
    const ofNodes = [...nodes.values()].flatMap(({ labels }) => labels.get(zoneLabel) ?? []);
    const ofPools = [...pools.values()].flatMap(({ pool }) => [...(pool?.requirements.get(zoneLabel)?.values ?? [])]);
    const [zones, whose] =
      ofNodes.length > 0
        ? [ofNodes, "the zones of the nodes"]
        : ofPools.length > 0
          ? [ofPools, "the zones that pools name"]
          : [["us-east-1a", "us-east-1b", "us-east-1c"], "some of us-east-1"];
    const names = [...new Set(zones)].sort();
    this.#notes.add(
      `EC2NodeClass ${nodeClass.name} has no subnets in its status, so ${whose} are tried: ${names.join(", ")}.`,
    );
    const subnets = names.map((zone) => ({ id: `subnet-of-${zone}`, zone, zoneID: undefined }));
    return { ...nodeClass, status: { ...nodeClass.status, subnets } };
  }
}

function scaled(price: number | undefined, share: number): number | undefined {
  return price === undefined ? undefined : price * share;
}
