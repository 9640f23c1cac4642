import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";

export interface TerminatorOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  /** The same, as metrics tell who asks for the machines of claims; as for nodes where absent. */
  readonly claimCloud?: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}
