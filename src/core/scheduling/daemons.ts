import { initializedLabel, type Labels, registeredLabel } from "../model/labels.ts";
import type { HostPort, Pod } from "../model/pod.ts";
import type { NodeTerm } from "../model/requirements.ts";
import { addResources, noResources, type Resources } from "../model/resources.ts";
import { daemonTolerations, type Taint, type Toleration, untoleratedTaint } from "../model/taints.ts";
import { type Ask, acceptsLabelsStrictly, stagesOf } from "./ask.ts";

/** What daemon pods take of every node they run on. */
export interface DaemonOverhead {
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
}

interface Daemon {
  readonly pod: Pod;
  readonly ask: Ask;
}

/** A taint that only asks to be avoided does not keep a daemon away. */
const added: readonly Toleration[] = [
  ...daemonTolerations,
  { key: "", operator: "Exists", value: "", effect: "PreferNoSchedule" },
];

export class Daemons {
  private readonly daemons: readonly Daemon[];

  constructor(pods: readonly Pod[]) {
    // Daemon pods that ask for devices run nowhere while device requests are not planned for.
    this.daemons = pods
      .filter((pod) => !pod.spec.usesResourceClaims)
      .map((pod) => ({ pod, ask: stagesOf(pod.spec, false, false)[0]! }));
  }

  /** What runs on a new node with these labels and taints, whatever the open labels turn out to be. */
  onNewNode(labels: Labels, taints: readonly Taint[], openKeys: ReadonlySet<string>): DaemonOverhead {
    const settled = new Map(labels).set(registeredLabel, "true").set(initializedLabel, "true");
    return overheadOf(this.running(settled, taints, openKeys).map(({ pod }) => pod));
  }

  /** What runs, now or soon, on a node that exists. */
  onNode(labels: Labels, taints: readonly Taint[]): DaemonOverhead {
    return overheadOf(this.running(labels, taints, new Set()).map(({ pod }) => pod));
  }

  private running(labels: Labels, taints: readonly Taint[], openKeys: ReadonlySet<string>): Daemon[] {
    return this.daemons.filter(
      ({ ask }) =>
        untoleratedTaint([...ask.tolerations, ...added], taints) === undefined &&
        acceptsLabelsStrictly(withoutKeys(ask, openKeys), labels),
    );
  }
}

/** What is still to come on a node where some daemon pods may run already. Their ports are named in any case. */
export function stillToCome({ requests, hostPorts }: DaemonOverhead, runningRequests: Resources): DaemonOverhead {
  const missing = new Map<string, number>();
  for (const [resource, amount] of requests)
    missing.set(resource, Math.max(0, amount - (runningRequests.get(resource) ?? 0)));
  return { requests: missing, hostPorts };
}

function withoutKeys(ask: Ask, keys: ReadonlySet<string>): Ask {
  if (keys.size === 0) return ask;
  const strip = (term: NodeTerm): NodeTerm => new Map([...term].filter(([key]) => !keys.has(key)));
  return { ...ask, nodeSelector: strip(ask.nodeSelector), requiredNodeTerms: ask.requiredNodeTerms.map(strip) };
}

function overheadOf(pods: readonly Pod[]): DaemonOverhead {
  return {
    requests: pods.reduce((sum, pod) => addResources(sum, pod.spec.requests), noResources),
    hostPorts: pods.flatMap((pod) => pod.spec.hostPorts),
  };
}
