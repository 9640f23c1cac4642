import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  archLabel,
  capacityTypeLabel,
  cpuLabel,
  type Expression,
  familyLabel,
  instanceTypeLabel,
  type Labels,
  memoryLabel,
  osLabel,
  type PodSpec,
  type Scenario,
  zoneLabel,
} from "./wire.ts";

/** Amounts by resource: thousandths of a CPU, and units of everything else. */
export type Amounts = ReadonlyMap<string, number>;

export interface InstanceType {
  readonly name: string;
  /** What every node of the type carries, wherever it is. */
  readonly labels: Labels;
  readonly allocatable: Amounts;
  readonly offers: readonly Offer[];
}

export interface Offer {
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
}

interface WireInstanceType {
  readonly name: string;
  readonly architecture: string;
  readonly operatingSystems: readonly string[];
  readonly resources: Readonly<Record<string, string>>;
  readonly offerings: readonly {
    readonly Price: number;
    readonly Available: boolean;
    readonly Requirements: readonly Expression[];
  }[];
}

export type Catalogue = ReadonlyMap<string, InstanceType>;

export interface ScenarioFile {
  readonly scenario: Scenario;
  readonly catalogue: Catalogue;
}

export function openScenario(path: string): ScenarioFile {
  const scenario = JSON.parse(readFileSync(path, "utf8")) as Scenario;
  return { scenario, catalogue: openCatalogue(resolve(dirname(path), scenario.instanceTypesFile)) };
}

export function openCatalogue(path: string): Catalogue {
  return readCatalogue(JSON.parse(readFileSync(path, "utf8")) as WireInstanceType[]);
}

/** The catalogue in the format of the KWOK provider. What is not available is left out. */
export function readCatalogue(types: readonly WireInstanceType[]): Catalogue {
  return new Map(types.map((type) => [type.name, readInstanceType(type)]));
}

function readInstanceType({
  name,
  architecture,
  operatingSystems,
  resources,
  offerings,
}: WireInstanceType): InstanceType {
  const allocatable = new Map([["pods", 110], ...readAmounts(resources)]);
  // What the KWOK provider keeps back of every machine.
  for (const [resource, overhead] of [["cpu", 100] as const, ["memory", 10 * 2 ** 20] as const]) {
    allocatable.set(resource, (allocatable.get(resource) ?? 0) - overhead);
  }
  return {
    name,
    labels: {
      [instanceTypeLabel]: name,
      [archLabel]: architecture,
      [osLabel]: operatingSystems[0] ?? "",
      [familyLabel]: name.split(/[.-]/)[0] ?? "",
      [cpuLabel]: resources.cpu ?? "",
      [memoryLabel]: resources.memory ?? "",
    },
    allocatable,
    offers: offerings
      .filter(({ Available }) => Available)
      .map(({ Price, Requirements }) => ({
        zone: onlyValue(Requirements, zoneLabel, name),
        capacityType: onlyValue(Requirements, capacityTypeLabel, name),
        price: Price,
      })),
  };
}

function onlyValue(requirements: readonly Expression[], key: string, type: string): string {
  const values = requirements.find((requirement) => requirement.key === key)?.values ?? [];
  if (values.length !== 1 || values[0] === undefined || requirements.length !== 2) {
    throw new Error(`Cannot read the offerings of ${type}: each must have one zone and one capacity type, no more`);
  }
  return values[0];
}

/** What the pod asks for, itself included. */
export function requestsOf({ containers }: PodSpec): Amounts {
  const total = new Map([["pods", 1]]);
  for (const { resources } of containers) {
    for (const [resource, amount] of readAmounts(resources?.requests ?? {})) {
      total.set(resource, (total.get(resource) ?? 0) + amount);
    }
  }
  return total;
}

export function readAmounts(quantities: Readonly<Record<string, string>>): Map<string, number> {
  return new Map(
    Object.entries(quantities).map(([resource, text]) => {
      const amount = readQuantity(text);
      return [resource, resource === "cpu" ? Math.round(amount * 1000) : amount];
    }),
  );
}

const factors: Readonly<Record<string, number>> = {
  "": 1,
  m: 1e-3,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function readQuantity(text: string): number {
  const [, digits, suffix = ""] = /^([\d.]+)(\D*)$/.exec(text) ?? [];
  const factor = factors[suffix];
  if (digits === undefined || factor === undefined) throw new Error(`Cannot read the quantity "${text}"`);
  return Number(digits) * factor;
}

export function fits(needed: Amounts, available: Amounts): boolean {
  return [...needed].every(([resource, amount]) => amount <= (available.get(resource) ?? 0));
}
