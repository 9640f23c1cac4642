/** Labels and annotations. A Map, because keys come from users and an object would inherit some. */
export type Labels = ReadonlyMap<string, string>;

export const zoneLabel = "topology.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";
export const hostnameLabel = "kubernetes.io/hostname";
export const instanceTypeLabel = "node.kubernetes.io/instance-type";
export const archLabel = "kubernetes.io/arch";
export const osLabel = "kubernetes.io/os";
export const windowsBuildLabel = "node.kubernetes.io/windows-build";
export const capacityTypeLabel = "karpenter.sh/capacity-type";
export const nodePoolLabel = "karpenter.sh/nodepool";
/** What the nodes of a pool carry that is made of a Provisioner, beside the name of the pool. */
export const provisionerNameLabel = "karpenter.sh/provisioner-name";
/** What that was called until v0.2.8. Nodes that have it carry all else by its old names, too. */
export const oldProvisionerNameLabel = "provisioning.karpenter.sh/name";
export const registeredLabel = "karpenter.sh/registered";
export const initializedLabel = "karpenter.sh/initialized";

/** Pods may ask for these although no pool mentions them: the cloud decides what they are. Providers add theirs. */
export const wellKnownLabels: ReadonlySet<string> = new Set([
  nodePoolLabel,
  zoneLabel,
  regionLabel,
  instanceTypeLabel,
  archLabel,
  osLabel,
  capacityTypeLabel,
  windowsBuildLabel,
]);

/** Domains whose labels belong to the controller. Providers add theirs. */
export const restrictedLabelDomains: ReadonlySet<string> = new Set(["karpenter.sh"]);

const stableKeys: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", zoneLabel],
  ["failure-domain.beta.kubernetes.io/region", regionLabel],
  ["beta.kubernetes.io/arch", archLabel],
  ["beta.kubernetes.io/os", osLabel],
  ["beta.kubernetes.io/instance-type", instanceTypeLabel],
  // What the EBS driver writes on volumes and nodes.
  ["topology.ebs.csi.aws.com/zone", zoneLabel],
]);

/** The stable key in place of the old name that some manifests still use. */
export function normalizeLabelKey(key: string): string {
  return stableKeys.get(key) ?? key;
}

/** A label that users can neither set nor ask for: a host name, or an unknown one in a domain of ours. */
export function isRestrictedLabel(
  key: string,
  wellKnown: ReadonlySet<string> = wellKnownLabels,
  restrictedDomains: ReadonlySet<string> = restrictedLabelDomains,
): boolean {
  // Pods may ask for the Provisioner that a pool is made of, though no cloud knows it.
  if (wellKnown.has(key) || isProvisionerName(key)) return false;
  return key === hostnameLabel || isInDomain(key, restrictedDomains);
}

/** Whether a label names the Provisioner that a pool is made of. */
export function isProvisionerName(key: string): boolean {
  return key === provisionerNameLabel || key === oldProvisionerNameLabel;
}

/** Also in a sub-domain: `a.karpenter.sh/b` is in `karpenter.sh`, `a-karpenter.sh/b` is not. */
function isInDomain(key: string, domains: ReadonlySet<string>): boolean {
  const slash = key.indexOf("/");
  if (slash < 0) return false;
  let domain = key.slice(0, slash);
  while (!domains.has(domain)) {
    const dot = domain.indexOf(".");
    if (dot < 0) return false;
    domain = domain.slice(dot + 1);
  }
  return true;
}

const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const subdomainPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 63;
const longestSubdomain = 253;

/** Whether this can be the key of a label, an annotation or a taint. */
export function isQualifiedName(key: string): boolean {
  const slash = key.indexOf("/");
  return isName(key.slice(slash + 1)) && (slash < 0 || isSubdomain(key.slice(0, slash)));
}

export function isLabelValue(value: string): boolean {
  return value === "" || isName(value);
}

function isName(text: string): boolean {
  return text.length <= longestName && namePattern.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= longestSubdomain && subdomainPattern.test(text);
}
