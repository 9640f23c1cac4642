import type { Pod } from "kubernetes-types/core/v1.js";
import { type CatalogueEntry, defaultCatalogue } from "../../../src/adapters/kwok/default-catalogue.ts";
import { readInstanceTypes } from "../../../src/core/api/read-instance-types.ts";
import type { InstanceType } from "../../../src/core/model/instance-type.ts";
import { capacityTypeLabel } from "../../../src/core/model/labels.ts";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { Dice } from "../scheduler/dice.ts";
import { randomCluster } from "../scheduler/random-cluster.ts";
import { randomPod } from "../scheduler/random-pod.ts";
import { gpu, zoneKey, zones } from "../scheduler/words.ts";
import { isUnusual } from "./known-differences.ts";

/** Pods that need machines, and where machines can be had. */
export interface RandomBatch {
  /** Nodes that there are, with pods on them. */
  readonly objects: readonly ClusterObject[];
  readonly pending: readonly Pod[];
  readonly pools: readonly object[];
}

export function randomBatch(seed: number): RandomBatch {
  const dice = new Dice(seed);
  const objects = randomCluster(seed).objects.filter(({ kind }) => kind === "Node" || kind === "Pod");
  const kept = new Set(objects.filter(({ kind }) => kind === "Node" && dice.chance(0.3)).map(nameOf));
  return {
    objects: objects.flatMap((object) => {
      if (object.kind === "Node") return kept.has(nameOf(object)) ? [object] : [];
      const pod = object as Pod;
      return kept.has(pod.spec?.nodeName ?? "") ? [staying(pod)] : [];
    }),
    pending: dice.times(2, 6, (index) => randomPods(dice, `s${seed}p${index}`)).flat(),
    pools: dice.times(1, 3, (index) => randomPool(dice, `s${seed}pool${index}`)),
  };
}

function nameOf({ metadata }: ClusterObject): string {
  return metadata?.name ?? "";
}

/** Neither on its way out nor with volumes. */
function staying(pod: Pod): Pod {
  return { ...withoutVolumes(pod), status: { phase: pod.status?.phase ?? "Running" } };
}

function withoutVolumes(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], volumes: [] } };
}

/** Pods of one kind, as of a deployment. */
function randomPods(dice: Dice, prefix: string): Pod[] {
  const density = dice.pick([0.1, 0.5, 1]);
  const pod = withoutVolumes(randomPod(dice, prefix, { nodeNames: [prefix], claims: new Map(), density }));
  if (isUnusual(pod)) return [];
  return dice.times(1, 4, (index) => ({ ...pod, metadata: { ...pod.metadata, name: `${prefix}-${index}` } }));
}

/** With the labels that the pods look for, some given and some left open. */
function randomPool(dice: Dice, name: string): object {
  const isGiven = dice.chance(0.5);
  const racks = { key: "rack", operator: "In", values: dice.several(["1", "2"]) };
  const disks = { key: "disk", operator: "In", values: dice.several(["ssd", "hdd"]) };
  const requirements = [
    ...dice.some([{ key: zoneKey, operator: "In", values: dice.several(zones) }], 0.4),
    ...dice.some([{ key: capacityTypeLabel, operator: "In", values: [dice.pick(["spot", "on-demand"])] }], 0.3),
    ...(isGiven ? [] : dice.some([racks, disks, { key: "size", operator: "Exists" }], 0.6)),
  ];
  const labels = {
    ...dice.maybe(0.7, () => ({ rack: dice.pick(["1", "2"]) })),
    ...dice.maybe(0.7, () => ({ disk: dice.pick(["ssd", "hdd"]) })),
    ...dice.maybe(0.5, () => ({ size: String(dice.between(1, 20)) })),
  };
  const taints = dice.times(0, dice.chance(0.5) ? 1 : 0, () => ({
    key: dice.pick(["dedicated", "special"]),
    value: dice.pick(["a", "b"]),
    effect: dice.pick(["NoSchedule", "NoExecute", "PreferNoSchedule"]),
  }));
  const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name, uid: name },
    spec: {
      ...dice.maybe(0.4, () => ({ weight: dice.between(1, 3) })),
      ...dice.maybe(0.15, () => ({ limits: { cpu: String(dice.between(1, 20)) } })),
      template: { metadata: { labels: isGiven ? labels : {} }, spec: { nodeClassRef, requirements, taints } },
    },
  };
}

/** The smaller machines that KWOK sells, in zones that the pods know of, and some with devices. */
export function catalogue(): readonly InstanceType[] {
  const entries = defaultCatalogue().flatMap((entry) => (isSmall(entry) ? [adapted(entry)] : []));
  return readInstanceTypes(entries).instanceTypes;
}

function isSmall({ operatingSystems, resources }: CatalogueEntry): boolean {
  return operatingSystems.includes("linux") && Number(resources.cpu) <= 8;
}

function adapted(entry: CatalogueEntry): CatalogueEntry {
  const devices = entry.name.startsWith("m-") ? { [gpu]: "2" } : {};
  const offerings = entry.offerings.flatMap((offering) => {
    const renamed = offering.Requirements.map((requirement) =>
      requirement.key === zoneKey ? { ...requirement, values: requirement.values.flatMap(knownZone) } : requirement,
    );
    return renamed.every(({ values }) => values.length > 0) ? [{ ...offering, Requirements: renamed }] : [];
  });
  return { ...entry, resources: { ...entry.resources, ...devices }, offerings };
}

function knownZone(zone: string): string[] {
  const name = zones["abc".indexOf(zone.slice(-1))];
  return name === undefined ? [] : [name];
}
