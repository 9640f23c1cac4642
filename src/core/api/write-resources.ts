import type { Resources } from "../model/resources.ts";

const binaryUnits: readonly (readonly [string, number])[] = [
  ["Ti", 2 ** 40],
  ["Gi", 2 ** 30],
  ["Mi", 2 ** 20],
  ["Ki", 2 ** 10],
];

/** Amounts as manifests write them: millicores with `m`, bytes in the largest unit that leaves no fraction. */
export function writeResources(resources: Resources): Record<string, string> {
  return Object.fromEntries(Array.from(resources, ([name, amount]) => [name, writeAmount(name, amount)]));
}

function writeAmount(name: string, amount: number): string {
  if (name === "cpu") return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  const isBytes = name === "memory" || name === "ephemeral-storage" || name.startsWith("hugepages-");
  const unit = isBytes && amount > 0 ? binaryUnits.find(([, size]) => amount % size === 0) : undefined;
  return unit === undefined ? String(amount) : `${amount / unit[1]}${unit[0]}`;
}
