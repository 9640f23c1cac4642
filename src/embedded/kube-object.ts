import type { ObjectMeta } from "kubernetes-types/meta/v1.js";

/** What the API stores: identified, stamped, and never changed once it is stored. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
  readonly [field: string]: unknown;
}

export type StoredMeta = Readonly<ObjectMeta> & {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
};

/** An object on its way into the store, which may still be changed by whoever prepares it. */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: DraftMeta;
  [field: string]: unknown;
}

export type DraftMeta = { -readonly [Field in keyof ObjectMeta]: ObjectMeta[Field] };
