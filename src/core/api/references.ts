import { nodeClaims, nodePools } from "./karpenter-resources.ts";

/** How an event names the object that it is about. */
interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface Named {
  readonly name: string;
  readonly uid: string;
}

export function claimReference({ name, uid }: Named): Reference {
  return { apiVersion: `${nodeClaims.group}/${nodeClaims.version}`, kind: nodeClaims.kind, name, uid };
}

export function poolReference({ name, uid }: Named): Reference {
  return { apiVersion: `${nodePools.group}/${nodePools.version}`, kind: nodePools.kind, name, uid };
}

export function nodeReference({ name, uid }: Named): Reference {
  return { apiVersion: "v1", kind: "Node", name, uid };
}

export function podReference({
  namespace,
  name,
  uid,
}: Named & { readonly namespace: string }): Reference & { readonly namespace: string } {
  return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
}
