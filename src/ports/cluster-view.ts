import type { NodeClaim } from "../core/model/node-claim.ts";
import type { NodeObject } from "../core/model/node-object.ts";
import type { NodeClassObject, NodePoolObject } from "../core/model/node-pool-object.ts";

/** What a cloud may see of the cluster that it works for. */
export interface ClusterView {
  readonly claims: ObjectView<NodeClaim>;
  readonly nodes: ObjectView<NodeObject>;
  readonly pools: ObjectView<NodePoolObject>;
  /** By `Kind/name`. */
  readonly nodeClasses: ObjectView<NodeClassObject>;
  claimsOf(machine: { readonly providerId: string }): readonly NodeClaim[];
  nodesOf(machine: { readonly providerId: string }): readonly NodeObject[];
}

/** Objects of one kind by key, which can be followed. */
export interface ObjectView<T> {
  readonly size: number;
  get(key: string): T | undefined;
  values(): Iterable<T>;
  /** Returns how to stop listening. */
  onChange(listener: (change: ObjectChange<T>) => void): () => void;
}

interface ObjectChange<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}
