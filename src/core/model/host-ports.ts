import type { HostPort } from "./pod.ts";

/** Two pods on one node cannot both have these. */
export function portsConflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || isEveryAddress(a.ip) || isEveryAddress(b.ip);
}

/** 0.0.0.0 and every spelling of the IPv6 one: nothing but zeros. */
function isEveryAddress(ip: string): boolean {
  return /^[0.:]+$/.test(ip);
}
