import {
  type AdmissionDefaults,
  type PriorityClass,
  type RuntimeClass,
  readPriorityClass,
  readRuntimeClass,
} from "../../core/api/admit-template.ts";
import { nodeClaims, nodePools } from "../../core/api/karpenter-resources.ts";
import type { Read } from "../../core/api/problem.ts";
import { describeProblem } from "../../core/api/problem.ts";
import { readDaemonSet } from "../../core/api/read-daemon-set.ts";
import { readDisruptionBudget, readVolumeAttachment } from "../../core/api/read-disruption-budget.ts";
import { readAttachLimits, readNode } from "../../core/api/read-node.ts";
import { readNodeClaim } from "../../core/api/read-node-claim.ts";
import { readNodeClass, readNodePoolObject } from "../../core/api/read-node-pool-object.ts";
import { createPodReader } from "../../core/api/read-pod.ts";
import { readResourceQuota } from "../../core/api/read-resource-quota.ts";
import { readControllerSelector, readNamespace, readService } from "../../core/api/read-selectables.ts";
import { readStorageClass, readVolume, readVolumeClaim } from "../../core/api/read-volumes.ts";
import { readWorkload } from "../../core/api/read-workload.ts";
import { TemplateKeeper } from "../../core/api/workload-template.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { Collection } from "../../core/cluster/collection.ts";
import type { Selector } from "../../core/model/selector.ts";
import type { WorkloadKind } from "../../core/model/workload.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NodeClassKind } from "../../ports/cloud-provider.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import type { Log } from "../../ports/telemetry.ts";
import { apiVersionOf, type KubeObject, type KubeResource } from "../../runtime/kube-object.ts";
import { ListRefused, type ObjectSink, Reflector } from "../../runtime/reflector.ts";
import * as resources from "../../runtime/resources.ts";
import { DaemonTemplates } from "./daemon-templates.ts";

export interface ObserverOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly nodeClassKinds: readonly NodeClassKind[];
  /** Whether to follow what default spread constraints are deduced from, which is much in large clusters. */
  readonly needsSelectors: boolean;
  /** Whether to follow what workloads ask for, and what limits and changes their pods. */
  readonly followsWorkloads?: boolean;
}

/** Follows the cluster, one list and watch for each kind, and folds what it sees into the state. */
export class Observer {
  readonly #cluster: ClusterState;
  readonly #options: ObserverOptions;
  readonly #reflectors = new Map<string, Reflector>();
  readonly #readPod = createPodReader();
  readonly #templates: DaemonTemplates;
  readonly #workloadTemplates = new TemplateKeeper();
  readonly #priorityClasses = new Collection<PriorityClass>();
  readonly #runtimeClasses = new Collection<RuntimeClass>();

  constructor(cluster: ClusterState, options: ObserverOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#templates = new DaemonTemplates(
      this.#sink(resources.daemonSets.kind, cluster.daemonSets, (wire) => readDaemonSet(wire, this.#readPod)),
    );
    this.#followCluster();
    if (options.needsSelectors) this.#fold(resources.services, this.#cluster.services, readService);
    this.#followControllers();
  }

  start(): void {
    for (const reflector of this.#reflectors.values()) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#reflectors.values()) reflector.stop();
  }

  /** Everything that is there has been seen. */
  get isSynced(): boolean {
    return [...this.#reflectors.values()].every(({ isSynced }) => isSynced);
  }

  /** The plural names of what has not been seen yet. */
  get unsynced(): readonly string[] {
    return [...this.#reflectors].flatMap(([key, { isSynced }]) => (isSynced ? [] : [key]));
  }

  /** Takes in what a write left behind, so that whoever wrote finds it at once. */
  apply(resource: KubeResource, object: KubeObject): void {
    this.#reflectors.get(resource.plural)?.apply(object);
  }

  #followCluster(): void {
    const cluster = this.#cluster;
    const readPod = this.#readPod;
    this.#fold(resources.pods, cluster.pods, readPod);
    this.#fold(resources.nodes, cluster.nodes, readNode);
    this.#fold(nodeClaims, cluster.claims, readNodeClaim);
    this.#fold(nodePools, cluster.pools, readNodePoolObject);
    for (const kind of this.#options.nodeClassKinds) {
      const sink = this.#sink(kind.kind, cluster.nodeClasses, (wire) => readNodeClass(wire, kind));
      this.#follow(
        { ...kind, isNamespaced: false },
        {
          put: (key, object) => sink.put(`${kind.kind}/${key}`, object),
          remove: (key) => sink.remove(`${kind.kind}/${key}`),
        },
      );
    }
    const templates = this.#templates;
    this.#follow(resources.daemonSets, templates.daemonSets);
    this.#follow(resources.limitRanges, templates.limitRanges);
    const labels = this.#sink(resources.namespaces.kind, cluster.namespaces, (wire) =>
      only(readNamespace(wire), ({ labels }) => labels),
    );
    const optOuts = this.#sink(resources.namespaces.kind, cluster.lookAheadOptOuts, (wire) =>
      only(readNamespace(wire), ({ isOptedOut }) => isOptedOut),
    );
    this.#follow(resources.namespaces, both(labels, optOuts));
    this.#fold(resources.persistentVolumeClaims, cluster.volumeClaims, readVolumeClaim);
    this.#fold(resources.persistentVolumes, cluster.volumes, readVolume);
    this.#fold(resources.storageClasses, cluster.storageClasses, readStorageClass);
    this.#fold(resources.csiNodes, cluster.attachLimits, (wire) =>
      only(readAttachLimits(wire), ({ limits }) => limits),
    );
    this.#fold(resources.volumeAttachments, cluster.attachments, readVolumeAttachment);
    this.#fold(resources.podDisruptionBudgets, cluster.disruptionBudgets, readDisruptionBudget);
  }

  /** The objects that create pods: what they select, and how many pods they ask for. */
  #followControllers(): void {
    const { needsSelectors, followsWorkloads = false } = this.#options;
    for (const resource of [resources.replicaSets, resources.statefulSets, resources.replicationControllers]) {
      const sinks = [
        ...(needsSelectors ? [this.#selectorSink(resource)] : []),
        ...(followsWorkloads ? [this.#workloadSink(resource)] : []),
      ];
      if (sinks.length > 0) this.#follow(resource, both(...sinks));
    }
    if (!followsWorkloads) return;
    this.#follow(resources.deployments, this.#workloadSink(resources.deployments));
    this.#follow(resources.jobs, this.#workloadSink(resources.jobs));
    this.#fold(resources.resourceQuotas, this.#cluster.resourceQuotas, readResourceQuota);
    this.#fold(resources.priorityClasses, this.#priorityClasses, readPriorityClass);
    this.#fold(resources.runtimeClasses, this.#runtimeClasses, readRuntimeClass);
  }

  #selectorSink({ kind }: KubeResource): ObjectSink {
    const read = (wire: unknown): Read<Selector> =>
      only(readControllerSelector(wire, kind as SelectorKind), ({ selector }) => selector ?? { expressions: [] });
    return withKind(kind, this.#sink(kind, this.#cluster.controllerSelectors, read));
  }

  /**
   * With what the API server adds to pods as far as that is known now: it matters only until the first pod of the
   * template is there, and a template that lacks something is planned, but nothing is bought for it.
   */
  #workloadSink({ kind }: KubeResource): ObjectSink {
    const templates = this.#workloadTemplates;
    const sink = this.#sink(kind, this.#cluster.workloads, (wire) => {
      const defaults: AdmissionDefaults = {
        limitRanges: this.#templates.defaultsOf((wire as KubeObject).metadata.namespace ?? ""),
        priorityClasses: this.#priorityClasses.copy(),
        runtimeClasses: this.#runtimeClasses.copy(),
      };
      return readWorkload(wire, { kind: kind as WorkloadKind, templates, defaults });
    });
    return withKind(kind, sink);
  }

  #fold<T>(resource: KubeResource, collection: Collection<T>, read: (wire: unknown) => Read<T>): void {
    this.#follow(resource, this.#sink(resource.kind, collection, read));
  }

  /** What cannot be read is told once and then counts as absent. */
  #sink<T>(kind: string, collection: Collection<T>, read: (wire: unknown) => Read<T>): ObjectSink {
    const { log } = this.#options;
    return {
      put: (key, object) => {
        const result = read(object);
        if (result.problems === undefined) {
          collection.put(key, result.value);
          return;
        }
        collection.remove(key);
        log.error("ignoring an object that cannot be read", {
          [kind]: { name: key },
          problems: result.problems.map(describeProblem),
        });
      },
      remove: (key) => collection.remove(key),
    };
  }

  #follow(resource: KubeResource, sink: ObjectSink): void {
    const { transport, clock, random, log } = this.#options;
    const onError = (error: Error): void => {
      const isUnknown = error.cause instanceof ListRefused && error.cause.status === 404 && resource.group !== "";
      if (isUnknown) {
        log.error(
          `the cluster does not know ${resource.kind} (${apiVersionOf(resource)}); install it with "kubectl apply -f charts/karpenter/crds"`,
        );
      } else log.error(error.message, { error: error.cause ?? error });
    };
    this.#reflectors.set(resource.plural, new Reflector({ transport, resource, sink, clock, random, onError }));
  }
}

type SelectorKind = "ReplicaSet" | "StatefulSet" | "ReplicationController";

/** Objects of several kinds in one collection: their keys say which. */
function withKind(kind: string, sink: ObjectSink): ObjectSink {
  // A string that is joined takes half the memory of one that is put together from pieces.
  const keyed = (key: string): string => key.split("/").toSpliced(1, 0, kind).join("/");
  return { put: (key, object) => sink.put(keyed(key), object), remove: (key) => sink.remove(keyed(key)) };
}

function both(...sinks: readonly ObjectSink[]): ObjectSink {
  return {
    put: (key, object) => {
      for (const sink of sinks) sink.put(key, object);
    },
    remove: (key) => {
      for (const sink of sinks) sink.remove(key);
    },
  };
}

function only<T, U>(read: Read<T>, part: (value: T) => U): Read<U> {
  return read.problems === undefined ? { value: part(read.value) } : { problems: read.problems };
}
