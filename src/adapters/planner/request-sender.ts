import type { InstanceType } from "../../core/model/instance-type.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { Node } from "../../core/model/node.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { Pod, PodSpec } from "../../core/model/pod.ts";
import { noResources } from "../../core/model/resources.ts";
import type { Selector } from "../../core/model/selector.ts";
import type { ServiceSelector, Snapshot } from "../../core/model/snapshot.ts";
import type { StorageClass, Volume, VolumeClaim } from "../../core/model/volumes.ts";
import type { PlanningRequest } from "../../core/scheduling/plan-request.ts";
import { ListSender } from "./list-sender.ts";
import { type MapNews, MapSender } from "./map-exchange.ts";
import { SendingShelf, type ShelfNews, whole } from "./shelf.ts";

/** A pod whose spec and labels go by their numbers, so that pods which share them share them on the other side too. */
export interface PackedPod extends Omit<Pod, "spec" | "labels"> {
  readonly spec: number;
  readonly labels: number;
}

/** A pool whose instance types go by their number. */
export interface PackedPool extends Omit<NodePool, "instanceTypes"> {
  readonly instanceTypes: number;
}

/** Objects that the other side has to know before it can read the next request. */
export interface Delivery {
  readonly specs: ShelfNews<PodSpec>;
  readonly labels: ShelfNews<Labels>;
  readonly pods: ShelfNews<PackedPod>;
  readonly nodes: ShelfNews<Node>;
  readonly services: ShelfNews<ServiceSelector>;
  readonly catalogues: ShelfNews<readonly InstanceType[]>;
  readonly pools: ShelfNews<PackedPool>;
}

/** A request on its way to another thread: what that has seen before goes by its number. */
export interface PackedRequest<Request extends PlanningRequest = PlanningRequest> {
  /** Without its snapshot and its pods. */
  readonly request: Request;
  readonly delivery: Delivery;
  readonly pendingPods: readonly number[];
  readonly nodePools: readonly number[];
  readonly nodes: readonly number[];
  readonly podsByNode: MapNews<readonly number[]>;
  readonly daemonPods: readonly number[];
  readonly services: readonly number[];
  readonly namespaces: MapNews<Labels>;
  readonly volumeClaims: MapNews<VolumeClaim>;
  readonly volumes: MapNews<Volume>;
  readonly storageClasses: MapNews<StorageClass>;
  readonly controllerSelectors: MapNews<Selector>;
}

const emptySnapshot: Snapshot = {
  nodePools: [],
  nodes: [],
  podsByNode: new Map(),
  daemonPods: [],
  namespaces: new Map(),
  volumeClaims: new Map(),
  volumes: new Map(),
  storageClasses: new Map(),
  services: [],
  controllerSelectors: new Map(),
};

/** So many objects cross at once: a few milliseconds' worth. */
const mostAtOnce = 2_000;

/**
 * Packs requests for a thread that remembers those before. Nothing in a snapshot ever changes, so what is the same object
 * as before is there already. If one is not packed and sent to its end, the thread and the sender no longer understand
 * each other, and both have to start anew.
 */
export class RequestSender {
  readonly #specs = new SendingShelf<PodSpec>(whole());
  readonly #labels = new SendingShelf<Labels>(whole());
  readonly #pods = new SendingShelf<Pod, PackedPod>({
    pack: (pod) => ({
      ...pod,
      spec: this.#specs.take(pod.spec),
      labels: this.#labels.take(pod.labels),
      // Only quotas ask for them, and there are none where plans are made.
      limits: noResources,
    }),
    drop: ({ spec, labels }) => {
      this.#specs.release(spec);
      this.#labels.release(labels);
    },
  });
  readonly #nodes = new SendingShelf<Node>(whole());
  readonly #services = new SendingShelf<ServiceSelector>(whole());
  readonly #catalogues = new SendingShelf<readonly InstanceType[]>(whole());
  readonly #pools = new SendingShelf<NodePool, PackedPool>({
    pack: (pool) => ({ ...pool, instanceTypes: this.#catalogues.take(pool.instanceTypes) }),
    drop: ({ instanceTypes }) => this.#catalogues.release(instanceTypes),
  });
  readonly #poolList = new ListSender(this.#pools);
  readonly #nodeList = new ListSender(this.#nodes);
  readonly #serviceList = new ListSender(this.#services);
  readonly #daemonPods = new ListSender(this.#pods);
  readonly #pendingPods = new ListSender(this.#pods);
  readonly #podsByNode = new MapSender<readonly Pod[], readonly number[]>({
    pack: (pods) => pods.map((pod) => this.#pods.take(pod)),
    drop: (pods) => {
      for (const pod of pods) this.#pods.release(pod);
    },
  });
  readonly #namespaces = new MapSender<Labels>(whole());
  readonly #volumeClaims = new MapSender<VolumeClaim>(whole());
  readonly #volumes = new MapSender<Volume>(whole());
  readonly #storageClasses = new MapSender<StorageClass>(whole());
  readonly #controllerSelectors = new MapSender<Selector>(whole());

  /** Yields what is to cross before the rest is packed, so that neither takes long. */
  *pack<Request extends PlanningRequest>(request: Request): Generator<Delivery, PackedRequest<Request>> {
    const { snapshot, pendingPods } = request;
    const packed = {
      request: { ...request, snapshot: emptySnapshot, pendingPods: [] },
      nodePools: yield* this.#inPieces(this.#poolList.send(snapshot.nodePools)),
      nodes: yield* this.#inPieces(this.#nodeList.send(snapshot.nodes)),
      services: yield* this.#inPieces(this.#serviceList.send(snapshot.services)),
      daemonPods: yield* this.#inPieces(this.#daemonPods.send(snapshot.daemonPods)),
      pendingPods: yield* this.#inPieces(this.#pendingPods.send(pendingPods)),
      podsByNode: yield* this.#inPieces(this.#podsByNode.send(snapshot.podsByNode)),
      namespaces: yield* this.#inPieces(this.#namespaces.send(snapshot.namespaces)),
      volumeClaims: yield* this.#inPieces(this.#volumeClaims.send(snapshot.volumeClaims)),
      volumes: yield* this.#inPieces(this.#volumes.send(snapshot.volumes)),
      storageClasses: yield* this.#inPieces(this.#storageClasses.send(snapshot.storageClasses)),
      controllerSelectors: yield* this.#inPieces(this.#controllerSelectors.send(snapshot.controllerSelectors)),
    };
    // Pods and pools first: specs, labels and instance types go with them.
    for (const shelf of [this.#pods, this.#specs, this.#labels]) shelf.sweep();
    for (const shelf of [this.#pools, this.#catalogues, this.#nodes, this.#services]) shelf.sweep();
    return { ...packed, delivery: this.#delivery() };
  }

  *#inPieces<Result>(sending: Generator<undefined, Result>): Generator<Delivery, Result> {
    for (let step = sending.next(); ; step = sending.next()) {
      if (step.done === true) return step.value;
      if (this.#isFull) yield this.#delivery();
    }
  }

  get #isFull(): boolean {
    return this.#pods.waiting + this.#nodes.waiting >= mostAtOnce;
  }

  #delivery(): Delivery {
    return {
      specs: this.#specs.news(),
      labels: this.#labels.news(),
      pods: this.#pods.news(),
      nodes: this.#nodes.news(),
      services: this.#services.news(),
      catalogues: this.#catalogues.news(),
      pools: this.#pools.news(),
    };
  }
}
