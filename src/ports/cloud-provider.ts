import type { InstanceType } from "../core/model/instance-type.ts";
import type { Labels } from "../core/model/labels.ts";
import type { NodeClaim } from "../core/model/node-claim.ts";
import type { NodeClassRef } from "../core/model/node-pool.ts";
import type { Resources } from "../core/model/resources.ts";

/** Who sells machines. */
export interface CloudProvider {
  /** For the `provider` label of metrics. */
  readonly name: string;
  /** The kinds of node class that pools may refer to, the default one first. */
  readonly nodeClassKinds: readonly NodeClassKind[];
  /** Labels that pods may ask for although no pool mentions them, besides those that Kubernetes knows. */
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly restrictedLabelDomains: ReadonlySet<string>;
  readonly repairPolicies: readonly RepairPolicy[];
  /**
   * Every type the node class can launch, offerings that cannot be had now included. The same array as long as nothing
   * has changed. Must not be modified.
   */
  instanceTypes(nodeClass: NodeClassRef): Promise<readonly InstanceType[]>;
  /**
   * Idempotent: a claim that has a machine already gets that one, also after a crash. Rejects when nobody knows whether
   * there is a machine now; then it is asked again.
   */
  launch(claim: NodeClaim): Promise<LaunchOutcome>;
  /** Idempotent. "gone" once there is nothing left; it is asked again until then. */
  terminate(instance: InstanceIdentity): Promise<"terminating" | "gone">;
  /** Undefined when it is gone. */
  find(providerId: string): Promise<Instance | undefined>;
  /** Every instance that this cluster owns, those without a claim too. */
  list(): Promise<readonly Instance[]>;
  /** Why the machine is no longer what its claim and node class ask for, "" when it is. */
  driftReason(claim: NodeClaim): Promise<string>;
}

export interface NodeClassKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

export interface InstanceIdentity {
  readonly providerId: string;
  /** "" for a machine whose claim nobody knows. */
  readonly claimName: string;
}

export interface Instance extends InstanceIdentity {
  readonly imageId: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly isTerminating: boolean;
}

export type LaunchOutcome =
  | { readonly kind: "launched"; readonly instance: Instance }
  /** Nothing that the claim allows can be had; the claim goes, and its pods are planned anew. */
  | {
      readonly kind: "insufficient-capacity";
      readonly message: string;
      /** The provider's types tell from now on what is not to be had. Otherwise all that the claim allows is not, for a while. */
      readonly isTold?: true;
    }
  | { readonly kind: "node-class-not-ready"; readonly message: string }
  /** May work later; the reason and the message are shown on the claim. */
  | { readonly kind: "failed"; readonly reason: string; readonly message: string };

/** A condition of nodes which, having lasted so long, makes the machine worth replacing. */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: string;
  readonly tolerationMilliseconds: number;
}
