import type { Node, Pod, PodSpec, TopologySpreadConstraint } from "kubernetes-types/core/v1.js";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import type { RandomCluster } from "./random-cluster.ts";
import { apps, hostnameKey, namespaces } from "./words.ts";

/**
 * The cluster with only the rules that the planner's model of kube-scheduler knows. Left out are images, taints with
 * PreferNoSchedule, affinity between pods and preferred node affinity, Services, nominated pods, volumes, pods of several
 * containers, required spread over hosts, selection of nodes by their fields, and any selection of nodes by pods that are
 * spread (it decides which nodes count). Each ReplicaSet selects the pods that it owns.
 */
export function plainCluster({ objects, pending }: RandomCluster): RandomCluster {
  const kept = objects.filter(({ kind }) => kind === "Node" || kind === "Pod");
  const replicaSets = Object.keys(namespaces).flatMap((namespace) => apps.map((name) => replicaSet(namespace, name)));
  return {
    objects: [
      ...replicaSets,
      ...kept.map((object) => (object.kind === "Node" ? plainNode(object as Node) : plainPod(object as Pod))),
    ],
    nominated: [],
    pending: pending.map(plainPod),
    returning: [],
  };
}

function replicaSet(namespace: string, name: string): ClusterObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name, namespace }, spec } as ClusterObject;
}

function plainNode(node: Node): Node {
  const name = node.metadata?.name ?? "";
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata?.labels, [hostnameKey]: name } },
    spec: { ...node.spec, taints: (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule") },
    status: { ...node.status, images: [] },
  };
}

function plainPod(pod: Pod): Pod {
  const { name, namespace, labels, ownerReferences } = pod.metadata ?? {};
  const { app: _, ...otherLabels } = labels ?? {};
  const owners = ownerReferences?.map((owner) => ({
    ...owner,
    kind: "ReplicaSet",
    uid: `uid of ${namespace}/${owner.name}`,
  }));
  const app = owners?.[0] === undefined ? {} : { app: owners[0].name };
  return {
    ...pod,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...otherLabels, ...app },
      ...(owners === undefined ? {} : { ownerReferences: owners }),
    },
    spec: plainSpec(pod.spec ?? { containers: [] }, owners !== undefined),
  };
}

function plainSpec(spec: PodSpec, isOwned: boolean): PodSpec {
  const { affinity, nodeSelector, containers, tolerations, priorityClassName, topologySpreadConstraints } = spec;
  const constraints = (topologySpreadConstraints ?? []).filter(isKnown).map(countingAllNodes);
  const isSpread = isOwned || constraints.length > 0;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const nodeSelectorTerms = required.filter(({ matchFields }) => matchFields === undefined);
  return {
    terminationGracePeriodSeconds: 0,
    containers: containers.slice(0, 1),
    topologySpreadConstraints: constraints,
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    ...(isSpread || nodeSelectorTerms.length === 0
      ? {}
      : { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } }),
    ...(isSpread || nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function isKnown({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return topologyKey !== hostnameKey || whenUnsatisfiable === "ScheduleAnyway";
}

function countingAllNodes({ nodeTaintsPolicy: _, ...constraint }: TopologySpreadConstraint): TopologySpreadConstraint {
  return constraint;
}
