// Writes scenarios for the planner: node bench/scenarios.ts KIND PODS SEED [--typical] [--catalogue FILE] > scenario.json
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { awsCatalogueFile } from "../src/adapters/kwok/load-instance-types.ts";
import { Random } from "./random.ts";
import {
  type Affinity,
  archLabel,
  capacityTypeLabel,
  type Expression,
  familyLabel,
  hostLabel,
  type Labels,
  type NodePool,
  osLabel,
  type Pod,
  type PodSpec,
  preferred,
  required,
  type Scenario,
  type TopologySpread,
  zoneLabel,
} from "./wire.ts";

export const kinds = ["uniform", "diverse", "fleet", "lopsided", "preference"] as const;
export type Kind = (typeof kinds)[number];

/** 853 Linux instance types: real names, sizes and on-demand prices; spot prices are made up. */
export const catalogueFile = fileURLToPath(awsCatalogueFile);

export interface ScenarioOptions {
  readonly kind: Kind;
  readonly pods: number;
  readonly seed: number;
  /** Only the c, m and r families of the last generations, as most users do. Otherwise the pool takes any type. */
  readonly isTypical: boolean;
  readonly catalogue?: string;
}

export function scenarioName({ kind, pods, seed, isTypical }: ScenarioOptions): string {
  return `${kind}-${pods}-${seed}${isTypical ? "-typical" : ""}`;
}

export function generateScenario(options: ScenarioOptions): Scenario {
  const { kind, pods, seed, isTypical, catalogue = catalogueFile } = options;
  const random = new Random(`${kind}-${seed}`);
  return {
    name: scenarioName(options),
    instanceTypesFile: catalogue,
    nodePools: [nodePool(isTypical)],
    pods: generators[kind](pods, random).map(pendingPod),
  };
}

export interface Ask {
  readonly cpuMilli: number;
  readonly memoryMi: number;
  readonly labels: Labels;
  readonly spec?: Omit<PodSpec, "containers">;
}

type Generator = (count: number, random: Random) => Ask[];

const firstZone = "us-west-2a";

const generators: Readonly<Record<Kind, Generator>> = {
  /** One shape. */
  uniform: (count) =>
    Array.from({ length: count }, () => ({ cpuMilli: 1000, memoryMi: 1536, labels: { app: "inflate" } })),

  /** A fifth each: plain, spread over zones, spread over hosts, together in a zone, apart from each other's host. */
  diverse: (count, random) =>
    Array.from({ length: count }, (_, index): Ask => {
      const cpuMilli = random.choose([100, 250, 500, 1000, 1500]);
      const memoryMi = random.choose([100, 256, 512, 1024, 2048, 4096]);
      const letter = random.choose(["a", "b", "c", "d", "e", "f", "g"]);
      return { cpuMilli, memoryMi, ...diverseRules(Math.floor((index * 5) / count), letter) };
    }),

  /** Deployments of many sizes, some with a constraint. */
  fleet: (count, random) =>
    deployments(count, random, (labels) => {
      const cpuMilli = random.choose([50, 100, 200, 250, 500, 750, 1000, 2000, 4000, 8000]);
      const memoryMi = Math.floor(cpuMilli * random.choose([0.5, 1, 2, 2, 4, 4, 8]) * 1.024);
      return { cpuMilli, memoryMi, labels, spec: fleetRules(random.next(), labels) };
    }),

  /** Deployments that want much memory and little CPU beside others that want the opposite. */
  lopsided: (count, random) =>
    deployments(count, random, (labels) => {
      const [cpuMilli, memoryMi] = random.choose<readonly [number, number]>([
        [250, 7900],
        [500, 15000],
        [1000, 30000],
        [3800, 1000],
        [7600, 3000],
        [1900, 700],
        [900, 3500],
      ]);
      return { cpuMilli, memoryMi, labels };
    }),

  /** Pods that would rather be in the first zone, and would rather not meet each other. */
  preference: (count) => {
    const labels = { app: "nginx" };
    const affinity: Affinity = {
      nodeAffinity: {
        [preferred]: [
          { weight: 1, preference: { matchExpressions: [{ key: zoneLabel, operator: "In", values: [firstZone] }] } },
        ],
      },
      podAntiAffinity: {
        [preferred]: [
          { weight: 10, podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: zoneLabel } },
          { weight: 1, podAffinityTerm: { labelSelector: { matchLabels: labels }, topologyKey: hostLabel } },
        ],
      },
    };
    return Array.from({ length: count }, () => ({ cpuMilli: 500, memoryMi: 512, labels, spec: { affinity } }));
  },
};

function diverseRules(fifth: number, letter: string): Pick<Ask, "labels" | "spec"> {
  switch (fifth) {
    case 0:
      return { labels: { plain: letter } };
    case 1:
      return { labels: { zonal: letter }, spec: spread(zoneLabel, { zonal: letter }) };
    case 2:
      return { labels: { hosts: letter }, spec: spread(hostLabel, { hosts: letter }) };
    case 3:
      return { labels: { together: letter }, spec: together(zoneLabel, { together: letter }) };
    default:
      return { labels: { app: "apart" }, spec: apart(hostLabel, { app: "apart" }) };
  }
}

function fleetRules(share: number, labels: Labels): Omit<PodSpec, "containers"> {
  if (share < 0.15) return spread(zoneLabel, labels);
  if (share < 0.22) return spread(zoneLabel, labels, "ScheduleAnyway");
  if (share < 0.27) return apart(hostLabel, labels);
  if (share < 0.3) return { nodeSelector: { [zoneLabel]: firstZone } };
  if (share < 0.34) return { nodeSelector: { [capacityTypeLabel]: "on-demand" } };
  if (share < 0.38) return { nodeSelector: { [archLabel]: "arm64" } };
  return {};
}

/** The sizes of deployments have a long tail, cut at 400. */
function deployments(count: number, random: Random, ask: (labels: Labels) => Ask): Ask[] {
  const asks: Ask[] = [];
  for (let number = 1; asks.length < count; number++) {
    const replicas = Math.min(count - asks.length, Math.floor(random.pareto(0.9)), 400);
    const one = ask({ app: `d${number}` });
    for (let replica = 0; replica < replicas; replica++) asks.push(one);
  }
  return asks;
}

export function spread(
  topologyKey: string,
  matchLabels: Labels,
  whenUnsatisfiable: TopologySpread["whenUnsatisfiable"] = "DoNotSchedule",
): Pick<PodSpec, "topologySpreadConstraints"> {
  return {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector: { matchLabels } }],
  };
}

export function together(topologyKey: string, matchLabels: Labels): Pick<PodSpec, "affinity"> {
  return { affinity: { podAffinity: { [required]: [{ labelSelector: { matchLabels }, topologyKey }] } } };
}

export function apart(topologyKey: string, matchLabels: Labels): Pick<PodSpec, "affinity"> {
  return { affinity: { podAntiAffinity: { [required]: [{ labelSelector: { matchLabels }, topologyKey }] } } };
}

export function pendingPod({ cpuMilli, memoryMi, labels, spec }: Ask, index: number): Pod {
  const requests = { cpu: `${cpuMilli}m`, memory: `${memoryMi}Mi` };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p-${index}`, namespace: "default", labels },
    spec: { containers: [{ name: "c", image: "pause", resources: { requests } }], ...spec },
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
  };
}

export function nodePool(isTypical: boolean): NodePool {
  const requirements: Expression[] = [{ key: osLabel, operator: "In", values: ["linux"] }];
  if (isTypical) {
    const generations = ["5", "5a", "6a", "6g", "6i", "7a", "7g", "7i"];
    const values = ["c", "m", "r"].flatMap((series) => generations.map((generation) => `${series}${generation}`));
    requirements.push({ key: familyLabel, operator: "In", values });
  }
  const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: { template: { spec: { nodeClassRef, requirements } }, disruption: { consolidateAfter: "30s" } },
  };
}

export function isKind(word: string | undefined): word is Kind {
  return kinds.some((kind) => kind === word);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { typical: { type: "boolean", default: false }, catalogue: { type: "string" } },
    allowPositionals: true,
  });
  const [kind, pods, seed] = [positionals[0], Number(positionals[1]), Number(positionals[2])];
  if (!isKind(kind) || !Number.isInteger(pods) || pods < 1 || !Number.isInteger(seed)) {
    console.error("usage: node bench/scenarios.ts KIND PODS SEED [--typical] [--catalogue FILE]");
    console.error(`KIND is one of ${kinds.join(", ")}; PODS and SEED are whole numbers`);
    process.exitCode = 2;
  } else {
    const catalogue = values.catalogue ?? catalogueFile;
    const scenario = generateScenario({ kind, pods, seed, isTypical: values.typical, catalogue });
    process.stdout.write(`${JSON.stringify(scenario)}\n`);
  }
}
