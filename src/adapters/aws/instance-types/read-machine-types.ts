import type { Ec2Api } from "../api/aws-api.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import { type MachineType, readMachineType } from "./machine-type.ts";
import { copyText, type RequirementPool } from "./requirement-pool.ts";

export type MachineTypeApi = Pick<Ec2Api, "describeInstanceTypes" | "describeInstanceTypeOfferings">;

const filters = [
  { Name: "supported-virtualization-type", Values: ["hvm"] },
  { Name: "processor-info.supported-architecture", Values: ["x86_64", "arm64"] },
];

/** Every machine that the region sells, sorted by name. Nothing of what EC2 answers is kept, only what is read from it. */
export async function readMachineTypes(ec2: MachineTypeApi, pool: RequirementPool): Promise<readonly MachineType[]> {
  const zones = await naming("ec2:DescribeInstanceTypeOfferings", readZones(ec2));
  const machines: MachineType[] = [];
  const readTypes = async () => {
    for await (const page of ec2.describeInstanceTypes({ Filters: filters })) {
      for (const info of page) {
        const machine = readMachineType(info, pool, (name) => zones.get(name) ?? []);
        if (machine !== undefined) machines.push(machine);
      }
    }
  };
  await naming("ec2:DescribeInstanceTypes", readTypes());
  return machines.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where each type is sold. Those that are sold in the same zones have the same array. */
async function readZones(ec2: MachineTypeApi): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, Set<string>>();
  for await (const page of ec2.describeInstanceTypeOfferings({ LocationType: "availability-zone" })) {
    for (const { InstanceType: type, Location: zone } of page) {
      if (type === undefined || zone === undefined) continue;
      const zones = found.get(type);
      if (zones === undefined) found.set(copyText(type), new Set([zone]));
      else zones.add(zone);
    }
  }
  const lists = new Map<string, readonly string[]>();
  const sharedOf = (zones: readonly string[]): readonly string[] => {
    const key = zones.join(" ");
    const shared = lists.get(key) ?? zones.map(copyText);
    lists.set(key, shared);
    return shared;
  };
  return new Map([...found].map(([type, zones]) => [type, sharedOf([...zones].sort())]));
}

async function naming<T>(action: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw explainRefusal(error, action);
  }
}
