import { nodePoolLabel, provisionerNameLabel } from "../../model/labels.ts";
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

/** What an API server writes into every object. */
const clusterFields = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];
const ownFields = ["name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", ...clusterFields];

export interface Metadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Name, labels and annotations of an object of the cluster; the rest belonged to the cluster it was in, which is noted. */
export function convertMetadata(object: Field, notes: NoteLog): Metadata {
  const metadata = object.at("metadata");
  notes.dropOthers(object, ["apiVersion", "kind", "metadata", "spec", "status"], "the object");
  notes.dropOthers(metadata, ownFields, "metadata");
  noteClusterFields(object, notes);
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
    const successor = oldHashes.get(key) ?? (clusterAnnotations.has(key) ? key : undefined);
    if (successor !== undefined) {
      notes.dropped(annotations.at(key), `is left out: ${successor} is written anew on the new object`);
    }
    return successor === undefined;
  });
  return { name, ...some("labels", metadata.at("labels").labels()), ...some("annotations", kept) };
}

function noteClusterFields(object: Field, notes: NoteLog): void {
  const metadata = object.at("metadata");
  const written = clusterFields.filter((name) => !metadata.at(name).isAbsent);
  if (written.length > 0) notes.dropped(metadata, `is left without ${written.join(", ")}, which an API server writes`);
  if (metadata.at("finalizers").items(100).length > 0) {
    notes.dropped(metadata.at("finalizers"), "is left out: whoever waits for the old object does not know the new one");
  }
  if (metadata.at("ownerReferences").items(100).length > 0) {
    notes.dropped(
      metadata.at("ownerReferences"),
      "is left out: nothing owns the new object. Add its owner, if it has one",
    );
  }
  const status = object.at("status");
  if (status.entries().length > 0) notes.dropped(status, "is left out: the controller writes it");
}

function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(name);
}

/**
 * With the annotation by which nodes carry the name of their Provisioner beside that of their pool, so that what selects
 * it finds them.
 */
export function keepProvisionerName(metadata: Metadata, object: Field, notes: NoteLog): Metadata {
  notes.changed(
    object.at("metadata").at("name"),
    `is the label ${nodePoolLabel} of nodes now; the annotation ${provisionerNameLabel} of the pool keeps the old label and those of 2021 beside it, which the Go Karpenter does not know: select the new one`,
  );
  return { ...metadata, annotations: { ...metadata.annotations, [provisionerNameLabel]: metadata.name } };
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
