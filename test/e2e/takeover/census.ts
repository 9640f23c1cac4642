import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { ApiClient } from "../controller/api-client.ts";
import type { Condition, NodeClaim } from "../controller/manifests.ts";

const poolLabel = "karpenter.sh/nodepool";
const milestones = ["Launched", "Registered", "Initialized", "Ready"];

/** Who is there at a moment, and what would tell that somebody did something to them. */
export interface Census {
  readonly claims: Readonly<Record<string, object>>;
  readonly nodes: Readonly<Record<string, object>>;
  readonly pods: Readonly<Record<string, object>>;
}

type TimedCondition = Condition & { readonly lastTransitionTime?: string };

/** What is left out comes and goes by itself. */
export interface Omission {
  readonly pool: string;
}

export async function takeCensus(api: ApiClient, without: Omission): Promise<Census> {
  const [claims, nodes, pods] = await Promise.all([
    api.list<NodeClaim>("/apis/karpenter.sh/v1/nodeclaims"),
    api.list<Node>("/api/v1/nodes"),
    api.list<Pod>("/api/v1/namespaces/default/pods"),
  ]);
  const stay = nodes.filter(({ metadata }) => metadata?.labels?.[poolLabel] !== without.pool);
  const stayed = new Set(stay.map(({ metadata }) => metadata?.name));
  return {
    claims: byName(claims.map((claim) => [claim.metadata.name, describeClaim(claim, without)])),
    nodes: byName(stay.map((node) => [node.metadata?.name, describeNode(node)])),
    pods: byName(
      pods
        .filter(({ spec }) => stayed.has(spec?.nodeName))
        .map(({ metadata, spec, status }) => [
          metadata?.name,
          { uid: metadata?.uid, node: spec?.nodeName, phase: status?.phase, isGoing: metadata?.deletionTimestamp },
        ]),
    ),
  };
}

function describeClaim({ metadata, status }: NodeClaim, { pool }: Omission): object {
  const { uid, labels, deletionTimestamp } = metadata;
  const conditions: readonly TimedCondition[] = status?.conditions ?? [];
  // Deletion makes a new generation, and until somebody says the others again, nobody knows whether the claim is ready.
  const isKnown = (type: string): boolean => type !== "Ready" || deletionTimestamp === undefined;
  const passed = conditions.filter(({ type }) => milestones.includes(type) && isKnown(type));
  const isOmitted = labels?.[poolLabel] === pool;
  return {
    uid,
    providerID: status?.providerID,
    isGoing: deletionTimestamp,
    ...(!isOmitted && {
      labels,
      nodeName: status?.nodeName,
      passed: Object.fromEntries(passed.map((one) => [one.type, [one.status, one.lastTransitionTime]]).sort()),
    }),
  };
}

function describeNode({ metadata, spec }: Node): object {
  const taints = (spec?.taints ?? []).map(({ key, value = "", effect }) => `${key}=${value}:${effect}`).sort();
  return { uid: metadata?.uid, isGoing: metadata?.deletionTimestamp, labels: metadata?.labels, taints };
}

function byName(entries: readonly (readonly [string | undefined, object])[]): Record<string, object> {
  return Object.fromEntries(entries.map(([name = "", object]) => [name, JSON.parse(JSON.stringify(object))]));
}

/** What differs, a line each; nothing when nobody did anything. */
export function compareCensus(before: Census, after: Census): string[] {
  return (["claims", "nodes", "pods"] as const).flatMap((kind) => {
    const names = new Set([...Object.keys(before[kind]), ...Object.keys(after[kind])]);
    return [...names].flatMap((name) => {
      const [was, is] = [JSON.stringify(before[kind][name]), JSON.stringify(after[kind][name])];
      return was === is ? [] : [`of the ${kind}, ${name} was ${was} and is ${is}`];
    });
  });
}
