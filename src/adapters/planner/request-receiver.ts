import type { InstanceType } from "../../core/model/instance-type.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { Node } from "../../core/model/node.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { Pod, PodSpec } from "../../core/model/pod.ts";
import type { Selector } from "../../core/model/selector.ts";
import type { ServiceSelector, Snapshot } from "../../core/model/snapshot.ts";
import type { StorageClass, Volume, VolumeClaim } from "../../core/model/volumes.ts";
import type { PlanningRequest } from "../../core/scheduling/plan-request.ts";
import { MapReceiver } from "./map-exchange.ts";
import type { Delivery, PackedPod, PackedPool, PackedRequest } from "./request-sender.ts";
import { asItIs, ReceivingShelf } from "./shelf.ts";

/** The other side of a RequestSender: everything has to come here, in the order in which it was packed. */
export class RequestReceiver {
  readonly #specs = new ReceivingShelf<PodSpec>(asItIs);
  readonly #labels = new ReceivingShelf<Labels>(asItIs);
  readonly #pods = new ReceivingShelf<Pod, PackedPod>((pod) => ({
    ...pod,
    spec: this.#specs.get(pod.spec),
    labels: this.#labels.get(pod.labels),
  }));
  readonly #nodes = new ReceivingShelf<Node>(asItIs);
  readonly #services = new ReceivingShelf<ServiceSelector>(asItIs);
  readonly #catalogues = new ReceivingShelf<readonly InstanceType[]>(asItIs);
  /** The same object as before for the same pool, so that what the planner knows of its machines holds. */
  readonly #pools = new ReceivingShelf<NodePool, PackedPool>((pool) => ({
    ...pool,
    instanceTypes: this.#catalogues.get(pool.instanceTypes),
  }));
  readonly #podsByNode = new MapReceiver<readonly Pod[], readonly number[]>((pods) => pods.map(this.#pods.get));
  readonly #namespaces = new MapReceiver<Labels>(asItIs);
  readonly #volumeClaims = new MapReceiver<VolumeClaim>(asItIs);
  readonly #volumes = new MapReceiver<Volume>(asItIs);
  readonly #storageClasses = new MapReceiver<StorageClass>(asItIs);
  readonly #controllerSelectors = new MapReceiver<Selector>(asItIs);

  /** How much it holds. */
  get sizes(): { readonly pods: number; readonly specs: number; readonly labels: number; readonly nodes: number } {
    return { pods: this.#pods.size, specs: this.#specs.size, labels: this.#labels.size, nodes: this.#nodes.size };
  }

  learn({ specs, labels, pods, nodes, services, catalogues, pools }: Delivery): void {
    this.#specs.learn(specs);
    this.#labels.learn(labels);
    this.#pods.learn(pods);
    this.#nodes.learn(nodes);
    this.#services.learn(services);
    this.#catalogues.learn(catalogues);
    this.#pools.learn(pools);
  }

  unpack<Request extends PlanningRequest>(packed: PackedRequest<Request>): Request {
    this.learn(packed.delivery);
    const snapshot: Snapshot = {
      nodePools: packed.nodePools.map(this.#pools.get),
      nodes: packed.nodes.map(this.#nodes.get),
      podsByNode: this.#podsByNode.receive(packed.podsByNode),
      daemonPods: packed.daemonPods.map(this.#pods.get),
      namespaces: this.#namespaces.receive(packed.namespaces),
      volumeClaims: this.#volumeClaims.receive(packed.volumeClaims),
      volumes: this.#volumes.receive(packed.volumes),
      storageClasses: this.#storageClasses.receive(packed.storageClasses),
      services: packed.services.map(this.#services.get),
      controllerSelectors: this.#controllerSelectors.receive(packed.controllerSelectors),
    };
    return { ...packed.request, snapshot, pendingPods: packed.pendingPods.map(this.#pods.get) };
  }
}
