import type { Pod } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { isJsonObject, type JsonObject } from "../../../core/api/schema/json.ts";
import type { KubeObject } from "../../kube-object.ts";
import { disruptedStatus, isPodActive } from "../../pod-state.ts";
import { timestamp } from "../../timestamp.ts";
import { ApiError, badRequest } from "../api-error.ts";
import { labelSelectorMatch } from "../label-selector.ts";
import type { Address, ObjectApi } from "../object-api.ts";
import { deleteOptionsFrom } from "../read-options.ts";
import type { WriteOptions } from "../write-options.ts";

const wouldViolate = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Deletes a pod if its disruption budget allows that now, and counts it against the budget. */
export function evictPod(
  api: ObjectApi,
  address: Address,
  write: { eviction: JsonObject; options: WriteOptions },
): JsonObject {
  const { eviction } = write;
  const metadata = isJsonObject(eviction.metadata) ? eviction.metadata : {};
  if (metadata.name !== address.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const pod = api.get(address);
  const deletion = deleteOptionsFrom(isJsonObject(eviction.deleteOptions) ? eviction.deleteOptions : {});
  const isDryRun = write.options.isDryRun === true || deletion.isDryRun === true;
  if (!canIgnoreBudgets(pod as unknown as Pod)) chargeBudget(api, pod, isDryRun);
  if (!isDryRun) markEvicted(api, address);
  api.delete(address, { ...deletion, isDryRun });
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

/** Pods that are not running, or on their way out, disturb nobody when they go. */
function canIgnoreBudgets(pod: Pod): boolean {
  return !isPodActive(pod) || pod.status?.phase === "Pending";
}

function chargeBudget(api: ObjectApi, pod: KubeObject, isDryRun: boolean): void {
  const definition = api.registry.find("policy", "v1", "poddisruptionbudgets");
  if (definition === undefined) return;
  const { namespace = "", name, labels = {} } = pod.metadata;
  const budgets = [...api.collection(definition).list(`${namespace}/`)].filter((budget) =>
    labelSelectorMatch((budget.spec as { selector?: LabelSelector } | undefined)?.selector)(labels),
  );
  const [budget] = budgets;
  if (budget === undefined) return;
  if (budgets.length > 1) {
    throw new ApiError(
      500,
      "",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  if (isUnhealthyAndFree(pod as unknown as Pod, budget as unknown as PodDisruptionBudget)) return;
  const charged = charge(budget as unknown as PodDisruptionBudget, { pod: name, now: timestamp(api.clock.now()) });
  const address = { definition, namespace, name: budget.metadata.name };
  api.patch(address, (current) => ({ ...current, status: charged }), { subresource: "status", isDryRun });
}

/** A pod that is not ready counts for no budget; by policy it may go at once, or while the budget is met. */
function isUnhealthyAndFree(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  const isReady = (pod.status?.conditions ?? []).some(
    ({ type, status: value }) => type === "Ready" && value === "True",
  );
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return (status?.currentHealthy ?? 0) >= (status?.desiredHealthy ?? 0) && (status?.desiredHealthy ?? 0) > 0;
}

function charge({ metadata, status }: PodDisruptionBudget, { pod, now }: { pod: string; now: string }): JsonObject {
  const name = metadata?.name ?? "";
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) {
    throw violation(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed <= 0) {
    throw violation(`The disruption budget ${name} ${whyNot(status)}`, 0);
  }
  if (Object.keys(status?.disruptedPods ?? {}).length > 2000) {
    throw violation(`DisruptedPods map too big - too many evictions not confirmed by PDB controller`, 0);
  }
  return {
    ...status,
    ...(allowed === 1 ? { conditions: exhausted(status, { generation: metadata?.generation ?? 0, now }) } : {}),
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...status?.disruptedPods, [pod]: now },
  };
}

type BudgetStatus = PodDisruptionBudget["status"];

function whyNot(status: BudgetStatus): string {
  const { desiredHealthy = 0, currentHealthy = 0, conditions = [] } = status ?? {};
  const failed = conditions.find(({ type, reason }) => type === "DisruptionAllowed" && reason === "SyncFailed");
  if (failed !== undefined) return `does not allow evicting pods currently because it failed sync: ${failed.message}`;
  return currentHealthy <= desiredHealthy
    ? `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
    : "does not allow evicting pods currently";
}

/** The conditions of a budget that has just given its last. */
function exhausted(status: BudgetStatus, { generation, now }: { generation: number; now: string }): object[] {
  const conditions = status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === "DisruptionAllowed");
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: generation,
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
  };
  return [...conditions.filter(({ type }) => type !== "DisruptionAllowed"), condition];
}

function violation(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, "TooManyRequests", wouldViolate, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}

function markEvicted(api: ObjectApi, address: Address): void {
  const now = api.clock.now();
  const disruption = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting", now };
  api.patch(address, (current) => ({ ...current, status: disruptedStatus(current as unknown as Pod, disruption) }), {
    subresource: "status",
  });
}
