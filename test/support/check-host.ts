import { portsConflict } from "../../src/core/model/host-ports.ts";
import { hostnameLabel, initializedLabel, type Labels, registeredLabel } from "../../src/core/model/labels.ts";
import type { HostPort, Pod, PodSpec } from "../../src/core/model/pod.ts";
import { isDaemonPod } from "../../src/core/model/pod-lifecycle.ts";
import { holdsOn, type NodeTerm, requirementsFromLabels } from "../../src/core/model/requirements.ts";
import type { Resources } from "../../src/core/model/resources.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import { type Taint, type Toleration, tolerates } from "../../src/core/model/taints.ts";
import { findDefaultClass } from "../../src/core/model/volumes.ts";

/** A node, there already or still to be launched, with the pods that would be on it. */
export interface Host {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  /** Undefined on a new node: attachments are only counted where a node says how many it takes. */
  readonly volumeLimits: Resources | undefined;
  readonly isNew: boolean;
  /** Pods that run there already. */
  readonly bound: readonly Pod[];
  /** Pods that the plan puts there. */
  readonly planned: readonly Pod[];
  readonly requestsOf: (pod: Pod) => Resources;
}

/** What is wrong with the pods on one host, rules about other hosts aside. */
export function checkHost(host: Host, snapshot: Snapshot): string[] {
  return [
    ...host.planned.flatMap((pod) => checkPodOnHost(pod, host, snapshot)),
    ...checkResources(host, snapshot),
    ...checkPorts(host, snapshot),
    ...checkAttachments(host, snapshot),
  ];
}

function checkPodOnHost(pod: Pod, host: Host, snapshot: Snapshot): string[] {
  const found: string[] = [];
  if (!acceptsNodeLabels(pod.spec, host.labels)) found.push(`${pod.name} does not accept the labels of ${host.name}`);
  for (const taint of host.taints) {
    if (taint.effect !== "PreferNoSchedule" && !tolerates(pod.spec.tolerations, taint)) {
      found.push(`${pod.name} does not tolerate ${taint.key}:${taint.effect} of ${host.name}`);
    }
  }
  for (const { claim, terms } of volumesOf(pod, snapshot)) {
    if (terms.length > 0 && !terms.some((term) => holdsOn(term, host.labels))) {
      found.push(`${claim} of ${pod.name} cannot be attached to ${host.name}`);
    }
  }
  return found;
}

export function acceptsNodeLabels(spec: PodSpec, labels: Labels): boolean {
  if (!holdsOn(requirementsFromLabels(spec.nodeSelector), labels)) return false;
  return spec.requiredNodeTerms.length === 0 || spec.requiredNodeTerms.some((term) => holdsOn(term, labels));
}

export function acceptsTaints(spec: PodSpec, taints: readonly Taint[]): boolean {
  return taints.every((taint) => taint.effect === "PreferNoSchedule" || tolerates(spec.tolerations, taint));
}

/** Added up without rounding, whatever the amounts. */
function checkResources(host: Host, snapshot: Snapshot): string[] {
  const used = new Map<string, bigint>();
  const daemonUse = new Map<string, bigint>();
  for (const pod of host.bound) {
    add(used, pod.spec.requests);
    if (isDaemonPod(pod)) add(daemonUse, pod.spec.requests);
  }
  const daemons = new Map<string, bigint>();
  for (const daemon of daemonsOn(host, snapshot)) add(daemons, daemon.spec.requests);
  const asked = new Map<string, bigint>();
  for (const pod of host.planned) add(asked, host.requestsOf(pod));
  const found: string[] = [];
  for (const name of new Set([...asked.keys(), ...(host.isNew ? daemons.keys() : [])])) {
    const toCome = (daemons.get(name) ?? 0n) - (daemonUse.get(name) ?? 0n);
    const wanted = asked.get(name) ?? 0n;
    // A node may be overdrawn already; what counts is whether pods come that ask for more of the same.
    if (wanted === 0n && !host.isNew) continue;
    const total = wanted + (used.get(name) ?? 0n) + (toCome > 0n ? toCome : 0n);
    const room = BigInt(host.allocatable.get(name) ?? 0);
    if (total > room) found.push(`${host.name} has ${room} of ${name} but ${total} is needed`);
  }
  return found;
}

export function add(sums: Map<string, bigint>, amounts: Resources): void {
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount));
}

const daemonTolerations: readonly Toleration[] = [
  { key: "", operator: "Exists", value: "", effect: "PreferNoSchedule" },
  ...["not-ready", "unreachable"].map((name) => forCondition(name, "NoExecute")),
  ...["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map((name) =>
    forCondition(name, "NoSchedule"),
  ),
];

function forCondition(name: string, effect: "NoExecute" | "NoSchedule"): Toleration {
  return { key: `node.kubernetes.io/${name}`, operator: "Exists", value: "", effect };
}

export function daemonsOn(host: Pick<Host, "labels" | "taints" | "isNew">, { daemonPods }: Snapshot): Pod[] {
  const labels = new Map(host.labels);
  if (host.isNew) labels.set(registeredLabel, "true").set(initializedLabel, "true");
  return daemonPods.filter(({ spec }) => {
    const tolerations = [...spec.tolerations, ...daemonTolerations];
    const isTolerant = host.taints.every((taint) => tolerates(tolerations, taint));
    return isTolerant && !spec.usesResourceClaims && acceptsNodeLabels(spec, labels);
  });
}

function checkPorts(host: Host, snapshot: Snapshot): string[] {
  // Daemons get their ports, also those that are still to come.
  const takers = [...host.bound, ...daemonsOn(host, snapshot)].map(portsOf);
  const found: string[] = [];
  for (const pod of host.planned) {
    for (const { name, ports } of takers) {
      if (ports.some((port) => pod.spec.hostPorts.some((own) => portsConflict(own, port)))) {
        found.push(`${pod.name} wants a port on ${host.name} that ${name} has`);
      }
    }
    takers.push(portsOf(pod));
  }
  return found;
}

function portsOf({ name, spec }: Pod): { name: string; ports: readonly HostPort[] } {
  return { name, ports: spec.hostPorts };
}

function checkAttachments({ name, volumeLimits, bound, planned }: Host, snapshot: Snapshot): string[] {
  const claims = new Map<string, Set<string>>();
  const newcomers = new Set<string>();
  for (const pod of [...bound, ...planned]) {
    for (const { claim, driver } of volumesOf(pod, snapshot)) {
      if (driver === "") continue;
      const attached = claims.get(driver) ?? new Set();
      if (planned.includes(pod) && !attached.has(claim)) newcomers.add(driver);
      claims.set(driver, attached.add(claim));
    }
  }
  return [...claims].flatMap(([driver, attached]) => {
    const limit = volumeLimits?.get(driver) ?? Number.POSITIVE_INFINITY;
    if (attached.size <= limit || !newcomers.has(driver)) return [];
    return [`${name} takes ${limit} volumes of ${driver} but would get ${attached.size}`];
  });
}

interface MountedVolume {
  readonly claim: string;
  readonly driver: string;
  /** One of them must hold, unless there are none. */
  readonly terms: readonly NodeTerm[];
}

function volumesOf(pod: Pod, { volumeClaims, volumes, storageClasses }: Snapshot): MountedVolume[] {
  return pod.spec.volumeClaims.map(({ claimName, storageClassName }) => {
    const claim = `${pod.namespace}/${claimName}`;
    const known = volumeClaims.get(claim);
    const volume = volumes.get(known?.volumeName ?? "");
    if (volume)
      return { claim, driver: volume.driver, terms: volume.isLocal ? volume.nodeTerms.map(movable) : volume.nodeTerms };
    const className = known
      ? known.storageClassName
      : (storageClassName ?? findDefaultClass(storageClasses.values())?.name);
    const storageClass = storageClasses.get(className ?? "");
    return { claim, driver: storageClass?.driver ?? "", terms: storageClass?.allowedTopologies ?? [] };
  });
}

/** What a local volume says of its host is forgotten: a pod that loses its node gets a new volume. */
function movable(term: NodeTerm): NodeTerm {
  return new Map([...term].filter(([key]) => key !== hostnameLabel));
}
