import { instanceTypeLabel, registeredLabel } from "../../../core/model/labels.ts";
import type { NodeObject } from "../../../core/model/node-object.ts";
import { requirementsFromLabels } from "../../../core/model/requirements.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { Catalogue } from "../aws-parts.ts";
import { mapImages } from "../images/map-images.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { isEc2NodeClass } from "../node-class/is-ec2-node-class.ts";

export interface CapacityLearnerOptions {
  readonly cluster: Pick<ClusterView, "nodes" | "claimsOf">;
  readonly catalogue: Pick<Catalogue, "learnMemory">;
  readonly nodeClassOf: (name: string) => Ec2NodeClass | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Tells the catalogue how much memory nodes turn out to have when they register, and those that are there already. */
export class CapacityLearner {
  readonly #options: CapacityLearnerOptions;
  readonly #loop: WorkLoop;
  #unsubscribe: (() => void) | undefined;

  constructor(options: CapacityLearnerOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "providers.instancetype.capacity",
      clock,
      telemetry,
      concurrency: 1,
      reconcile: async (key) => {
        this.#learn(key);
        return undefined;
      },
    });
  }

  start(): void {
    const { nodes } = this.#options.cluster;
    for (const node of nodes.values()) if (isRegistered(node)) this.#loop.enqueue(node.name);
    this.#unsubscribe = nodes.onChange(({ key, before, after }) => {
      if (isRegistered(after) && !isRegistered(before)) this.#loop.enqueue(key);
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#loop.stop();
  }

  #learn(nodeName: string): void {
    const { cluster, catalogue, nodeClassOf } = this.#options;
    const node = cluster.nodes.get(nodeName);
    const claim = node && cluster.claimsOf(node)[0];
    if (node === undefined || claim === undefined) return;
    if (!isEc2NodeClass(claim.nodeClassRef)) return;
    const nodeClass = nodeClassOf(claim.nodeClassRef.name);
    const bytes = node.capacity.get("memory") ?? 0;
    const type = node.labels.get(instanceTypeLabel);
    if (nodeClass === undefined || type === undefined || bytes <= 0) return;
    // Of an image that new nodes would not get, nothing can be learnt about them.
    const images = mapImages([{ requirements: requirementsFromLabels(node.labels) }], nodeClass.status.amis);
    if (images.has(claim.imageId)) catalogue.learnMemory(nodeClass, type, bytes);
  }
}

function isRegistered(node: NodeObject | undefined): boolean {
  return node?.labels.get(registeredLabel) === "true";
}
