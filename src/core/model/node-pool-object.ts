import type { Condition } from "./condition.ts";
import type { Labels } from "./labels.ts";
import type { NodeClassRef, NodePool } from "./node-pool.ts";
import type { ObjectIdentity } from "./object-identity.ts";
import type { PoolDisruption } from "./pool-disruption.ts";
import type { Resources } from "./resources.ts";

/** A NodePool as its object says, before anybody knows what its node class can launch. */
export interface NodePoolObject extends ObjectIdentity {
  readonly annotations: Labels;
  readonly nodeClassRef: NodeClassRef;
  /** Set on a static pool. */
  readonly replicas: number | undefined;
  readonly limits: Resources;
  /** Undefined while there are problems. */
  readonly pool: Omit<NodePool, "instanceTypes"> | undefined;
  /** What is wrong with it, one sentence each. */
  readonly problems: readonly string[];
  /** What is allowed and probably not meant. */
  readonly warnings: readonly string[];
  /** Of everything in its template that a node cannot follow when it changes. */
  readonly hash: string;
  /** As written, for the claims made of it; undefined when it says nothing. */
  readonly terminationGracePeriod: string | undefined;
  readonly expireAfter: string | undefined;
  readonly disruption: PoolDisruption;
  readonly status: NodePoolStatus;
}

export interface NodePoolStatus {
  readonly conditions: readonly Condition[];
  /** What its nodes have together. */
  readonly resources: Resources;
  readonly nodes: number;
  readonly nodeClassObservedGeneration: number;
}

/** A node class of whatever cloud, as far as pools depend on it. */
export interface NodeClassObject extends ObjectIdentity {
  readonly kind: string;
  readonly group: string;
  readonly conditions: readonly Condition[];
  /** The object as it came, which only its cloud understands. */
  readonly wire: unknown;
}
