import { ec2NodeClasses } from "../../../core/api/karpenter-resources.ts";
import { describeProblem } from "../../../core/api/problem.ts";
import type { NodeClassObject } from "../../../core/model/node-pool-object.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Log } from "../../../ports/telemetry.ts";
import type { Ec2NodeClass } from "./ec2-node-class.ts";
import { readEc2NodeClass } from "./read-node-class.ts";

/** The node classes of the cluster, each read once. What cannot be read is told once, and counts as absent. */
export class NodeClasses {
  readonly #objects: ClusterView["nodeClasses"];
  readonly #log: Log;
  readonly #read = new WeakMap<NodeClassObject, Ec2NodeClass | undefined>();

  constructor({ cluster, log }: { readonly cluster: Pick<ClusterView, "nodeClasses">; readonly log: Log }) {
    this.#objects = cluster.nodeClasses;
    this.#log = log;
  }

  get(name: string): Ec2NodeClass | undefined {
    const object = this.#objects.get(`${ec2NodeClasses.kind}/${name}`);
    return object === undefined ? undefined : this.#readOnce(object);
  }

  *values(): Generator<Ec2NodeClass> {
    for (const object of this.#objects.values()) {
      const nodeClass = this.#readOnce(object);
      if (nodeClass !== undefined) yield nodeClass;
    }
  }

  #readOnce(object: NodeClassObject): Ec2NodeClass | undefined {
    if (this.#read.has(object)) return this.#read.get(object);
    const { value, problems } = { value: undefined, problems: undefined, ...readEc2NodeClass(object.wire) };
    if (problems !== undefined) {
      const told = problems.map(describeProblem);
      this.#log.error("ignoring a node class that cannot be read", {
        EC2NodeClass: { name: object.name },
        problems: told,
      });
    }
    this.#read.set(object, value);
    return value;
  }
}
