import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import type { PlacementGroup } from "../../src/adapters/aws/aws-parts.ts";
import { Ec2Catalogue } from "../../src/adapters/aws/instance-types/ec2-catalogue.ts";
import type { Ec2NodeClass } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { RecentlyUnavailable } from "../../src/adapters/aws/offerings/unavailable-offerings.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import { instanceTypeInfo } from "./instance-type-info.ts";
import { modelEc2NodeClass } from "./model-ec2-node-class.ts";
import { RecordingTelemetry } from "./recording-telemetry.ts";

export const zones = ["us-west-2a", "us-west-2b"];

/** EC2 with two types in two zones, of which the node class has a subnet in each. */
export class CatalogueStage {
  now = 0;
  infos: InstanceTypeInfo[] = [
    instanceTypeInfo("m5.large"),
    instanceTypeInfo("c5.xlarge", { vcpus: 4 }),
    instanceTypeInfo("mac2.metal", { ProcessorInfo: { SupportedArchitectures: ["arm64_mac"] } }),
  ];
  soldIn: Record<string, string[]> = { "m5.large": zones, "c5.xlarge": ["us-west-2a"], "mac2.metal": zones };
  asked: unknown[] = [];
  refusal: Error | undefined;
  onDemand: Record<string, number> = { "m5.large": 0.1, "c5.xlarge": 0.2 };
  spot: Record<string, number> = { "m5.large us-west-2a": 0.03, "m5.large us-west-2b": 0.04 };
  pricesVersion = 0;
  left = 2;
  countsVersion = 0;
  shifted = new Set<string>();
  shiftedVersion = 0;
  group: PlacementGroup | "none" = "none";
  readonly clock = { now: () => this.now, after: () => ({ cancel() {} }) };
  readonly unavailable = new RecentlyUnavailable({ clock: this.clock, log: new RecordingTelemetry().log });
  readonly catalogue: Ec2Catalogue;

  constructor() {
    const stage = this;
    this.catalogue = new Ec2Catalogue({
      region: "us-west-2",
      clock: this.clock,
      log: new RecordingTelemetry().log,
      settings: {
        vmMemoryOverheadPercent: 0.075,
        reservedEnis: 0,
        isNodeClassCelEnabled: false,
        isReservedCapacityEnabled: true,
      },
      ec2: {
        async *describeInstanceTypes(input) {
          stage.asked.push(input);
          if (stage.refusal !== undefined) throw stage.refusal;
          // Nothing that is read may be kept.
          for (const info of stage.infos) yield [structuredClone(info)];
        },
        async *describeInstanceTypeOfferings(input) {
          stage.asked.push(input);
          for (const [type, sold] of Object.entries(stage.soldIn)) {
            yield sold.map((Location) => ({ InstanceType: type as "m5.large", Location }));
          }
        },
      },
      market: {
        prices: {
          get version() {
            return stage.pricesVersion;
          },
          onDemand: (type) => stage.onDemand[type],
          spot: (type, zone) => stage.spot[`${type} ${zone}`],
        },
        unavailable: this.unavailable,
        reservations: {
          get version() {
            return stage.countsVersion;
          },
          available: () => stage.left,
          markLaunched() {},
          markTerminated() {},
          markUnavailable() {},
        },
        shiftedZones: {
          get version() {
            return stage.shiftedVersion;
          },
          has: (zoneId) => stage.shifted.has(zoneId),
        },
      },
      placementGroups: { version: 0, find: async () => undefined, known: () => stage.group },
    });
  }

  async list(nodeClass: Ec2NodeClass = nodeClassOf()): Promise<readonly InstanceType[]> {
    await this.catalogue.refresh();
    return this.catalogue.list(nodeClass);
  }
}

export function nodeClassOf(parts: Parameters<typeof modelEc2NodeClass>[0] = {}): Ec2NodeClass {
  const subnets = zones.map((zone, index) => ({ id: `subnet-${index + 1}`, zone, zoneID: `usw2-az${index + 1}` }));
  return modelEc2NodeClass({ ...parts, status: { subnets, ...parts.status } });
}
