import { parseQuantity } from "./quantity.ts";
import { addQuantities, maxQuantities, type ResourceQuantities } from "./resources.ts";

export interface ContainerResources {
  /** With limits standing in for requests that are not given: see {@link requestsOrLimits}. */
  readonly requests: ResourceQuantities;
  /** An init container that keeps running beside the pod's containers: a sidecar. */
  readonly isRestartable: boolean;
  /** What the kubelet has set aside, which differs from the requests while the pod is resized in place. */
  readonly allocated?: ResourceQuantities | undefined;
}

export interface PodResourceSource {
  readonly containers: readonly ContainerResources[];
  /** In the order in which they start. */
  readonly initContainers: readonly ContainerResources[];
  /** What the runtime class adds. */
  readonly overhead: ResourceQuantities;
  /** The requests of the pod as a whole. */
  readonly podLevel: ResourceQuantities | undefined;
}

const nothing: ResourceQuantities = new Map();
const onePod: ResourceQuantities = new Map([["pods", parseQuantity(1) ?? 0n]]);

/** What kube-scheduler sets aside for the pod on a node, and one of the node's `pods`. */
export function effectiveRequests(pod: PodResourceSource): ResourceQuantities {
  return addQuantities(addQuantities(withoutOverhead(pod), pod.overhead), onePod);
}

/** What quotas count as the limits of a pod. The source has limits in place of requests. */
export function effectiveLimits(pod: PodResourceSource): ResourceQuantities {
  const limits = withoutOverhead(pod);
  return addQuantities(limits, new Map([...pod.overhead].filter(([name]) => limits.has(name))));
}

function withoutOverhead(pod: PodResourceSource): ResourceQuantities {
  const ofContainers = maxQuantities(whileRunning(pod), whileStarting(pod));
  return pod.podLevel === undefined ? ofContainers : overridden(ofContainers, pod.podLevel);
}

/** All containers and all sidecars at once. */
function whileRunning({ containers, initContainers }: PodResourceSource): ResourceQuantities {
  const sidecars = initContainers.filter(({ isRestartable }) => isRestartable);
  return [...containers, ...sidecars].map(held).reduce(addQuantities, nothing);
}

/** The worst moment before the containers start: one init container after the other, beside the sidecars before it. */
function whileStarting({ initContainers }: PodResourceSource): ResourceQuantities {
  let sidecars = nothing;
  let worst = nothing;
  for (const container of initContainers) {
    const now = addQuantities(sidecars, held(container));
    worst = maxQuantities(worst, now);
    if (container.isRestartable) sidecars = now;
  }
  return worst;
}

function held({ requests, allocated = nothing }: ContainerResources): ResourceQuantities {
  return maxQuantities(requests, allocated);
}

/** A pod as a whole can only ask for what its containers can share. */
function overridden(requests: ResourceQuantities, podLevel: ResourceQuantities): ResourceQuantities {
  const result = new Map(requests);
  for (const [name, quantity] of podLevel) if (isShareable(name)) result.set(name, quantity);
  return result;
}

function isShareable(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/**
 * Requests, and the limit of each resource that has no request. The API server does this to pods but not to pod
 * templates, so it matters for the daemons that a new node will run.
 */
export function requestsOrLimits(requests: ResourceQuantities, limits: ResourceQuantities): ResourceQuantities {
  return new Map([...limits, ...requests]);
}
