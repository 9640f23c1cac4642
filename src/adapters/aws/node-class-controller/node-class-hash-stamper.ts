import { ec2NodeClasses, nodeClaims } from "../../../core/api/karpenter-resources.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../../runtime/kube-client.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { ClusterFacts } from "../aws-settings.ts";
import { nodeClassHashAnnotation, nodeClassHashVersionAnnotation } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { isEc2NodeClass } from "../node-class/is-ec2-node-class.ts";
import {
  nodeClassHash,
  nodeClassHashAnnotations,
  nodeClassHashVersion,
  restampClaim,
} from "../node-class/node-class-hash.ts";
import { readEc2NodeClass } from "../node-class/read-node-class.ts";

export interface NodeClassHashStamperOptions {
  readonly cluster: Pick<ClusterView, "claims" | "nodeClasses">;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly clusterFacts: { readonly facts: Pick<ClusterFacts, "caBundle"> };
}

/** Writes on each node class the hash of what its machines cannot follow when it changes. */
export class NodeClassHashStamper {
  readonly #options: NodeClassHashStamperOptions;
  readonly #loop: WorkLoop;
  #unsubscribe: (() => void) | undefined;

  constructor(options: NodeClassHashStamperOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({ name: "nodeclass.hash", clock, telemetry, reconcile: (name) => this.#look(name) });
  }

  start(): void {
    const { nodeClasses } = this.#options.cluster;
    const look = (nodeClass: { readonly group: string; readonly kind: string; readonly name: string }): void => {
      if (isEc2NodeClass(nodeClass)) this.#loop.enqueue(nodeClass.name);
    };
    this.#unsubscribe = nodeClasses.onChange(({ after }) => {
      if (after !== undefined) look(after);
    });
    for (const nodeClass of nodeClasses.values()) look(nodeClass);
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#loop.stop();
  }

  async #look(name: string): Promise<undefined> {
    const object = this.#options.cluster.nodeClasses.get(`${ec2NodeClasses.kind}/${name}`);
    if (object === undefined || object.deletedAt !== undefined) return;
    // Whoever cannot be read is told so by somebody else.
    const { value } = { value: undefined, ...readEc2NodeClass(object.wire) };
    if (value !== undefined) await this.#stamp(value);
  }

  /** Claims first: should we fall between the two, whoever comes next finds the node class unstamped, and does them again. */
  async #stamp(nodeClass: Ec2NodeClass): Promise<void> {
    const { cluster, kube, clusterFacts } = this.#options;
    const { name, annotations } = nodeClass;
    const hash = nodeClassHash(nodeClass, clusterFacts.facts);
    const isSameVersion = annotations.get(nodeClassHashVersionAnnotation) === nodeClassHashVersion;
    if (isSameVersion && annotations.get(nodeClassHashAnnotation) === hash) return;
    if (!isSameVersion) {
      for (const claim of cluster.claims.values()) {
        const { nodeClassRef: ref } = claim;
        const stamp = isEc2NodeClass(ref) && ref.name === name && restampClaim(claim, hash);
        if (!stamp) continue;
        const body = { metadata: { annotations: stamp } };
        const answer = await kube.patch(nodeClaims, { name: claim.name }, { body });
        unless([404], answer, `renew the hash on NodeClaim ${claim.name}`);
      }
    }
    const body = { metadata: { annotations: nodeClassHashAnnotations(hash) } };
    unless([404], await kube.patch(ec2NodeClasses, { name }, { body }), `write the hash of EC2NodeClass ${name}`);
  }
}
