import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec, ReplicationController } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { checkNotNegative, invalid, invalidForEach, notSupported } from "../refusals.ts";
import { dnsLabelProblems } from "../value-rules.ts";
import { isSameValue, validateImmutable } from "./same-value.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";
import { isSensibleSelector, selects, validateLabelSelector } from "./validate-labels.ts";
import { validatePodTemplate } from "./validate-pod-spec.ts";
import { checkPercentage, checkShare, shareOf } from "./validate-shares.ts";

interface Selecting {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export function validateDeployment(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as Deployment;
  if (spec === undefined) return [required("spec.selector")];
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const errors = [
    ...checkNotNegative("spec.replicas", spec.replicas),
    ...validateSelector(spec, "deployment"),
    ...validateLastingTemplate(spec, "ReplicaSet"),
    ...validateDeploymentStrategy(spec.strategy ?? {}),
    ...checkNotNegative("spec.minReadySeconds", minReadySeconds),
    ...checkNotNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
    ...checkNotNegative("spec.progressDeadlineSeconds", progressDeadlineSeconds),
  ];
  if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds) {
    errors.push(
      invalid("spec.progressDeadlineSeconds", progressDeadlineSeconds, "must be greater than minReadySeconds"),
    );
  }
  return errors;
}

export function validateReplicaSet(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as ReplicaSet;
  if (spec === undefined) return [required("spec.selector")];
  return [
    ...checkNotNegative("spec.replicas", spec.replicas),
    ...checkNotNegative("spec.minReadySeconds", spec.minReadySeconds),
    // The server itself calls it a deployment here.
    ...validateSelector(spec, "deployment"),
    ...validateLastingTemplate(spec, "ReplicaSet"),
  ];
}

export function validateReplicationController(draft: Draft): FieldError[] {
  const { selector = {}, template, replicas, minReadySeconds } = (draft as unknown as ReplicationController).spec ?? {};
  const isEverybody = Object.keys(selector).length === 0;
  const labels = template?.metadata?.labels ?? {};
  const errors = [
    ...checkNotNegative("spec.minReadySeconds", minReadySeconds),
    ...(isEverybody ? [required("spec.selector")] : []),
    ...checkNotNegative("spec.replicas", replicas),
  ];
  if (template === undefined) return [...errors, required("spec.template")];
  return [
    ...errors,
    ...(selects({ matchLabels: selector }, labels) ? [] : [mismatch(template)]),
    ...validatePodTemplate(template, "spec.template"),
    ...validateLasting(template, "ReplicationController"),
  ];
}

/** For deployments and replica sets: whom it selects is for ever. */
export function withImmutableSelector(validate: (draft: Draft) => FieldError[]) {
  return (draft: Draft, old: KubeObject): FieldError[] => {
    const selector = (draft as unknown as ReplicaSet).spec?.selector;
    return [
      ...validate(draft),
      ...validateImmutable(selector, (old as unknown as ReplicaSet).spec?.selector, "spec.selector"),
    ];
  };
}

function validateSelector({ selector }: Selecting, owner: string): FieldError[] {
  if (selector === undefined) return [required("spec.selector")];
  const errors = validateLabelSelector(selector, "spec.selector");
  if (isEmpty(selector)) errors.push(invalid("spec.selector", selector, `empty selector is invalid for ${owner}`));
  return errors;
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** The template of pods that run for ever, which must be pods that the selector picks. */
function validateLastingTemplate(spec: Selecting, owner: string): FieldError[] {
  const { selector, template } = spec;
  if (!isSensibleSelector(selector)) {
    return [invalid("spec.selector", selector, owner === "StatefulSet" ? "" : "invalid label selector")];
  }
  const isMatched =
    (selector !== undefined && isEmpty(selector)) || selects(selector, template?.metadata?.labels ?? {});
  return [
    ...(isMatched ? [] : [mismatch(template)]),
    ...validatePodTemplate(template, "spec.template"),
    ...validateLasting(template, owner),
  ];
}

function mismatch(template: PodTemplateSpec | undefined): FieldError {
  const labels = template?.metadata?.labels ?? null;
  return invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
}

function validateLasting(template: PodTemplateSpec | undefined, owner: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  const errors: FieldError[] = [];
  if (restartPolicy !== "Always")
    errors.push(notSupported("spec.template.spec.restartPolicy", restartPolicy ?? "", ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
    errors.push(forbidden("spec.template.spec.activeDeadlineSeconds", detail));
  }
  return errors;
}

type DeploymentStrategy = NonNullable<NonNullable<Deployment["spec"]>["strategy"]>;

function validateDeploymentStrategy({ type = "", rollingUpdate }: DeploymentStrategy): FieldError[] {
  const path = "spec.strategy";
  if (type === "Recreate") {
    if (rollingUpdate === undefined) return [];
    return [forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [notSupported(path, shown, ["Recreate", "RollingUpdate"])];
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const field = `${path}.rollingUpdate.maxUnavailable`;
  const isStuck = shareOf(maxUnavailable) === 0 && shareOf(maxSurge) === 0;
  return [
    ...checkShare(maxUnavailable, field),
    ...checkShare(maxSurge, `${path}.rollingUpdate.maxSurge`),
    ...(isStuck ? [invalid(field, maxUnavailable, "may not be 0 when `maxSurge` is 0")] : []),
    ...checkPercentage(maxUnavailable, field),
  ];
}

export function validateDaemonSet(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as DaemonSet;
  if (spec === undefined) return [required("spec.selector")];
  const { selector, template } = spec;
  const errors = validateLabelSelector(selector, "spec.selector");
  const isMismatched = isSensibleSelector(selector) && !selects(selector, template?.metadata?.labels ?? {});
  if (isMismatched) errors.push(mismatch(template));
  if (selector !== undefined && isEmpty(selector)) {
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for daemonset"));
  }
  return [
    ...errors,
    ...validatePodTemplate(template, "spec.template"),
    ...validateLasting(template, "DaemonSet"),
    ...checkNotNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...validateDaemonStrategy(spec.updateStrategy ?? {}),
    ...checkNotNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

export function validateDaemonSetUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const selector = (draft as unknown as DaemonSet).spec?.selector;
  const before = (old as unknown as DaemonSet).spec?.selector;
  return [...validateImmutable(selector, before, "spec.selector"), ...validateDaemonSet(draft)];
}

type DaemonStrategy = NonNullable<NonNullable<DaemonSet["spec"]>["updateStrategy"]>;

function validateDaemonStrategy({ type = "", rollingUpdate }: DaemonStrategy): FieldError[] {
  const path = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [notSupported(path, shown, ["RollingUpdate", "OnDelete"])];
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const unavailableField = `${path}.rollingUpdate.maxUnavailable`;
  const surgeField = `${path}.rollingUpdate.maxSurge`;
  const errors = [
    ...checkShare(maxUnavailable, unavailableField),
    ...checkShare(maxSurge, surgeField),
    ...checkPercentage(maxUnavailable, unavailableField),
    ...checkPercentage(maxSurge, surgeField),
  ];
  const hasUnavailable = shareOf(maxUnavailable) !== 0;
  const hasSurge = shareOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge)
    errors.push(invalid(surgeField, maxSurge, "may not be set when maxUnavailable is non-zero"));
  if (!hasUnavailable && !hasSurge) errors.push(required(unavailableField, "cannot be 0 when maxSurge is 0"));
  return errors;
}

type StatefulSetSpec = NonNullable<StatefulSet["spec"]>;

export function validateStatefulSet(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as StatefulSet;
  if (spec === undefined) return [required("spec.selector")];
  const claims = (spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
    claim.spec === undefined ? [] : validateClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}].spec`),
  );
  return validateStatefulSetSpec(spec, claims);
}

function validateStatefulSetSpec(spec: StatefulSetSpec, claims: readonly FieldError[]): FieldError[] {
  const { podManagementPolicy = "", serviceName } = spec;
  const policies = ["OrderedReady", "Parallel"];
  const policyDetail = "must be 'OrderedReady' or 'Parallel'";
  return [
    ...(policies.includes(podManagementPolicy)
      ? []
      : [invalid("spec.podManagementPolicy", podManagementPolicy, policyDetail)]),
    ...validateStatefulStrategy(spec.updateStrategy ?? {}),
    ...validateRetention(spec),
    ...claims,
    ...checkNotNegative("spec.replicas", spec.replicas),
    ...checkNotNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...checkNotNegative("spec.ordinals.start", spec.ordinals?.start),
    ...(serviceName ? invalidForEach("spec.serviceName", serviceName, dnsLabelProblems(serviceName)) : []),
    ...validateSelector(spec, "statefulset"),
    ...validateLastingTemplate({ ...spec, template: withClaimVolumes(spec) }, "StatefulSet"),
  ];
}

/** Containers may mount the volumes that the set makes for each of its pods. */
function withClaimVolumes({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (template?.spec === undefined) return template;
  const names = volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? "");
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !names.includes(name));
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec;
  return { ...template, spec: { ...spec, volumes: [...claims, ...others] } };
}

type StatefulStrategy = NonNullable<StatefulSetSpec["updateStrategy"]>;

function validateStatefulStrategy({ type = "", rollingUpdate }: StatefulStrategy): FieldError[] {
  const path = "spec.updateStrategy";
  if (type === "OnDelete") {
    if (rollingUpdate === undefined) return [];
    const { partition = 0, maxUnavailable = null } = rollingUpdate;
    const shown = { Partition: partition, MaxUnavailable: maxUnavailable };
    return [invalid(`${path}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return checkNotNegative(`${path}.rollingUpdate.partition`, rollingUpdate?.partition);
}

function validateRetention({ persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec): FieldError[] {
  return (["whenDeleted", "whenScaled"] as const).flatMap((field) => {
    const value = policy?.[field];
    if (value === undefined || value === "Retain" || value === "Delete") return [];
    return [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, ["Retain", "Delete"])];
  });
}

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

export function validateStatefulSetUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const { spec } = draft as unknown as StatefulSet;
  const { spec: before } = old as unknown as StatefulSet;
  if (spec === undefined || before === undefined) return [required("spec.selector")];
  const errors = validateStatefulSetSpec(spec, []);
  const fixed = (full: StatefulSetSpec): object =>
    Object.fromEntries(Object.entries(full).filter(([field]) => !changeable.some((name) => name === field)));
  if (isSameValue(fixed(spec), fixed(before))) return errors;
  const names =
    "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'";
  return [...errors, forbidden("spec", `updates to statefulset spec for fields other than ${names} are forbidden`)];
}
