import { type Catalogue, fits, type InstanceType } from "./catalogue.ts";
import { labelsOf, type PlacedNode, sumRequests } from "./placed-node.ts";
import { hasLabels, satisfies } from "./selector.ts";
import type { Violations } from "./violations.ts";

/** With fewer types to choose from a spot machine is likely to be taken away again soon. */
const enoughForSpot = 15;

/** Every alternative could take the planned node's place, and a spot node has enough of them where there are enough. */
export function checkAlternatives(placed: PlacedNode, catalogue: Catalogue, violations: Violations): void {
  const { node, type } = placed;
  if (node.alternatives === undefined) return;
  const named = new Set([type.name, ...node.alternatives]);
  if (new Set(node.alternatives).size < node.alternatives.length) {
    violations.add("alternative named twice", `for ${type.name}`);
  }
  const canReplace = replacementTest(placed);
  for (const name of named) {
    const alternative = catalogue.get(name);
    if (name === type.name || (alternative !== undefined && canReplace(alternative))) continue;
    violations.add("impossible alternative", `${name} for ${type.name} in ${node.zone}, ${node.capacityType}`);
  }
  if (node.capacityType !== "spot" || named.size >= enoughForSpot) return;
  let possible = 0;
  for (const other of catalogue.values()) if (canReplace(other)) possible++;
  if (named.size < Math.min(enoughForSpot, possible)) {
    violations.add("too few alternatives for spot", `${named.size} of ${possible} for ${type.name}`);
  }
}

function replacementTest({ node, pool, pods }: PlacedNode): (type: InstanceType) => boolean {
  const used = sumRequests(pods);
  const requirements = pool.spec.template.spec.requirements ?? [];
  const selectors = new Map(pods.map(({ spec }) => [JSON.stringify(spec.nodeSelector ?? {}), spec.nodeSelector ?? {}]));
  return (type) => {
    if (!fits(used, type.allocatable)) return false;
    if (!type.offers.some((offer) => offer.zone === node.zone && offer.capacityType === node.capacityType))
      return false;
    const labels = labelsOf(type, pool, node);
    return (
      requirements.every((requirement) => satisfies(requirement, labels)) &&
      [...selectors.values()].every((selector) => hasLabels(selector, labels))
    );
  };
}
