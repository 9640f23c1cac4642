/** The catalogue that KWOK offers when it is given no other: every size in three proportions of memory, on two platforms. */
export function defaultCatalogue(): readonly CatalogueEntry[] {
  const entries: CatalogueEntry[] = [];
  for (const cpus of [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256]) {
    for (const [family, gibPerCpu] of [
      ["c", 2],
      ["s", 4],
      ["m", 8],
    ] as const) {
      for (const system of ["linux", "windows"]) {
        for (const architecture of ["amd64", "arm64"]) {
          entries.push(entry({ cpus, family, gibPerCpu, system, architecture }));
        }
      }
    }
  }
  return entries;
}

/** An entry of a catalogue file. */
export interface CatalogueEntry {
  readonly name: string;
  readonly architecture: string;
  readonly operatingSystems: readonly string[];
  readonly resources: Readonly<Record<string, string>>;
  readonly offerings: readonly CatalogueOffering[];
}

export interface CatalogueOffering {
  readonly Price: number;
  readonly Available: boolean;
  readonly Requirements: readonly {
    readonly key: string;
    readonly operator: "In";
    readonly values: readonly string[];
  }[];
}

const zones = ["test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"];

/** Spot costs this share of the price on demand. */
const spotShare = 0.7;

interface Size {
  readonly cpus: number;
  readonly family: string;
  readonly gibPerCpu: number;
  readonly system: string;
  readonly architecture: string;
}

function entry({ cpus, family, gibPerCpu, system, architecture }: Size): CatalogueEntry {
  const gib = cpus * gibPerCpu;
  const price = cpus * 0.025 + (gib * 2 ** 30 * 0.001) / 1e9;
  return {
    name: `${family}-${cpus}x-${architecture}-${system}`,
    architecture,
    operatingSystems: [system],
    resources: {
      cpu: String(cpus),
      memory: `${gib}Gi`,
      pods: String(Math.min(cpus * 16, 1024)),
      "ephemeral-storage": "20Gi",
    },
    offerings: zones.flatMap((zone) => [offering(zone, "spot", price * spotShare), offering(zone, "on-demand", price)]),
  };
}

function offering(zone: string, capacityType: string, price: number): CatalogueOffering {
  return {
    Price: price,
    Available: true,
    Requirements: [
      { key: "karpenter.sh/capacity-type", operator: "In", values: [capacityType] },
      { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
    ],
  };
}
