import { nodeClaims } from "../../../core/api/karpenter-resources.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../../runtime/kube-client.ts";
import { pause } from "../../../runtime/pause.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { isNotFound } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import { writeTags } from "../launch-templates/template-data.ts";
import {
  awsGroup,
  clusterNameTag,
  clusterNameTaggedAnnotation,
  nameTag,
  nodeClaimTag,
  taggedAnnotation,
} from "../names.ts";
import type { Instances } from "./instances.ts";
import { isGoing } from "./machine.ts";

export interface MachineTaggerOptions {
  readonly ec2: Ec2Api;
  readonly kube: KubeClient;
  readonly cluster: ClusterView;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly instances: Instances;
}

/** Between two calls, which AWS allows few of. */
const rest = 1000;

/** Writes on machines whose node has joined which node and which claim they are of. */
export class MachineTagger {
  readonly #options: MachineTaggerOptions;
  readonly #loop: WorkLoop;
  #unsubscribe = (): void => {};

  constructor(options: MachineTaggerOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "nodeclaim.tagging",
      clock,
      telemetry,
      concurrency: 1,
      reconcile: (name) => this.#tag(name),
    });
  }

  start(): void {
    const { claims } = this.#options.cluster;
    this.#unsubscribe = claims.onChange(({ after }) => this.#see(after));
    for (const claim of claims.values()) this.#see(claim);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#loop.stop();
  }

  #see(claim: NodeClaim | undefined): void {
    if (claim !== undefined && needsTags(claim)) this.#loop.enqueue(claim.name);
  }

  async #tag(name: string): Promise<undefined> {
    const { ec2, kube, cluster, clusterName, clock, instances } = this.#options;
    const claim = cluster.claims.get(name);
    if (claim === undefined || !needsTags(claim)) return;
    const machine = await instances.find(claim.providerId);
    if (machine === undefined || isGoing(machine)) return;
    const wanted = new Map([
      [nameTag, claim.nodeName],
      [nodeClaimTag, claim.name],
      [clusterNameTag, clusterName],
    ]);
    // A name that a user gives all machines stays.
    const missing = new Map([...wanted].filter(([key]) => (machine.tags.get(key) ?? "") === ""));
    if (missing.size > 0) {
      try {
        await ec2.createTags({ Resources: [machine.id], Tags: writeTags(missing) });
      } catch (error) {
        if (isNotFound(error)) return;
        throw explainRefusal(error, "ec2:CreateTags");
      }
      await pause(clock, rest);
    }
    const annotations = { [taggedAnnotation]: "true", [clusterNameTaggedAnnotation]: "true" };
    const answer = await kube.patch(nodeClaims, { name }, { body: { metadata: { annotations } } });
    unless([404], answer, `note the tags of NodeClaim "${name}"`);
  }
}

function needsTags({ nodeName, deletedAt, annotations, nodeClassRef, providerId }: NodeClaim): boolean {
  const isTagged =
    annotations.get(taggedAnnotation) === "true" && annotations.get(clusterNameTaggedAnnotation) === "true";
  return (
    nodeName !== "" && providerId !== "" && deletedAt === undefined && !isTagged && nodeClassRef.group === awsGroup
  );
}
