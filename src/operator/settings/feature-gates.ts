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

const known = Object.keys(defaults);

/** Those that are only read: what they would turn on is not there yet. */
const withoutEffect = ["NodeOverlay", "CapacityBuffer"] as const;

/** Names of gates that somebody has turned on in vain. */
export function gatesWithoutEffect(gates: FeatureGates): readonly string[] {
  return withoutEffect.filter((name) => gates[name]);
}

export const featureGates: Setting<FeatureGates> = {
  flag: "feature-gates",
  variable: "FEATURE_GATES",
  default: Object.entries(defaults)
    .map(([name, isOn]) => `${name}=${isOn}`)
    .join(","),
  placeholder: "Name=true,…",
  help: `Features to turn on or off; those that are not named keep their default. Without effect yet: ${withoutEffect.join(", ")}.`,
  parse: parseFeatureGates,
};

function parseFeatureGates(given: string): Parsed<FeatureGates> {
  const problems: string[] = [];
  const gates = { ...defaults };
  for (const part of given.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    const [name = "", value, ...rest] = part.split("=").map((piece) => piece.trim());
    if (!isGate(name)) {
      problems.push(`has the unknown feature gate "${name}"${nearestName(name, known)}; there are ${known.join(", ")}`);
    } else if ((value !== "true" && value !== "false") || rest.length > 0) {
      problems.push(`must say ${name}=true or ${name}=false, found "${part}"`);
    } else {
      gates[name] = value === "true";
    }
  }
  return problems.length > 0 ? { problems } : { value: gates };
}

function isGate(name: string): name is keyof typeof defaults {
  return Object.hasOwn(defaults, name);
}
