import type { KubeObject } from "../kube-object.ts";

/** One change of one object. */
export interface StoredEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  /** The version before; absent when the object is new. */
  readonly previous?: KubeObject;
  readonly version: number;
}
