import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { forbidden, required, tooLong } from "../../core/api/schema/refusals.ts";
import { invalid } from "../kinds/refusals.ts";
import type { NameRule, ResourceDefinition } from "../kinds/resource-definition.ts";
import { finalizerErrors } from "../kinds/validation/validate-finalizers.ts";
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from "../kinds/value-rules.ts";
import type { DraftMeta } from "../kube-object.ts";

const mostAnnotationBytes = 256 * 1024;

export function validateMetadata(metadata: DraftMeta, definition: ResourceDefinition): FieldError[] {
  return [
    ...validateName(metadata, definition),
    ...(metadata.generateName === undefined
      ? []
      : nameErrors("metadata.generateName", metadata.generateName.replace(/-+$/, "") || "x", definition)),
    ...validateNamespace(metadata, definition),
    ...labelErrors(metadata.labels ?? {}),
    ...annotationErrors(metadata.annotations ?? {}),
    ...ownerErrors(metadata),
    ...finalizerErrors("metadata.finalizers", metadata.finalizers ?? []),
  ];
}

function validateName({ name, generateName }: DraftMeta, definition: ResourceDefinition): FieldError[] {
  if (name !== undefined) return nameErrors("metadata.name", name, definition);
  return generateName === undefined ? [required("metadata.name", "name or generateName is required")] : [];
}

function nameErrors(field: string, name: string, { nameRule }: ResourceDefinition): FieldError[] {
  return nameProblems(name, nameRule ?? "subdomain").map((problem) => invalid(field, name, problem));
}

function nameProblems(name: string, rule: NameRule): string[] {
  switch (rule) {
    case "subdomain":
      return dnsSubdomainProblems(name);
    case "label":
      return dnsLabelProblems(name);
    case "dns1035-label":
      return dns1035LabelProblems(name);
    case "path-segment":
      return pathSegmentProblems(name);
  }
}

export function pathSegmentProblems(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
}

function validateNamespace({ namespace }: DraftMeta, { isNamespaced }: ResourceDefinition): FieldError[] {
  if (!isNamespaced)
    return namespace === undefined ? [] : [forbidden("metadata.namespace", "not allowed on this type")];
  if (namespace === undefined) return [required("metadata.namespace")];
  return dnsLabelProblems(namespace).map((problem) => invalid("metadata.namespace", namespace, problem));
}

function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid("metadata.labels", key, problem)),
    ...labelValueProblems(value).map((problem) => invalid("metadata.labels", value, problem)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(annotations);
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) =>
      qualifiedNameProblems(key.toLowerCase()).map((problem) => invalid("metadata.annotations", key, problem)),
    ),
    ...(bytes > mostAnnotationBytes ? [tooLong("metadata.annotations", mostAnnotationBytes)] : []),
  ];
}

const ownerField = "metadata.ownerReferences";

function ownerErrors({ ownerReferences = [] }: DraftMeta): FieldError[] {
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  const several = `Only one reference can have Controller set to true. Found "true" in references for ${controllers
    .slice(0, 2)
    .map(({ kind, name }) => `${kind}/${name}`)
    .join(" and ")}`;
  const shown = JSON.stringify(
    ownerReferences.map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) => ({
      apiVersion,
      kind,
      name,
      uid,
      controller,
      blockOwnerDeletion,
    })),
  );
  return [
    ...ownerReferences.flatMap(ownerReferenceErrors),
    ...(controllers.length > 1 ? [{ ...invalid(ownerField, "", several), value: shown }] : []),
  ];
}

function ownerReferenceErrors(owner: OwnerReference): FieldError[] {
  const { apiVersion = "" } = owner;
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const errors: FieldError[] = [];
  if (version === "" || apiVersion.split("/").length > 2) {
    errors.push(invalid(`${ownerField}.apiVersion`, apiVersion, "version must not be empty"));
  }
  for (const field of ["kind", "name", "uid"] as const) {
    if ((owner[field] ?? "") === "") errors.push(invalid(`${ownerField}.${field}`, "", "must not be empty"));
  }
  if (owner.kind === "Event" && (group === "" || group === "events.k8s.io") && version === "v1") {
    const shown = group === "" ? "/v1" : apiVersion;
    errors.push(invalid(ownerField, owner, `${shown}, Kind=Event is disallowed from being an owner`));
  }
  return errors;
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What may not change once an object exists. */
export function validateMetadataUpdate(metadata: DraftMeta, old: Readonly<DraftMeta>): FieldError[] {
  const known = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((name) => !known.has(name));
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(", ")}}`;
  const tooLate = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [
    ...(old.deletionTimestamp !== undefined && added.length > 0 ? [forbidden("metadata.finalizers", tooLate)] : []),
    ...immutable
      .filter((field) => metadata[field] !== old[field])
      .map((field) => invalid(`metadata.${field}`, metadata[field], "field is immutable")),
    ...labelErrors(metadata.labels ?? {}),
    ...annotationErrors(metadata.annotations ?? {}),
    ...ownerErrors(metadata),
  ];
}
