import type { Field } from "../field.ts";
import { renameAnnotation } from "./legacy-labels.ts";
import type { NoteLog } from "./note.ts";

/** What only the cluster that an object was read from had to say with it. */
const clusterAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "karpenter.sh/nodepool-hash",
  "karpenter.sh/nodepool-hash-version",
  "karpenter.k8s.aws/ec2nodeclass-hash",
  "karpenter.k8s.aws/ec2nodeclass-hash-version",
]);

const oldHashes: ReadonlyMap<string, string> = new Map([
  ["karpenter.sh/provisioner-hash", "karpenter.sh/nodepool-hash"],
  ["karpenter.k8s.aws/nodetemplate-hash", "karpenter.k8s.aws/ec2nodeclass-hash"],
]);

export interface Metadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Name, labels and annotations of an object of the cluster; the rest belonged to the cluster it was in. */
export function convertMetadata(object: Field, notes: NoteLog): Metadata {
  const metadata = object.at("metadata");
  const name = metadata.at("name").requiredText();
  if (name !== "" && !isObjectName(name)) {
    metadata.at("name").reject("must be lower-case letters, digits, dashes and dots, and at most 253 of them");
  }
  const namespace = metadata.at("namespace");
  if (!namespace.isAbsent) {
    notes.dropped(namespace, "is left out: pools and node classes belong to the cluster and to no namespace");
  }
  const annotations = metadata.at("annotations");
  const kept = [...annotations.labels()].filter(([key]) => {
    const successor = oldHashes.get(key);
    if (successor !== undefined) {
      notes.dropped(annotations.at(key), `is left out: the controller writes ${successor} itself`);
    }
    return successor === undefined && !clusterAnnotations.has(key);
  });
  return { name, ...some("labels", metadata.at("labels").labels()), ...some("annotations", kept) };
}

function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(name);
}

/** A map as a field of this name, or nothing when it is empty. */
function some(name: string, entries: Iterable<readonly [string, string]>): object {
  const record = Object.fromEntries(entries);
  return Object.keys(record).length === 0 ? {} : { [name]: record };
}

/** Annotations of nodes, by the names that they have now. */
export function convertNodeAnnotations(field: Field, notes: NoteLog): object {
  const entries = [...field.labels()].map(([key, value]): [string, string] => {
    const renamed = renameAnnotation(key);
    if (renamed !== key) notes.changed(field.at(key), `is called ${renamed} now`);
    return [renamed, value];
  });
  return some("annotations", entries);
}
