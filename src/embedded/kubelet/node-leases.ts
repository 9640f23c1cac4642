import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { Node } from "kubernetes-types/core/v1.js";
import type { Clock, Timer } from "../../ports/clock.ts";
import { ApiError } from "../api/api-error.ts";
import type { ObjectApi } from "../api/object-api.ts";
import type { Draft } from "../kube-object.ts";
import type { Collection } from "../storage/collection.ts";
import { microTimestamp } from "../timestamp.ts";
import { Resource, type Stored } from "../workloads/resource.ts";

const namespace = "kube-node-lease";
const renewalMilliseconds = 10_000;

/** Renews the leases of all nodes whose kubelet is alive, together, every ten seconds. */
export class NodeLeases {
  readonly #api: ObjectApi;
  readonly #clock: Clock;
  readonly #leases: Resource<Lease>;
  readonly #collection: Collection;
  readonly #nodes = new Map<string, Stored<Node>>();
  #timer: Timer | undefined;

  constructor(api: ObjectApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    this.#leases = new Resource<Lease>(api, "coordination.k8s.io", "leases");
    this.#collection = api.collection(this.#leases.definition);
  }

  add(node: Stored<Node>): void {
    this.#nodes.set(node.metadata.name, node);
    this.#renew(node, microTimestamp(this.#clock.now()));
    this.#timer ??= this.#clock.after(renewalMilliseconds, () => this.#renewAll());
  }

  remove(name: string): void {
    this.#nodes.delete(name);
    if (this.#nodes.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #renewAll(): void {
    this.#timer = this.#clock.after(renewalMilliseconds, () => this.#renewAll());
    const renewTime = microTimestamp(this.#clock.now());
    for (const node of this.#nodes.values()) this.#renew(node, renewTime);
  }

  #renew(node: Stored<Node>, renewTime: string): void {
    const { name, uid } = node.metadata;
    const key = `${namespace}/${name}`;
    const lease = this.#collection.get(key) as Stored<Lease> | undefined;
    if (lease === undefined) {
      this.#create({ name, uid }, renewTime);
      return;
    }
    // Most writes of a quiet cluster are these, and they change nothing that the rules of the API would look at.
    const renewed = { ...lease, metadata: { ...lease.metadata }, spec: { ...lease.spec, renewTime } };
    this.#api.store.put(this.#collection, key, renewed as unknown as Draft);
  }

  #create({ name, uid }: { name: string; uid: string }, renewTime: string): void {
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    try {
      this.#leases.create(
        { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, ownerReferences }, spec },
        namespace,
      );
    } catch (error) {
      // Refused now, tried again with the next renewal.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
