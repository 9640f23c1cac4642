import { nearestName } from "./nearest-name.ts";
import type { Parsed, Setting } from "./setting.ts";

const defaults = {
  NodeRepair: true,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
};

export type FeatureGates = Readonly<Record<keyof typeof defaults, boolean>>;

const awsDefaults = { NodeClassCEL: false };

/** Those that are only read: what they would turn on is not there yet. */
const withoutEffect = ["NodeOverlay", "CapacityBuffer"] as const;

/** Names of gates that somebody has turned on in vain. */
export function gatesWithoutEffect(gates: FeatureGates): readonly string[] {
  return withoutEffect.filter((name) => gates[name]);
}

export const featureGates: Setting<FeatureGates> = {
  flag: "feature-gates",
  variable: "FEATURE_GATES",
  ...gates(defaults),
  help: `Features to turn on or off; those that are not named keep their default. Without effect yet: ${withoutEffect.join(", ")}.`,
};

export const awsFeatureGates: Setting<Readonly<typeof awsDefaults>> = {
  flag: "aws-feature-gates",
  variable: "AWS_FEATURE_GATES",
  ...gates(awsDefaults),
  help: "With aws, features to turn on or off: `NodeClassCEL` takes expressions in the kubelet settings of an EC2NodeClass.",
};

function gates<Gates extends Readonly<Record<string, boolean>>>(known: Gates) {
  return {
    default: Object.entries(known)
      .map(([name, isOn]) => `${name}=${isOn}`)
      .join(","),
    placeholder: "Name=true,…",
    parse: (given: string): Parsed<Gates> => parseGates(given, known),
  };
}

function parseGates<Gates extends Readonly<Record<string, boolean>>>(given: string, known: Gates): Parsed<Gates> {
  const problems: string[] = [];
  const names = Object.keys(known);
  const changes = new Map<string, boolean>();
  for (const part of given.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    const [name = "", value, ...rest] = part.split("=").map((piece) => piece.trim());
    if (!Object.hasOwn(known, name)) {
      problems.push(`has the unknown feature gate "${name}"${nearestName(name, names)}; there are ${names.join(", ")}`);
    } else if ((value !== "true" && value !== "false") || rest.length > 0) {
      problems.push(`must say ${name}=true or ${name}=false, found "${part}"`);
    } else {
      changes.set(name, value === "true");
    }
  }
  return problems.length > 0 ? { problems } : { value: { ...known, ...Object.fromEntries(changes) } };
}
