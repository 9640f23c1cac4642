import type { Labels } from "./labels.ts";
import type { Node } from "./node.ts";
import type { NodePool } from "./node-pool.ts";
import type { Pod } from "./pod.ts";
import type { Selector } from "./selector.ts";
import type { StorageClass, Volume, VolumeClaim } from "./volumes.ts";

/** The cluster at one moment. Nothing in it ever changes, so a fork is a shallow copy with other nodes or pods. */
export interface Snapshot {
  readonly nodePools: readonly NodePool[];
  readonly nodes: readonly Node[];
  /** Every pod that holds a place on a node, by the node's name; finished pods are not in it. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  /** One pod for each DaemonSet, as it would look on a new node. */
  readonly daemonPods: readonly Pod[];
  /** Labels of every namespace, by name. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** By `namespace/name`. */
  readonly volumeClaims: ReadonlyMap<string, VolumeClaim>;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly storageClasses: ReadonlyMap<string, StorageClass>;
  /** Selectors of services and of the controllers that own pods: default spread constraints are deduced from them. */
  readonly services: readonly ServiceSelector[];
  /** By `namespace/kind/name` of a ReplicaSet, StatefulSet or ReplicationController. */
  readonly controllerSelectors: ReadonlyMap<string, Selector>;
}

export interface ServiceSelector {
  readonly namespace: string;
  readonly labels: Labels;
}
