import {
  instanceCapabilityFlexLabel,
  instanceCategoryLabel,
  instanceCpuLabel,
  instanceFamilyLabel,
  instanceGenerationLabel,
  instanceMemoryLabel,
  instanceSizeLabel,
} from "../../adapters/aws/names.ts";
import type { InstanceType, Offering } from "../../core/model/instance-type.ts";
import { capacityTypeLabel, zoneLabel } from "../../core/model/labels.ts";
import { makeRequirement, type Requirement } from "../../core/model/requirements.ts";

/** Letters, perhaps a size in terabytes, and a generation, before a dot: `m5.large`, `u-6tb1.metal`. */
const scheme = /^([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\./;

/** Labels of EC2 that the name and the size of a machine tell; the others are not known without AWS. */
const toldLabels: readonly string[] = [
  instanceCategoryLabel,
  instanceGenerationLabel,
  instanceFamilyLabel,
  instanceSizeLabel,
  instanceCapabilityFlexLabel,
  instanceCpuLabel,
  instanceMemoryLabel,
];

/** Types of a catalogue with the labels that EC2 gives them, sold in these zones, or where they were if there are none. */
export function asEc2Types(types: readonly InstanceType[], zones: readonly string[]): readonly InstanceType[] {
  return types.map((type) => ({
    ...type,
    requirements: new Map([
      ...type.requirements,
      ...ec2LabelsOf(type),
      ...(zones.length === 0 ? [] : [[zoneLabel, makeRequirement("In", zones)] as const]),
    ]),
    offerings: zones.length === 0 ? type.offerings : soldIn(type.offerings, zones),
  }));
}

function ec2LabelsOf({ name, capacity }: InstanceType): [string, Requirement][] {
  const [, category, generation] = scheme.exec(name) ?? [];
  const [family = "", size] = name.split(".");
  const values = [
    category,
    generation,
    family,
    size,
    String(family.includes("-flex")),
    String((capacity.get("cpu") ?? 0) / 1000),
    String((capacity.get("memory") ?? 0) / 2 ** 20),
  ];
  return toldLabels.flatMap((key, index) => {
    const value = values[index];
    return value === undefined ? [] : [[key, makeRequirement("In", [value])]];
  });
}

/** Each way to buy a machine once in each zone, at the price of the first zone that the catalogue has. */
function soldIn(offerings: readonly Offering[], zones: readonly string[]): readonly Offering[] {
  const ways = new Map<string, Offering>();
  for (const offering of offerings) {
    const [capacityType = ""] = offering.requirements.get(capacityTypeLabel)?.values ?? [];
    if (!ways.has(capacityType)) ways.set(capacityType, offering);
  }
  return [...ways.values()].flatMap((offering) =>
    zones.map((zone) => ({
      ...offering,
      requirements: new Map([...offering.requirements, [zoneLabel, makeRequirement("In", [zone])] as const]),
    })),
  );
}
