import type { DisruptionBudget, VolumeAttachment } from "../model/disruption-budget.ts";
import type { Labels } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { NodeClassRef } from "../model/node-pool.ts";
import type { NodeClassObject, NodePoolObject } from "../model/node-pool-object.ts";
import type { Pod } from "../model/pod.ts";
import type { Resources } from "../model/resources.ts";
import type { Selector } from "../model/selector.ts";
import type { ServiceSelector } from "../model/snapshot.ts";
import type { StorageClass, Volume, VolumeClaim } from "../model/volumes.ts";
import { controllerUid, type ResourceQuota, type Workload } from "../model/workload.ts";
import { Collection } from "./collection.ts";
import { IntendedPods } from "./intended-pods.ts";
import { ObservedTaints } from "./observed-taints.ts";
import { PodPlaces } from "./pod-places.ts";
import { RefusedOfferings } from "./refused-offerings.ts";

/** All that is known of the cluster now, folded from what its API tells. */
export class ClusterState {
  /** By `namespace/name`, like everything that lives in a namespace; the rest by name. */
  readonly pods = new Collection<Pod>();
  readonly nodes = new Collection<NodeObject>();
  readonly claims = new Collection<NodeClaim>();
  readonly pools = new Collection<NodePoolObject>();
  /** By `Kind/name`. */
  readonly nodeClasses = new Collection<NodeClassObject>();
  /** The pod that each DaemonSet's template describes. */
  readonly daemonSets = new Collection<Pod>();
  readonly namespaces = new Collection<Labels>();
  readonly volumeClaims = new Collection<VolumeClaim>();
  readonly volumes = new Collection<Volume>();
  readonly storageClasses = new Collection<StorageClass>();
  /** Attach limits by driver, by the name of the node. */
  readonly attachLimits = new Collection<Resources>();
  readonly attachments = new Collection<VolumeAttachment>();
  readonly disruptionBudgets = new Collection<DisruptionBudget>();
  readonly services = new Collection<ServiceSelector>();
  /** By `namespace/Kind/name`. */
  readonly controllerSelectors = new Collection<Selector>();
  /** By `namespace/Kind/name`: the objects that create pods. */
  readonly workloads = new Collection<Workload>();
  readonly resourceQuotas = new Collection<ResourceQuota>();
  /** By namespace: whether pods of its workloads are planned only once they exist. */
  readonly lookAheadOptOuts = new Collection<boolean>();
  readonly intendedPods = new IntendedPods();
  /** What catalogues are to be read with before anything is planned. */
  readonly refusedOfferings = new RefusedOfferings();
  readonly observedTaints = new ObservedTaints();

  readonly #podsByNode = this.pods.indexBy(({ nodeName }) => nodeName);
  readonly places = new PodPlaces(this.pods, this.#podsByNode);
  readonly #podsByNominatedNode = this.pods.indexBy((pod) => (pod.nodeName === "" ? pod.nominatedNodeName : ""));
  readonly #podsByUid = this.pods.indexBy(({ uid }) => uid);
  readonly #podsByController = this.pods.indexBy(controllerUid);
  readonly #workloadsByUid = this.workloads.indexBy(({ uid }) => uid);
  readonly #workloadsByController = this.workloads.indexBy(({ controller }) => controller?.uid ?? "");
  readonly #nodesByProviderId = this.nodes.indexBy(({ providerId }) => providerId);
  readonly #claimsByProviderId = this.claims.indexBy(({ providerId }) => providerId);
  readonly #attachmentsByNode = this.attachments.indexBy(({ nodeName }) => nodeName);
  readonly #claimsByPool = this.claims.indexBy(({ labels }) => labels.get("karpenter.sh/nodepool") ?? "");

  podsOnNode(nodeName: string): readonly Pod[] {
    return this.#podsByNode.get(nodeName);
  }

  /** Those that wait for a place and have been promised one there. */
  podsNominatedTo(nodeName: string): readonly Pod[] {
    return this.#podsByNominatedNode.get(nodeName);
  }

  /** Those that a plan has put there and that are not on the node yet; some of them may not exist yet. */
  podsMeantFor(claimName: string): readonly Pod[] {
    const { intendedPods } = this;
    return [...intendedPods.podsOf(claimName)].flatMap(
      (uid) => intendedPods.expectedPod(uid) ?? this.podByUid(uid) ?? [],
    );
  }

  /** The node that a plan means the pod for, once it has joined, with its claim. */
  nodeMeantFor(podUid: string): { readonly claim: NodeClaim; readonly node: NodeObject } | undefined {
    const claim = this.claims.get(this.intendedPods.claimOf(podUid) ?? "");
    const node = claim === undefined ? undefined : this.nodesOf(claim)[0];
    return claim === undefined || node === undefined ? undefined : { claim, node };
  }

  podByUid(uid: string): Pod | undefined {
    return this.#podsByUid.get(uid)[0];
  }

  /** The pods that a workload has created, finished ones included. */
  podsOfWorkload(uid: string): readonly Pod[] {
    return this.#podsByController.get(uid);
  }

  workloadByUid(uid: string): Workload | undefined {
    return this.#workloadsByUid.get(uid)[0];
  }

  /** The workloads that another one has created, as a Deployment does ReplicaSets. */
  workloadsOf(uid: string): readonly Workload[] {
    return this.#workloadsByController.get(uid);
  }

  /** More than one is a mistake that somebody has to be told of. */
  nodesOf({ providerId }: NodeClaim): readonly NodeObject[] {
    return this.#nodesByProviderId.get(providerId);
  }

  claimsOf({ providerId }: NodeObject): readonly NodeClaim[] {
    return this.#claimsByProviderId.get(providerId);
  }

  claimsOfPool(poolName: string): readonly NodeClaim[] {
    return this.#claimsByPool.get(poolName);
  }

  attachmentsOf(nodeName: string): readonly VolumeAttachment[] {
    return this.#attachmentsByNode.get(nodeName);
  }

  nodeClassOf({ group, kind, name }: NodeClassRef): NodeClassObject | undefined {
    const nodeClass = this.nodeClasses.get(`${kind}/${name}`);
    return nodeClass?.group === group ? nodeClass : undefined;
  }
}
