import { oldProvisionerNameLabel } from "../model/labels.ts";
import { formatAmount } from "../model/quantity.ts";
import { describeRequirement } from "../model/requirement-entries.ts";
import type { Resources } from "../model/resources.ts";
import { describeForeignTaint, taintName } from "../model/taints.ts";
import { hourlyPriceLimit } from "./budgets.ts";
import type { PoolRefusal, PoolRefusalReason, Refusal } from "./refusal.ts";
import type { TopologyKind } from "./topology-groups.ts";
import type { VolumeProblem } from "./volume-needs.ts";

/** Why a pod got no node and what would help, in words for somebody who was woken up by it. */
export function describeRefusal(refusal: Refusal): string {
  switch (refusal.kind) {
    case "volume":
      return `Volume claim "${refusal.claim}" ${volumeWords[refusal.problem]}.`;
    case "device-claims":
      return "The pod asks for devices through resource claims, which are not planned for.";
    case "restricted-label":
      return `The pod selects the label "${refusal.key}", which no new node can be given. Remove it from its node selector or affinity.`;
    case "no-pools":
      return "There is no node pool that could provide a node: create one, or see why those there are not ready.";
    case "reservation-taken":
      return "The pod waits for reserved capacity that other pods take first; it is looked at again in the next round.";
    case "tentative":
      return "The pod is still to be created, and what it will ask for is not certain yet.";
    case "no-fit":
      return refusal.pools.map(describePoolRefusal).join(" ");
  }
}

type Reason<Kind extends PoolRefusalReason["kind"]> = Extract<PoolRefusalReason, { kind: Kind }>;

function describePoolRefusal({ pool, reason }: PoolRefusal): string {
  return `Pool "${pool}" ${describeReason(reason)}.`;
}

function describeReason(reason: PoolRefusalReason): string {
  switch (reason.kind) {
    case "unusable":
      return `cannot be used: ${reason.because}`;
    case "static":
      return "keeps a fixed number of nodes and adds none for pending pods";
    case "nothing-offered":
      return "has no instance type on offer that meets its requirements";
    case "taint":
      return reason.taint.isForeign === true
        ? `cannot be used now: ${describeForeignTaint(reason.taint)}`
        : `has the taint ${taintName(reason.taint)}, which the pod does not tolerate`;
    case "requirement":
      if (reason.key === oldProvisionerNameLabel) {
        return "comes of no Provisioner, and the pod selects nodes by a label that only those of Provisioners have";
      }
      return `${offerWords(reason)}, but the pod wants ${reason.wanted ? describeRequirement(reason.key, reason.wanted) : `another ${reason.key}`}`;
    case "volume-topology":
      return `has no machines where the pod's volumes are (${reason.keys.join(", ")})`;
    case "host-port":
      return "runs a daemon that takes a host port the pod asks for";
    case "resources":
      return `has nothing large enough: ${shortageWords(reason)}`;
    case "limit":
      return `has reached its limit: ${limitWords(reason.resource, reason.remaining)} of ${reason.resource} ${reason.remaining === 1 ? "is" : "are"} left of ${limitWords(reason.resource, reason.limit)}, and every machine that would hold the pod needs more`;
    case "min-values":
      return `demands at least ${reason.wanted} values of ${reason.key}, but only ${reason.found} would hold the pod`;
    case "topology":
      return `has machines for the pod, but ${topologyWords[reason.rule]} over ${reason.key} allows none of them now`;
  }
}

const volumeWords: Readonly<Record<VolumeProblem, string>> = {
  "claim-missing": "does not exist",
  "claim-deleting": "is being deleted",
  "claim-lost": "has lost its volume",
  "volume-missing": "is bound to a volume that does not exist",
  "volume-deleting": "is bound to a volume that is being deleted",
  "binding-incomplete": "is not completely bound yet",
  "no-storage-class": "is not bound and names no storage class",
  "storage-class-missing": "names a storage class that does not exist",
  "binds-immediately": "is not bound although its storage class binds immediately: see the claim's events",
};

const topologyWords: Readonly<Record<TopologyKind, string>> = {
  spread: "its topology spread",
  affinity: "its pod affinity",
  "anti-affinity": "pod anti-affinity",
};

function offerWords({ key, offered, required }: Reason<"requirement">): string {
  const requirement = required && `requires ${describeRequirement(key, required)}`;
  if (offered.length === 0) return requirement ?? `offers no ${key}`;
  const shown = offered.slice(0, 5).join(", ");
  const values = `offers ${key} ${shown}${offered.length > 5 ? ` and ${offered.length - 5} others` : ""}`;
  return requirement ? `${values} and otherwise ${requirement}` : values;
}

function shortageWords({ instanceType, missing, daemons }: Reason<"resources">): string {
  const countless = [...missing].filter(isCountless).map(([resource]) => resource);
  if (countless.length > 0) {
    const areDaemons = [...daemons].some(isCountless);
    const asking = areDaemons ? "the pod and the daemon sets of its node ask" : "the pod asks";
    return `${asking} for more ${countless.join(" and ")} than any machine has`;
  }
  const less = `asked for ${amountWords(missing)} less`;
  if (daemons.size === 0) return `the nearest miss is ${instanceType}, which would do if the pod ${less}`;
  return `the nearest miss is ${instanceType}, of which daemon sets take ${amountWords(daemons)}: it would do if they and the pod ${less}`;
}

function isCountless([, amount]: readonly [string, number]): boolean {
  return amount >= Number.MAX_SAFE_INTEGER;
}

function amountWords(amounts: Resources): string {
  return [...amounts].map(([resource, amount]) => `${formatAmount(resource, amount)} ${resource}`).join(" and ");
}

function limitWords(resource: string, amount: number): string {
  return resource === hourlyPriceLimit ? `$${(amount / 1e6).toFixed(4)}` : formatAmount(resource, Math.max(0, amount));
}
