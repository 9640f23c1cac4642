import type { Resources } from "../../core/model/resources.ts";

/** `17:04:05`, in UTC like everything that Kubernetes says. */
export function describeTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** `4s`, `12m`, `3h`, `5d`: the largest unit that says enough. */
export function describeAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

export function describePrice(dollars: number): string {
  return `$${dollars.toFixed(dollars < 10 ? 3 : 2)}`;
}

export function describeCores(millicores: number): string {
  return String(Math.round(millicores / 100) / 10);
}

export function describeGib(bytes: number): string {
  return String(Math.round(bytes / 2 ** 30));
}

/** How much of a resource is taken, from 0 to 1; 0 where there is none of it. */
export function shareOf(resource: string, used: Resources, total: Resources): number {
  const all = total.get(resource) ?? 0;
  return all <= 0 ? 0 : Math.min(1, Math.max(0, (used.get(resource) ?? 0) / all));
}

/** `███░░  63%` */
export function drawBar(share: number, width: number): string {
  const full = Math.round(share * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${`${Math.round(share * 100)}%`.padStart(4)}`;
}
