import type { PodSpec, SecurityContext } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { invalid } from "../refusals.ts";
import { betweenProblem } from "../value-rules.ts";

const largestId = 2 ** 31 - 1;

function validateId(id: number | undefined, field: string): FieldError[] {
  const isValid = id === undefined || (id >= 0 && id <= largestId);
  return isValid ? [] : [invalid(field, id, betweenProblem(0, largestId))];
}

export function validatePodSecurity({ securityContext }: PodSpec, path: string): FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [] } = securityContext ?? {};
  return [
    ...validateId(fsGroup, `${path}.fsGroup`),
    ...validateId(runAsUser, `${path}.runAsUser`),
    ...validateId(runAsGroup, `${path}.runAsGroup`),
    ...supplementalGroups.flatMap((id, index) => validateId(id, `${path}.supplementalGroups[${index}]`)),
  ];
}

const goNames = {
  Capabilities: "capabilities",
  Privileged: "privileged",
  SELinuxOptions: "seLinuxOptions",
  WindowsOptions: "windowsOptions",
  RunAsUser: "runAsUser",
  RunAsGroup: "runAsGroup",
  RunAsNonRoot: "runAsNonRoot",
  ReadOnlyRootFilesystem: "readOnlyRootFilesystem",
  AllowPrivilegeEscalation: "allowPrivilegeEscalation",
  ProcMount: "procMount",
  SeccompProfile: "seccompProfile",
  AppArmorProfile: "appArmorProfile",
} as const;

export function validateContainerSecurity(context: SecurityContext | undefined, path: string): FieldError[] {
  if (context === undefined) return [];
  const errors = [
    ...validateId(context.runAsUser, `${path}.runAsUser`),
    ...validateId(context.runAsGroup, `${path}.runAsGroup`),
  ];
  if (context.allowPrivilegeEscalation !== false || context.privileged !== true) return errors;
  const fields = context as Readonly<Record<string, unknown>>;
  const shown = Object.fromEntries(Object.entries(goNames).map(([name, field]) => [name, fields[field] ?? null]));
  return [...errors, invalid(path, shown, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")];
}
