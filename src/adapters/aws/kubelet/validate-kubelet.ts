import { isRecord, quote } from "../../../core/api/field.ts";
import { parseGoDuration } from "../../../core/model/go-duration.ts";
import { parseQuantity } from "../../../core/model/quantity.ts";
import { checkFields } from "./check-shape.ts";
import { kubeletFields } from "./kubelet-fields.ts";

type Kubelet = Readonly<Record<string, unknown>>;

const signals = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
];
const reservable = ["cpu", "memory", "ephemeral-storage", "pid"];

/** Whoever has more wrong than this has something else wrong. */
const mostProblems = 20;

/** What is wrong with the settings themselves, whatever the image family can do with them. */
export function validateKubelet(kubelet: Kubelet): string[] {
  const { registerWithTaints, ...others } = kubelet;
  const problems = [
    ...(registerWithTaints === undefined || registerWithTaints === null
      ? []
      : ["registerWithTaints is Karpenter's: write taints in the NodePool, under spec.template.spec"]),
    ...checkFields(others, kubeletFields),
    ...["evictionHard", "evictionSoft", "evictionMinimumReclaim"].flatMap((name) =>
      checkMap(kubelet, name, { keys: signals, check: checkThreshold }),
    ),
    ...checkMap(kubelet, "evictionSoftGracePeriod", { keys: signals, check: checkGracePeriod }),
    ...checkSoftPairs(kubelet),
    ...["kubeReserved", "systemReserved"].flatMap((name) =>
      checkMap(kubelet, name, { keys: reservable, check: checkReserved }),
    ),
    ...checkNumbers(kubelet),
  ];
  return problems.slice(0, mostProblems);
}

interface MapRule {
  readonly keys: readonly string[];
  /** What is wrong with a value, worded to follow its place. */
  readonly check: (value: string) => string | undefined;
}

function checkMap(kubelet: Kubelet, name: string, { keys, check }: MapRule): string[] {
  return textsIn(kubelet, name).flatMap(([key, value]) => {
    if (!keys.includes(key)) return [`${name} cannot have ${quote(key)}: its keys are ${keys.join(", ")}`];
    const problem = check(value);
    return problem === undefined ? [] : [`${name}[${quote(key)}] ${problem}, found ${quote(value)}`];
  });
}

/** Values that are no texts are told elsewhere. */
function textsIn(kubelet: Kubelet, name: string): [string, string][] {
  const map = kubelet[name];
  if (!isRecord(map)) return [];
  return Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

function checkThreshold(value: string): string | undefined {
  const percentage = /^(\d{1,3}(?:\.\d{1,10})?)%$/.exec(value)?.[1];
  if (percentage !== undefined && Number(percentage) <= 100) return undefined;
  const amount = value.length <= 64 ? parseQuantity(value) : undefined;
  return amount !== undefined && amount >= 0n ? undefined : "must be a quantity such as 100Mi, or from 0% to 100%";
}

function checkGracePeriod(value: string): string | undefined {
  const milliseconds = parseGoDuration(value);
  return milliseconds !== undefined && milliseconds >= 0 ? undefined : "must be a duration such as 1m30s";
}

/** What is no quantity is an expression, which is for the compiler to judge. */
function checkReserved(value: string): string | undefined {
  return value.startsWith("-") ? "must not begin with a minus" : undefined;
}

function checkSoftPairs(kubelet: Kubelet): string[] {
  const thresholds = keysOf(kubelet.evictionSoft);
  const periods = keysOf(kubelet.evictionSoftGracePeriod);
  return [
    ...thresholds
      .filter((key) => !periods.includes(key))
      .map((key) => `evictionSoft has ${quote(key)}, and evictionSoftGracePeriod must have it too`),
    ...periods
      .filter((key) => !thresholds.includes(key))
      .map((key) => `evictionSoftGracePeriod has ${quote(key)}, and evictionSoft must have it too`),
  ];
}

function keysOf(map: unknown): string[] {
  return isRecord(map) ? Object.keys(map) : [];
}

function checkNumbers(kubelet: Kubelet): string[] {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet;
  const problems = ["maxPods", "podsPerCore", "evictionMaxPodGracePeriod"].flatMap((name) => {
    const value = kubelet[name];
    return typeof value === "number" && value < 0 ? [`${name} must not be negative, found ${value}`] : [];
  });
  for (const [name, value] of Object.entries({ imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low })) {
    if (typeof value === "number" && (value < 0 || value > 100)) {
      problems.push(`${name} must be from 0 to 100, found ${value}`);
    }
  }
  if (typeof high === "number" && typeof low === "number" && high <= low) {
    problems.push(
      `imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent, found ${high} and ${low}`,
    );
  }
  return problems;
}
