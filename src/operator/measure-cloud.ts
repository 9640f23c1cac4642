import type { Clock } from "../ports/clock.ts";
import type { CloudProvider, LaunchOutcome } from "../ports/cloud-provider.ts";
import type { Metrics } from "../ports/telemetry.ts";

export interface Meter {
  /** Who asks, as in the `controller` label of metrics. */
  readonly controller: string;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "add" | "observe">;
}

/** The questions, by the names that dashboards know them by. */
type Method = "Create" | "Delete" | "Get" | "List" | "GetInstanceTypes" | "IsDrifted";

/** The same cloud, and metrics of how long it takes to answer and how often it says no. */
export function measureCloud(cloud: CloudProvider, { controller, clock, metrics }: Meter): CloudProvider {
  return {
    name: cloud.name,
    nodeClassKinds: cloud.nodeClassKinds,
    wellKnownLabels: cloud.wellKnownLabels,
    restrictedLabelDomains: cloud.restrictedLabelDomains,
    repairPolicies: cloud.repairPolicies,
    instanceTypes: (nodeClass) => measure("GetInstanceTypes", () => cloud.instanceTypes(nodeClass)),
    launch: (claim) =>
      measure(
        "Create",
        () => cloud.launch(claim),
        ({ kind }) => refusals[kind],
      ),
    terminate: (instance) =>
      measure(
        "Delete",
        () => cloud.terminate(instance),
        (state) => (state === "gone" ? notFound : undefined),
      ),
    find: (providerId) =>
      measure(
        "Get",
        () => cloud.find(providerId),
        (instance) => (instance === undefined ? notFound : undefined),
      ),
    list: () => measure("List", () => cloud.list()),
    driftReason: (claim) => measure("IsDrifted", () => cloud.driftReason(claim)),
  };

  async function measure<Answer>(
    method: Method,
    ask: () => Promise<Answer>,
    errorOf: (answer: Answer) => string | undefined = () => undefined,
  ): Promise<Answer> {
    const labels = { controller, method, provider: cloud.name };
    const started = clock.now();
    let error: string | undefined = "";
    try {
      const answer = await ask();
      error = errorOf(answer);
      return answer;
    } finally {
      metrics.observe("cloudprovider_duration_seconds", labels, (clock.now() - started) / 1000);
      if (error !== undefined) metrics.add("cloudprovider_errors_total", { ...labels, error });
    }
  }
}

const notFound = "NodeClaimNotFoundError";

const refusals: Readonly<Record<LaunchOutcome["kind"], string | undefined>> = {
  launched: undefined,
  "insufficient-capacity": "InsufficientCapacityError",
  "node-class-not-ready": "NodeClassNotReadyError",
  failed: "",
};
