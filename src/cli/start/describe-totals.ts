import type { Totals } from "../nodes/look-at-cluster.ts";
import { describePrice, shareOf } from "../terminal/describe.ts";

/** `12 of 13 nodes ready, $1.440/h, cpu 79%, memory 60%, 55 pods running, 22 pending` */
export function describeTotals({ nodes, ready, price, running, starting, pending, ...resources }: Totals): string {
  const used = (resource: string): string =>
    `${resource} ${Math.round(100 * shareOf(resource, resources.requested, resources.allocatable))}%`;
  const parts = [
    ready === nodes ? `${nodes} ${nodes === 1 ? "node" : "nodes"}` : `${ready} of ${nodes} nodes ready`,
    `${describePrice(price)}/h`,
    used("cpu"),
    used("memory"),
    `${running} ${running === 1 ? "pod" : "pods"} running`,
    ...(starting === 0 ? [] : [`${starting} starting`]),
    `${pending} pending`,
  ];
  return parts.join(", ");
}
