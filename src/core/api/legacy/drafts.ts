import type { Field } from "../field.ts";
import type { KubeletDraft } from "./convert-kubelet.ts";
import type { Metadata } from "./write-metadata.ts";

export interface Ref {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export const ec2NodeClass = { group: "karpenter.k8s.aws", kind: "EC2NodeClass" } as const;

/** A node class before it is known which pools, with which kubelets, use it. */
export interface NodeClassDraft {
  readonly metadata: Metadata;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A pool or claim before it is known what its node class is called. */
export interface PoolDraft {
  readonly name: string;
  readonly kubelet: KubeletDraft | undefined;
  /** Where it says what its node class is. */
  readonly classPlace: Field;
  /** The node class that it asks for, or the one that it brings along. */
  readonly nodeClass: Ref | NodeClassDraft;
  write(nodeClassRef: Ref): object;
}
