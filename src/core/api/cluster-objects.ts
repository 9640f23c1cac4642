import type { Labels } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { Pod } from "../model/pod.ts";
import type { Selector } from "../model/selector.ts";
import type { StorageClass, Volume, VolumeClaim } from "../model/volumes.ts";

/** A cluster as its objects tell it. This layer does not know the planner's Snapshot, but this is one. */
export interface ClusterObjects {
  readonly nodePools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly daemonPods: readonly Pod[];
  readonly namespaces: ReadonlyMap<string, Labels>;
  readonly volumeClaims: ReadonlyMap<string, VolumeClaim>;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly storageClasses: ReadonlyMap<string, StorageClass>;
  readonly services: readonly SelectingService[];
  readonly controllerSelectors: ReadonlyMap<string, Selector>;
}

export interface SelectingService {
  readonly namespace: string;
  readonly labels: Labels;
}
