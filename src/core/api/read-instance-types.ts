import type { InstanceType, Offering } from "../model/instance-type.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, osLabel, zoneLabel } from "../model/labels.ts";
import { makeRequirement, type Requirement, type Requirements } from "../model/requirements.ts";
import { type Resources, subtractResources } from "../model/resources.ts";
import { type Field, isRecord, openObject, quote } from "./field.ts";
import { instanceCpuLabel, instanceFamilyLabel, instanceMemoryLabel, instanceSizeLabel } from "./kwok-labels.ts";
import type { Problem, Read } from "./problem.ts";
import { readOffering } from "./read-offering.ts";
import { readResources } from "./read-resources.ts";

/** What the KWOK provider keeps back of every machine. */
const overhead: Resources = new Map([
  ["cpu", 100],
  ["memory", 10 * 1024 * 1024],
]);
const defaultPods = 110;
const mostTypes = 100_000;

export interface InstanceTypesRead {
  readonly instanceTypes: readonly InstanceType[];
  readonly problems: readonly Problem[];
}

/** A catalogue in the format of the KWOK provider. An entry with a problem is left out, the others are kept. */
export function readInstanceTypes(wire: unknown): InstanceTypesRead {
  if (!Array.isArray(wire) || wire.length > mostTypes) {
    const message = Array.isArray(wire) ? `must have at most ${mostTypes} entries` : "must be a list of instance types";
    return { instanceTypes: [], problems: [{ object: "Catalogue of instance types", field: "", message }] };
  }
  const byName = new Map<string, InstanceType>();
  const problems: Problem[] = [];
  wire.forEach((entry: unknown, index) => {
    const read = readInstanceType(entry, index);
    if (read.problems !== undefined) problems.push(...read.problems);
    else if (byName.has(read.value.name)) {
      const message = "must be a name of its own, but an earlier entry has it";
      problems.push({ object: nameEntry(entry, index), field: "name", message });
    } else byName.set(read.value.name, read.value);
  });
  return { instanceTypes: [...byName.values()], problems };
}

function readInstanceType(wire: unknown, index: number): Read<InstanceType> {
  const entry = openObject(wire, nameEntry(wire, index));
  const name = entry.at("name").requiredText();
  const resources = entry.at("resources");
  for (const resource of ["cpu", "memory"]) {
    if (resources.at(resource).isAbsent) resources.at(resource).reject("must be a quantity");
  }
  const capacity: Resources = new Map([["pods", defaultPods], ...readResources(resources)]);
  const offerings = entry.at("offerings").items().map(readOffering);
  if (offerings.length === 0) entry.at("offerings").note("must have at least one offering");
  const systems = entry.at("operatingSystems").texts();
  if (systems.length === 0) entry.at("operatingSystems").note("must name at least one operating system");
  // The labels of size say what was written: "16Gi" stays "16Gi".
  const cpu = writtenAmount(resources.at("cpu"));
  const labels: [string, readonly string[]][] = [
    [instanceTypeLabel, [name]],
    [archLabel, [entry.at("architecture").requiredText()]],
    [osLabel, systems],
    [instanceSizeLabel, [sizeOf(name, cpu)]],
    [instanceFamilyLabel, [familyOf(name)]],
    [instanceCpuLabel, [cpu]],
    [instanceMemoryLabel, [writtenAmount(resources.at("memory"))]],
  ];
  return entry.log.conclude({
    name,
    requirements: new Map([
      ...labels.map(([key, values]): [string, Requirement] => [key, makeRequirement("In", values)]),
      ...whereSold(offerings),
    ]),
    capacity,
    allocatable: allocatableOf(capacity),
    offerings,
  });
}

/** What is no amount has been complained of already, and may be an object that cannot even be made a string. */
function writtenAmount({ value }: Field): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Huge pages are taken out of the memory that is left for everything else. */
function allocatableOf(capacity: Resources): Resources {
  let hugePages = 0;
  for (const [name, amount] of capacity) if (name.startsWith("hugepages-")) hugePages += amount;
  return subtractResources(subtractResources(capacity, overhead, 0), new Map([["memory", hugePages]]), 0);
}

/** The zones and capacity types of all the offerings. */
function whereSold(offerings: readonly Offering[]): Requirements {
  return new Map(
    [zoneLabel, capacityTypeLabel].map((key) => {
      const values = offerings.flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])]);
      return [key, makeRequirement("In", values)];
    }),
  );
}

/** The size of a name in the manner of AWS, else the number of processors. */
function sizeOf(name: string, cpu: string): string {
  return /^\w+\.(nano|micro|small|medium|large|\d*xlarge|metal)$/.exec(name)?.[1] ?? cpu;
}

/** What stands before the first dot or dash, else the first letter. */
function familyOf(name: string): string {
  return /^([^.-]*)[.-]/.exec(name)?.[1] ?? name.slice(0, 1);
}

function nameEntry(wire: unknown, index: number): string {
  const name = isRecord(wire) ? wire.name : undefined;
  return typeof name === "string" && name !== "" ? `InstanceType ${quote(name)}` : `InstanceType [${index}]`;
}
