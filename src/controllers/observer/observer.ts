import { nodeClaims, nodePools } from "../../core/api/karpenter-resources.ts";
import type { Read } from "../../core/api/problem.ts";
import { describeProblem } from "../../core/api/problem.ts";
import { readDaemonSet } from "../../core/api/read-daemon-set.ts";
import { readDisruptionBudget, readVolumeAttachment } from "../../core/api/read-disruption-budget.ts";
import { readAttachLimits, readNode } from "../../core/api/read-node.ts";
import { readNodeClaim } from "../../core/api/read-node-claim.ts";
import { readNodeClass, readNodePoolObject } from "../../core/api/read-node-pool-object.ts";
import { createPodReader } from "../../core/api/read-pod.ts";
import { readControllerSelector, readNamespace, readService } from "../../core/api/read-selectables.ts";
import { readStorageClass, readVolume, readVolumeClaim } from "../../core/api/read-volumes.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Collection } from "../../core/cluster/collection.ts";
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
}

/** Follows the cluster, one list and watch for each kind, and folds what it sees into the state. */
export class Observer {
  readonly #cluster: ClusterState;
  readonly #options: ObserverOptions;
  readonly #reflectors = new Map<string, Reflector>();

  constructor(cluster: ClusterState, options: ObserverOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#followCluster();
    if (options.needsSelectors) this.#followSelectors();
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

  /** Whether what was written has come back, as everybody else hears of it. What is not followed does not. */
  hasHeardOf(resource: KubeResource, version: string): boolean {
    return this.#reflectors.get(resource.plural)?.hasHeardOf(version) ?? false;
  }

  #followCluster(): void {
    const cluster = this.#cluster;
    const readPod = createPodReader();
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
    const templates = new DaemonTemplates(
      this.#sink(resources.daemonSets.kind, cluster.daemonSets, (wire) => readDaemonSet(wire, readPod)),
    );
    this.#follow(resources.daemonSets, templates.daemonSets);
    this.#follow(resources.limitRanges, templates.limitRanges);
    this.#fold(resources.namespaces, cluster.namespaces, (wire) => only(readNamespace(wire), ({ labels }) => labels));
    this.#fold(resources.persistentVolumeClaims, cluster.volumeClaims, readVolumeClaim);
    this.#fold(resources.persistentVolumes, cluster.volumes, readVolume);
    this.#fold(resources.storageClasses, cluster.storageClasses, readStorageClass);
    this.#fold(resources.csiNodes, cluster.attachLimits, (wire) =>
      only(readAttachLimits(wire), ({ limits }) => limits),
    );
    this.#fold(resources.volumeAttachments, cluster.attachments, readVolumeAttachment);
    this.#fold(resources.podDisruptionBudgets, cluster.disruptionBudgets, readDisruptionBudget);
  }

  #followSelectors(): void {
    const cluster = this.#cluster;
    this.#fold(resources.services, cluster.services, readService);
    for (const resource of [resources.replicaSets, resources.statefulSets, resources.replicationControllers]) {
      const kind = resource.kind as "ReplicaSet" | "StatefulSet" | "ReplicationController";
      const keyed = (key: string): string => key.replace("/", `/${kind}/`);
      const sink = this.#sink(kind, cluster.controllerSelectors, (wire) =>
        only(readControllerSelector(wire, kind), ({ selector }) => selector ?? { expressions: [] }),
      );
      this.#follow(resource, {
        put: (key, object) => sink.put(keyed(key), object),
        remove: (key) => sink.remove(keyed(key)),
      });
    }
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

function only<T, U>(read: Read<T>, part: (value: T) => U): Read<U> {
  return read.problems === undefined ? { value: part(read.value) } : { problems: read.problems };
}
