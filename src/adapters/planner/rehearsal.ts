import { readInstanceTypes } from "../../core/api/read-instance-types.ts";
import { readSnapshot } from "../../core/api/read-objects.ts";
import { capacityTypeLabel, zoneLabel } from "../../core/model/labels.ts";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";

const zones = ["a", "b", "c"];
const families = ["c", "m", "r", "x"];
const sizes = [2, 4, 8, 16, 32, 48, 64, 96];
const kinds = 40;

/** Invented machines and pods, of as many kinds as it takes for a plan to be work. */
export function rehearsal(): PlanRequest {
  const { instanceTypes } = readInstanceTypes(
    families.flatMap((family, rank) => sizes.map((cpu) => machine(family, rank, cpu))),
  );
  const spec = { template: { spec: { nodeClassRef: { group: "rehearsal", kind: "NodeClass", name: "rehearsal" } } } };
  const pool = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "rehearsal" }, spec };
  const pods = Array.from({ length: kinds }, (_, kind) => podsOf(kind)).flat();
  const { snapshot, pendingPods } = readSnapshot([pool, ...pods], instanceTypes, "unplaced");
  return {
    snapshot,
    pendingPods,
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    wellKnownLabels: new Set(instanceTypes.flatMap(({ requirements }) => [...requirements.keys()])),
    defaultSpread: [],
    hints: new Map(),
    placement: "Suggest",
  };
}

/** With each family memory for a processor doubles. */
function machine(family: string, rank: number, cpu: number): object {
  const offerings = zones.flatMap((zone, index) =>
    [
      ["on-demand", 1],
      ["spot", 0.4 + ((rank * 7 + cpu * 3 + index * 5) % 11) / 40],
    ].map(([capacityType, share]) => ({
      price: cpu * (0.04 + 0.01 * rank) * Number(share),
      requirements: [
        { key: zoneLabel, operator: "In", values: [zone] },
        { key: capacityTypeLabel, operator: "In", values: [capacityType] },
      ],
    })),
  );
  const resources = { cpu, memory: `${cpu * 2 ** (rank + 1)}Gi`, pods: 110 };
  return { name: `${family}${cpu}`, architecture: "amd64", operatingSystems: ["linux"], resources, offerings };
}

/** Some must spread over zones, some want a certain kind of machine, and some are alone. */
function podsOf(kind: number): object[] {
  const labels = { app: `app-${kind}` };
  const requests = { cpu: `${50 * 2 ** (kind % 8)}m`, memory: `${128 * 2 ** ((kind * 5) % 7)}Mi` };
  const spread = {
    topologyKey: zoneLabel,
    maxSkew: 1,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: labels },
  };
  const spec = {
    containers: [{ resources: { requests } }],
    ...(kind % 5 === 0 ? { topologySpreadConstraints: [spread] } : {}),
    ...(kind % 7 === 3 ? { nodeSelector: { [capacityTypeLabel]: "on-demand" } } : {}),
  };
  return Array.from({ length: 1 + ((kind * 13) % 24) }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${kind}-${index}`, uid: `${kind}-${index}`, labels },
    spec,
  }));
}
