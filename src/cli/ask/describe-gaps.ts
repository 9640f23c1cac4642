import type { Gap } from "./lenient-transport.ts";

const ours: ReadonlySet<string> = new Set(["nodepools", "nodeclaims"]);
const classes: ReadonlySet<string> = new Set(["kwoknodeclasses", "ec2nodeclasses"]);

/** What is not seen of the cluster, for people. A kind of node class that a cluster does not have is no gap. */
export function describeGaps(gaps: readonly Gap[]): readonly string[] {
  const absent = gaps.filter(({ plural, isForbidden }) => !isForbidden && ours.has(plural)).map(({ plural }) => plural);
  const forbidden = gaps.filter(({ isForbidden }) => isForbidden).map(({ plural }) => plural);
  const others = gaps.filter(({ plural, isForbidden }) => !isForbidden && !ours.has(plural) && !classes.has(plural));
  return [
    ...(absent.length === 0
      ? []
      : [`this cluster does not know ${absent.join(" and ")}: Karpenter's definitions are not installed`]),
    ...(others.length === 0 ? [] : [`this cluster does not know ${others.map(({ plural }) => plural).join(", ")}`]),
    ...(forbidden.length === 0 ? [] : [`you may not list ${forbidden.join(", ")}, so they are left out`]),
  ];
}
