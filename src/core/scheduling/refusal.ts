import type { Requirement } from "../model/requirements.ts";
import type { Resources } from "../model/resources.ts";
import type { Taint } from "../model/taints.ts";
import type { TopologyKind } from "./topology-groups.ts";
import type { VolumeProblem } from "./volume-needs.ts";

/** Why a pod gets no node. Data: `describeRefusal` turns it into words. */
export type Refusal =
  | { readonly kind: "volume"; readonly claim: string; readonly problem: VolumeProblem }
  | { readonly kind: "device-claims" }
  | { readonly kind: "restricted-label"; readonly key: string }
  | { readonly kind: "no-pools" }
  /** The pod waits for reserved capacity that another pod of this batch takes; the next batch knows more. */
  | { readonly kind: "reservation-taken" }
  /** The pod does not exist yet, and admission may still change what it asks for: no machine is bought for it before that is known. */
  | { readonly kind: "tentative" }
  | { readonly kind: "no-fit"; readonly pools: readonly PoolRefusal[] };

export interface PoolRefusal {
  readonly pool: string;
  readonly reason: PoolRefusalReason;
}

export type PoolRefusalReason =
  | { readonly kind: "unusable"; readonly because: string }
  | { readonly kind: "static" }
  | { readonly kind: "nothing-offered" }
  | { readonly kind: "taint"; readonly taint: Taint }
  | {
      readonly kind: "requirement";
      readonly key: string;
      readonly wanted: Requirement | undefined;
      /** The values that the pool's machines have. */
      readonly offered: readonly string[];
      /** What the pool says of the label where it leaves the value open. */
      readonly required: Requirement | undefined;
    }
  | { readonly kind: "volume-topology"; readonly keys: readonly string[] }
  | { readonly kind: "host-port" }
  | {
      readonly kind: "resources";
      readonly instanceType: string;
      /** `Number.MAX_SAFE_INTEGER` where it is more than can be counted. */
      readonly missing: Resources;
      /** What daemon sets take of the instance type, of the resources that are missing. */
      readonly daemons: Resources;
    }
  | { readonly kind: "limit"; readonly resource: string; readonly limit: number; readonly remaining: number }
  | { readonly kind: "min-values"; readonly key: string; readonly wanted: number; readonly found: number }
  | { readonly kind: "topology"; readonly rule: TopologyKind; readonly key: string };
