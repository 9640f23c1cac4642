import type { Container, EnvVar, EnvVarSource } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { required } from "../../../core/api/schema/refusals.ts";
import { invalid, invalidForEach, notSupported } from "../refusals.ts";
import {
  configKeyProblems,
  dnsSubdomainProblems,
  environmentNameProblems,
  qualifiedNameProblems,
} from "../value-rules.ts";

const fieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

const resourcePaths = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

export function validateEnvironment({ env = [], envFrom = [] }: Container, path: string): FieldError[] {
  const errors = env.flatMap((variable, index) => validateVariable(variable, `${path}.env[${index}]`));
  for (const [index, { prefix, configMapRef, secretRef }] of envFrom.entries()) {
    const at = `${path}.envFrom[${index}]`;
    if (prefix) errors.push(...invalidForEach(`${at}.prefix`, prefix, environmentNameProblems(prefix)));
    if (configMapRef !== undefined) errors.push(...validateSourceName(configMapRef.name, `${at}.configMapRef.name`));
    if (secretRef !== undefined) errors.push(...validateSourceName(secretRef.name, `${at}.secretRef.name`));
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalid(`${path}.envFrom`, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalid(`${path}.envFrom`, "", "may not have more than one field specified at a time"));
    }
  }
  return errors;
}

function validateVariable({ name, value, valueFrom }: EnvVar, path: string): FieldError[] {
  const errors = name
    ? invalidForEach(`${path}.name`, name, environmentNameProblems(name))
    : [required(`${path}.name`)];
  if (valueFrom === undefined) return errors;
  const from = `${path}.valueFrom`;
  errors.push(...validateSource(valueFrom, from));
  const sources = Object.keys(valueFrom).length;
  if (sources === 0) {
    const names = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.push(invalid(from, "", `must specify one of: ${names}`));
  } else if (value) errors.push(invalid(from, "", "may not be specified when `value` is not empty"));
  else if (sources > 1) errors.push(invalid(from, "", "may not have more than one field specified at a time"));
  return errors;
}

function validateSource(
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef }: EnvVarSource,
  path: string,
): FieldError[] {
  return [
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, path)),
    ...(resourceFieldRef === undefined ? [] : validateResourceRef(resourceFieldRef.resource, path)),
    ...(configMapKeyRef === undefined ? [] : validateKeyRef(configMapKeyRef, `${path}.configMapKeyRef`)),
    ...(secretKeyRef === undefined ? [] : validateKeyRef(secretKeyRef, `${path}.secretKeyRef`)),
  ];
}

function validateFieldRef({ fieldPath }: { fieldPath: string }, path: string): FieldError[] {
  const field = `${path}.fieldRef.fieldPath`;
  if (!fieldPath) return [required(field)];
  const subscript = /^(.*)\['(.*)'\]$/.exec(fieldPath);
  if (subscript !== null) {
    const [, base = "", key = ""] = subscript;
    if (base === "metadata.labels") return invalidForEach(field, key, qualifiedNameProblems(key));
    if (base === "metadata.annotations") return invalidForEach(field, key, qualifiedNameProblems(key.toLowerCase()));
    return [invalid(field, base, "does not support subscript")];
  }
  if (fieldPaths.includes(fieldPath)) return [];
  const isKnown = /^(metadata\.(annotations|labels)|spec\.restartPolicy|status\.phase)$/.test(fieldPath);
  if (isKnown) return [notSupported(field, fieldPath, fieldPaths)];
  return [invalid(field, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
}

function validateResourceRef(resource: string | undefined, path: string): FieldError[] {
  const field = `${path}.resourceFieldRef.resource`;
  if (!resource) return [required(field)];
  const isKnown = resourcePaths.includes(resource) || /^(requests|limits)\.hugepages-/.test(resource);
  return isKnown ? [] : [notSupported(field, resource, resourcePaths)];
}

function validateKeyRef({ name, key }: { name?: string; key: string }, path: string): FieldError[] {
  const errors = invalidForEach(`${path}.name`, name ?? "", dnsSubdomainProblems(name ?? ""));
  if (!key) return [...errors, required(`${path}.key`)];
  return [...errors, ...invalidForEach(`${path}.key`, key, configKeyProblems(key))];
}

function validateSourceName(name: string | undefined, field: string): FieldError[] {
  return name ? invalidForEach(field, name, dnsSubdomainProblems(name.replace(/-$/, "a"))) : [required(field)];
}
