import type { InstanceStatus, InstanceStatusSummary } from "@aws-sdk/client-ec2";

/** As it stands in metrics. */
export type UnhealthyCategory = "InstanceStatus" | "SystemStatus" | "EventStatus";

export interface Unhealthy {
  readonly instanceId: string;
  readonly categories: ReadonlySet<UnhealthyCategory>;
}

/** Checks fail for a moment now and then. */
const patience = 120_000;

/** Instances that have failed a check for a while, or that AWS has scheduled work on; each once. */
export function findUnhealthy(statuses: readonly InstanceStatus[], now: number): readonly Unhealthy[] {
  const found = new Map<string, Set<UnhealthyCategory>>();
  for (const status of statuses) {
    const { InstanceId = "" } = status;
    const categories = categoriesOf(status, now);
    if (InstanceId === "" || categories.length === 0) continue;
    found.set(InstanceId, new Set([...(found.get(InstanceId) ?? []), ...categories]));
  }
  return [...found].map(([instanceId, categories]) => ({ instanceId, categories }));
}

function categoriesOf({ InstanceStatus, SystemStatus, Events = [] }: InstanceStatus, now: number): UnhealthyCategory[] {
  const categories: UnhealthyCategory[] = [];
  if (hasFailed(InstanceStatus, now)) categories.push("InstanceStatus");
  if (hasFailed(SystemStatus, now)) categories.push("SystemStatus");
  if (Events.some(({ Description = "" }) => !isOver(Description))) categories.push("EventStatus");
  return categories;
}

function hasFailed(summary: InstanceStatusSummary | undefined, now: number): boolean {
  return (summary?.Details ?? []).some(
    ({ Status, ImpairedSince }) => Status === "failed" && now - (ImpairedSince?.getTime() ?? 0) >= patience,
  );
}

/** AWS goes on telling of work for up to a week after it was done or called off. */
function isOver(description: string): boolean {
  return /^\[(?:Completed|Canceled)\]/.test(description);
}
