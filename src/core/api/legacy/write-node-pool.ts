import { nodePools } from "../karpenter-resources.ts";
import type { Endings } from "./convert-disruption.ts";
import type { Requirement } from "./convert-requirements.ts";
import type { Ref } from "./drafts.ts";
import type { Metadata } from "./write-metadata.ts";

/** What a NodePool says, whichever kind it comes from. */
export interface PoolBody {
  readonly labels: ReadonlyMap<string, string>;
  /** `annotations` of the nodes, as far as there are any; the same for taints and limits. */
  readonly annotations: object;
  readonly taints: object;
  readonly limits: object;
  readonly requirements: readonly Requirement[];
  readonly endings: Endings;
  readonly weight: number | undefined;
  readonly terminationGracePeriod?: string | undefined;
}

export function writeNodePool(metadata: Metadata, body: PoolBody, nodeClassRef: Ref): object {
  const { labels, annotations, taints, limits, requirements, endings, weight, terminationGracePeriod } = body;
  const nodes = { ...(labels.size === 0 ? {} : { labels: Object.fromEntries(labels) }), ...annotations };
  return {
    apiVersion: `${nodePools.group}/${nodePools.version}`,
    kind: nodePools.kind,
    metadata,
    spec: {
      template: {
        ...(Object.keys(nodes).length === 0 ? {} : { metadata: nodes }),
        spec: {
          nodeClassRef: { group: nodeClassRef.group, kind: nodeClassRef.kind, name: nodeClassRef.name },
          requirements,
          ...taints,
          expireAfter: endings.expireAfter,
          ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
        },
      },
      disruption: endings.disruption,
      ...limits,
      ...(weight === undefined ? {} : { weight }),
    },
  };
}
