import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { JsonObject } from "../../core/api/schema/json.ts";
import type { Timer } from "../../ports/clock.ts";
import type { ObjectApi } from "../api/object-api.ts";
import { microTimestamp } from "../timestamp.ts";

export interface LeaseTheft {
  readonly namespace: string;
  readonly name: string;
  /** Who holds it from now on. */
  readonly holder: string;
  /** How long the thief goes on renewing it; then it runs out like any other. */
  readonly forMs: number;
}

const renewEvery = 2_000;

/** Another takes a lease, whoever holds it, and keeps it for a while. Returns how to end it sooner. */
export function takeLease(api: ObjectApi, { namespace, name, holder, forMs }: LeaseTheft): () => void {
  const definition = api.registry.builtIn("coordination.k8s.io", "leases");
  const namespaces = api.registry.builtIn("", "namespaces");
  const address = { definition, namespace, name };
  const end = api.clock.now() + forMs;
  let timer: Timer | undefined;
  const write = (): void => {
    const now = microTimestamp(api.clock.now());
    const renewed = (spec: Lease["spec"]): JsonObject => ({
      leaseDurationSeconds: 15,
      ...spec,
      holderIdentity: holder,
      renewTime: now,
      acquireTime: spec?.holderIdentity === holder ? spec.acquireTime : now,
      leaseTransitions: (spec?.leaseTransitions ?? 0) + (spec?.holderIdentity === holder ? 0 : 1),
    });
    if (api.find(address) === undefined) {
      api.create(definition, { metadata: { name }, spec: renewed(undefined) }, { namespace });
    } else {
      api.patch(address, (current) => ({ ...current, spec: renewed(current.spec as Lease["spec"]) }));
    }
    if (api.clock.now() + renewEvery < end) timer = api.clock.after(renewEvery, renew);
  };
  const renew = (): void => {
    // Whoever deletes the namespace meanwhile has the last word.
    const found = api.find({ definition: namespaces, name: namespace });
    if (found !== undefined && found.metadata.deletionTimestamp === undefined) write();
  };
  write();
  return () => timer?.cancel();
}
