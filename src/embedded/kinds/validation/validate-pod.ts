import type { Container, Pod, PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { invalid, invalidForEach } from "../refusals.ts";
import { betweenProblem, dnsSubdomainProblems } from "../value-rules.ts";
import { describeChanges } from "./describe-changes.ts";
import { isSameValue, validateImmutable } from "./same-value.ts";
import { validateAddress } from "./validate-address.ts";
import { validateImageSpaces } from "./validate-containers.ts";
import { validateGatedChanges, validateGateRemoval } from "./validate-gated-pod.ts";
import { validateLabelKey } from "./validate-labels.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

const largestInteger = 2 ** 31 - 1;
const noSpec: PodSpec = { containers: [] };

export function validatePodCreate(draft: Draft): FieldError[] {
  const { spec = noSpec } = draft as unknown as Pod;
  const errors = validateAnyPod(spec);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return errors;
}

function validateAnyPod(spec: PodSpec): FieldError[] {
  return [...validatePodSpec(spec, "spec"), ...validateImageSpaces(spec, "spec")];
}

const updatableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** A pod is what it is: images, deadlines, additional tolerations and fewer gates are all that may change. */
export function validatePodUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const { spec = noSpec } = draft as unknown as Pod;
  const { spec: oldSpec = noSpec } = old as unknown as Pod;
  const errors = validateAnyPod(spec);
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list] ?? []).length !== (oldSpec[list] ?? []).length) {
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    }
  }
  const deadlineErrors = validateDeadline(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds);
  errors.push(...deadlineErrors);
  if (deadlineErrors.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  errors.push(...validateTolerationAdditions(spec.tolerations ?? [], oldSpec.tolerations ?? []));
  errors.push(...validateGateRemoval(spec, oldSpec));
  const isGated = (oldSpec.schedulingGates ?? []).length > 0;
  if (isGated) errors.push(...validateGatedChanges(spec, oldSpec));
  const settled = withoutUpdatable(spec, oldSpec, isGated);
  if (!isSameValue(settled, oldSpec)) {
    const changes = describeChanges(oldSpec, settled);
    errors.push(forbidden("spec", `pod updates may not change fields other than ${updatableFields}\n${changes}`));
  }
  return errors;
}

function validateDeadline(seconds: number | undefined, old: number | undefined): FieldError[] {
  const field = "spec.activeDeadlineSeconds";
  if (seconds === undefined) {
    return old === undefined ? [] : [invalid(field, undefined, "must not update from a positive integer to nil value")];
  }
  if (seconds < 0 || seconds > largestInteger) return [invalid(field, seconds, betweenProblem(0, largestInteger))];
  return old !== undefined && old < seconds
    ? [invalid(field, seconds, "must be less than or equal to previous value")]
    : [];
}

function validateTolerationAdditions(tolerations: readonly Toleration[], old: readonly Toleration[]): FieldError[] {
  const withoutSeconds = ({ tolerationSeconds: _, ...rest }: Toleration) => rest;
  const keepsAll = old.every((before) =>
    tolerations.some((toleration) => isSameValue(withoutSeconds(toleration), withoutSeconds(before))),
  );
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return keepsAll ? [] : [forbidden("spec.tolerations", detail)];
}

/** The new spec with all that may change put back; what is still different may not. */
function withoutUpdatable(spec: PodSpec, old: PodSpec, isGated: boolean): Partial<PodSpec> {
  const withOldImages = (containers: readonly Container[] = [], before: readonly Container[] = []): Container[] =>
    containers.map((container, index) => ({ ...container, image: before[index]?.image ?? "" }));
  const { activeDeadlineSeconds, tolerations, schedulingGates, nodeSelector, affinity } = old;
  const isShortened = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  const result: Record<string, unknown> = {
    ...spec,
    containers: withOldImages(spec.containers, old.containers),
    initContainers: withOldImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds,
    tolerations,
    schedulingGates,
  };
  if (isShortened) result.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  if (isGated) {
    result.nodeSelector = nodeSelector;
    result.affinity = { ...spec.affinity, nodeAffinity: affinity?.nodeAffinity };
  }
  return result;
}

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

export function validatePodStatus(draft: Draft, old: KubeObject): FieldError[] {
  const { status, spec } = draft as unknown as Pod;
  const before = (old as unknown as Pod).status;
  const errors: FieldError[] = [];
  for (const [index, { type = "" }] of (status?.conditions ?? []).entries()) {
    if (!systemConditions.includes(type)) errors.push(...validateLabelKey(type, `status.conditions[${index}].Type`));
  }
  const nominated = status?.nominatedNodeName;
  if (nominated && nominated !== before?.nominatedNodeName) {
    errors.push(...invalidForEach("status.nominatedNodeName", nominated, dnsSubdomainProblems(nominated)));
    if (spec?.nodeName) {
      errors.push(forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"));
    }
  }
  if (status?.qosClass) errors.push(...validateImmutable(status.qosClass, before?.qosClass, "status.qosClass"));
  errors.push(...validateStates(draft as unknown as Pod, old as unknown as Pod));
  for (const [index, { ip = "" }] of (status?.podIPs ?? []).entries()) {
    errors.push(...validateAddress(ip, `status.podIPs[${index}]`));
  }
  return errors;
}

/** A container that has ended for good stays ended. */
function validateStates({ status, spec }: Pod, old: Pod): FieldError[] {
  if (spec?.restartPolicy === "Always") return [];
  return (old.status?.containerStatuses ?? []).flatMap(({ name, state }, index) => {
    if (state?.terminated === undefined) return [];
    if (state.terminated.exitCode !== 0 && spec?.restartPolicy === "OnFailure") return [];
    const current = status?.containerStatuses?.find((container) => container.name === name);
    if (current === undefined || current.state?.terminated !== undefined) return [];
    const detail = "may not be transitioned to non-terminated state";
    return [forbidden(`status.containerStatuses[${index}].state`, detail)];
  });
}
