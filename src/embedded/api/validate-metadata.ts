import type { FieldError } from "../../core/api/field-error.ts";
import { duplicate, forbidden, invalid, required, tooLong } from "../kinds/refusals.ts";
import type { NameRule, ResourceDefinition } from "../kinds/resource-definition.ts";
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
    ...(metadata.finalizers ?? []).flatMap((name, i) => finalizerErrors(name, i)),
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

function pathSegmentProblems(name: string): string[] {
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

function ownerErrors({ ownerReferences = [] }: DraftMeta): FieldError[] {
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  const seen = new Set<string>();
  return [
    ...ownerReferences.flatMap((owner, i) => {
      const field = `metadata.ownerReferences[${i}]`;
      const errors = (["apiVersion", "kind", "name", "uid"] as const)
        .filter((key) => (owner[key] ?? "") === "")
        .map((key) =>
          key === "apiVersion"
            ? invalid(`${field}.apiVersion`, owner.apiVersion ?? "", "version must not be empty")
            : required(`${field}.${key}`, `${key} must not be empty`),
        );
      if (owner.kind === "Event" && (owner.apiVersion === "v1" || owner.apiVersion === "events.k8s.io/v1")) {
        errors.push(invalid(field, owner, `${owner.apiVersion}, Kind=Event is disallowed from being an owner`));
      }
      if (owner.uid !== undefined && seen.has(owner.uid)) errors.push(duplicate(`${field}.uid`, owner.uid));
      seen.add(owner.uid);
      return errors.map((error) => ({
        ...error,
        field: error.field.replace("metadata.ownerReferences", "metadata.ownerReferences"),
      }));
    }),
    ...(controllers.length > 1
      ? [
          invalid(
            "metadata.ownerReferences",
            ownerReferences,
            `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0]?.name} and ${controllers[1]?.name}`,
          ),
        ]
      : []),
  ];
}

const ownFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

function finalizerErrors(name: string, index: number): FieldError[] {
  const field = `metadata.finalizers[${index}]`;
  const problems = qualifiedNameProblems(name).map((problem) => invalid("metadata.finalizers", name, problem));
  if (problems.length > 0) return problems;
  if (name.includes("/") || ownFinalizers.has(name)) return [];
  return [invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

/** What may not change once an object exists. */
export function validateMetadataUpdate(metadata: DraftMeta, old: Readonly<DraftMeta>): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["name", "namespace", "uid", "creationTimestamp"] as const) {
    if (metadata[field] !== old[field])
      errors.push(invalid(`metadata.${field}`, metadata[field], "field is immutable"));
  }
  const known = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((name) => !known.has(name));
  if (old.deletionTimestamp !== undefined && added.length > 0) {
    const list = `[]string{${added.map((name) => JSON.stringify(name)).join(", ")}}`;
    errors.push(
      forbidden(
        "metadata.finalizers",
        `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
      ),
    );
  }
  return errors;
}
