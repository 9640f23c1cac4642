import { ec2NodeClasses } from "../../../core/api/karpenter-resources.ts";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import { capacityTypeLabel, zoneLabel } from "../../../core/model/labels.ts";
import { anyValue, requirementFor } from "../../../core/model/requirements.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { MetricLabels } from "../../../ports/metric-labels.ts";
import type { Metrics, Readings, Sample } from "../../../ports/telemetry.ts";
import type { Catalogue } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";

export interface OfferingGaugesOptions {
  readonly cluster: Pick<ClusterView, "pools">;
  readonly catalogue: Pick<Catalogue, "list" | "facts">;
  readonly nodeClassOf: (name: string) => Ec2NodeClass | undefined;
  readonly isReservedCapacityEnabled: boolean;
  readonly metrics: Metrics;
}

type OfferingLabels = MetricLabels["cloudprovider_instance_type_offering_available"];

/** Tells how large machines are, what they cost and whether they can be had, as far as some pool could ask for them. */
export class OfferingGauges {
  readonly #options: OfferingGaugesOptions;
  #end: (() => void) | undefined;

  constructor(options: OfferingGaugesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#end = this.#options.metrics.collect(() => this.#read());
  }

  stop(): void {
    this.#end?.();
  }

  #read(): Readings {
    const { isReservedCapacityEnabled } = this.#options;
    const alike = groupTypes(this.#lists());
    return {
      cloudprovider_instance_type_cpu_cores: this.#sizes(alike.keys(), ({ vcpus }) => vcpus),
      cloudprovider_instance_type_memory_bytes: this.#sizes(alike.keys(), ({ memoryMib }) => memoryMib * 2 ** 20),
      cloudprovider_instance_type_offering_available: samplesOf(alike, isReservedCapacityEnabled, (offerings) =>
        offerings.some(({ isAvailable }) => isAvailable) ? 1 : 0,
      ),
      cloudprovider_instance_type_offering_price_estimate: samplesOf(
        alike,
        isReservedCapacityEnabled,
        (offerings) => offerings.at(-1)?.price ?? 0,
      ),
    };
  }

  /** Each once: pools that are alike have the same. */
  #lists(): ReadonlySet<readonly InstanceType[]> {
    const { cluster, catalogue, nodeClassOf } = this.#options;
    const lists = new Set<readonly InstanceType[]>();
    for (const { nodeClassRef } of cluster.pools.values()) {
      const nodeClass = nodeClassRef.kind === ec2NodeClasses.kind ? nodeClassOf(nodeClassRef.name) : undefined;
      if (nodeClass !== undefined) lists.add(catalogue.list(nodeClass));
    }
    return lists;
  }

  *#sizes(
    names: Iterable<string>,
    sizeOf: (facts: NonNullable<ReturnType<Catalogue["facts"]>>) => number,
  ): Generator<Sample<{ instance_type: string }>> {
    for (const name of names) {
      const facts = this.#options.catalogue.facts(name);
      if (facts !== undefined) yield { labels: { instance_type: name }, value: sizeOf(facts) };
    }
  }
}

function groupTypes(lists: Iterable<readonly InstanceType[]>): ReadonlyMap<string, readonly InstanceType[]> {
  const alike = new Map<string, InstanceType[]>();
  for (const type of [...lists].flat()) {
    const others = alike.get(type.name);
    if (others === undefined) alike.set(type.name, [type]);
    else if (!others.includes(type)) others.push(type);
  }
  return alike;
}

function* samplesOf(
  alike: ReadonlyMap<string, readonly InstanceType[]>,
  isReservedCapacityEnabled: boolean,
  numberOf: (offerings: readonly Offering[]) => number,
): Generator<Sample<OfferingLabels>> {
  for (const [name, types] of alike) {
    const offerings = types.flatMap((type) => type.offerings);
    const byZone = Map.groupBy(offerings, ({ requirements }) => anyValue(requirementFor(requirements, zoneLabel)));
    const common = { instance_type: name };
    for (const [zone, there] of byZone) {
      const byCapacityType = Map.groupBy(there, ({ requirements }) =>
        anyValue(requirementFor(requirements, capacityTypeLabel)),
      );
      // A reservation that comes and goes does not make a series come and go.
      if (isReservedCapacityEnabled && !byCapacityType.has("reserved")) byCapacityType.set("reserved", []);
      for (const [capacity_type, same] of byCapacityType) {
        yield { common, labels: { capacity_type, zone }, value: numberOf(same) };
      }
    }
  }
}
