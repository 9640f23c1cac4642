import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { JsonObject } from "../../src/core/api/schema/json.ts";
import { ApiError } from "../../src/embedded/api/api-error.ts";
import type { Draft, KubeObject } from "../../src/embedded/kube-object.ts";
import type { Reference, WholeControllerOptions } from "../support/whole-controller.ts";
import { cores } from "./disruption-stage.ts";
import { deployment, type Manifest, nodeClass, nodePool, type PodParts, type PoolParts } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

export const minute = 60_000;

/** Slower than kube-controller-manager, so that a short stream has few pods. */
const podsPerSecond = 10;

/** What was bought, as the store has it: lost answers and processes that die hide nothing from it. */
export class Purchases {
  /** Seconds from the start to the creation of each NodeClaim. */
  readonly times: number[] = [];
  /** The most nodes that existed at one time. */
  mostNodes = 0;
  /** Dollars an hour of all nodes that ever joined. */
  dollars = 0;

  constructor({ whole: { cluster, clock } }: Story) {
    const start = clock.now();
    const { api } = cluster;
    const claims = api.registry.ofKind("karpenter.sh/v1", "NodeClaim");
    if (claims === undefined) throw new Error("The API does not serve NodeClaims");
    api.collection(claims).subscribe(({ type }) => {
      if (type === "ADDED") this.times.push((clock.now() - start) / 1000);
    });
    const nodes = api.collection(api.registry.builtIn("", "nodes"));
    nodes.subscribe(({ type, object }) => {
      if (type !== "ADDED") return;
      this.dollars += Number(object.metadata.labels?.["eks-node-viewer/instance-price"] ?? 0);
      this.mostNodes = Math.max(this.mostNodes, [...nodes.list()].length);
    });
  }

  get count(): number {
    return this.times.length;
  }

  /** How many NodeClaims were created so many seconds after the first one or later. */
  laterThan(seconds: number): number {
    return this.times.filter((time) => time >= (this.times[0] ?? 0) + seconds).length;
  }
}

export interface Scene {
  readonly story: Story;
  readonly purchases: Purchases;
}

export interface SceneOptions extends WholeControllerOptions {
  /** From the launch of a machine until its node joins. */
  readonly bootSeconds?: number;
  readonly pool?: PoolParts;
}

/** A pool of machines with four cores: three pods of {@link web} fit on each. */
export async function play(options: SceneOptions, act: (scene: Scene) => Promise<void>): Promise<void> {
  const { bootSeconds = 5, pool, ...rest } = options;
  await tell({ podsPerSecond, ...rest }, async (story) => {
    story.whole.load(
      nodeClass("default", { nodeRegistrationDelay: `${bootSeconds}s` }),
      nodePool("general", {
        limits: { cpu: "400" },
        disruption: { consolidateAfter: "1m", budgets: [{ nodes: "100%" }] },
        ...pool,
        spec: { requirements: cores(4), ...pool?.spec },
      }),
    );
    await act({ story, purchases: new Purchases(story) });
  });
}

export function web(replicas: number, parts: PodParts = {}): Manifest {
  return deployment("web", replicas, { cpu: "1", ...parts });
}

/** How many pods run, of one app or of all. */
export function running({ pods }: Story, app?: string): number {
  return pods.filter(
    ({ metadata, status }) => status?.phase === "Running" && (app === undefined || metadata.labels?.app === app),
  ).length;
}

/** The sum of all series of a metric. */
export function metric({ whole }: Story, name: string): number {
  let sum = 0;
  for (const [series, value] of whole.telemetry.numbers) if (series.startsWith(`${name}{`)) sum += value;
  return sum;
}

export function editSpec({ whole }: Story, object: Reference, edit: (spec: JsonObject) => JsonObject): void {
  whole.change(object, (current) => ({ ...current, spec: edit(current.spec as JsonObject) }));
}

/** A webhook for new pods of an app. Returns how to remove it. */
export function reviewPods({ whole }: Story, app: string, review: (pod: PodDraft) => void): () => void {
  return whole.cluster.addWebhook((draft, { plural }, old) => {
    if (old === undefined && plural === "pods" && draft.metadata.labels?.app === app) review(draft as PodDraft);
  });
}

type PodDraft = Draft & { spec: NonNullable<Pod["spec"]> };

export function refuse(message: string): never {
  throw new ApiError(403, "Forbidden", message);
}

/** Asks for twice the cpu. */
export function doubleRequests({ spec }: PodDraft): void {
  for (const { resources } of spec.containers) {
    const cpu = Number.parseInt(resources?.requests?.cpu ?? "", 10);
    if (resources?.requests !== undefined) resources.requests.cpu = `${2 * cpu}m`;
  }
}

/** A quota of pods in the namespace `default`. `hard` names the limit, which ten pods of {@link web} reach. */
export function enforceQuota(story: Story, hard: Record<string, "10">): void {
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "ten", namespace: "default" } };
  story.whole.load({ ...quota, spec: { hard } });
  reviewPods(story, "web", () => {
    if (story.pods.length >= 10) refuse("exceeded quota: ten");
  });
}

/** Changes every new node before it is stored. */
export function reviewNodes({ whole }: Story, review: (status: Record<Amounts, Record<string, string>>) => void): void {
  whole.cluster.addWebhook((draft, { plural }, old) => {
    if (plural === "nodes" && old === undefined) review(draft.status as Record<Amounts, Record<string, string>>);
  });
}

type Amounts = "capacity" | "allocatable";

/** What another controller does with every node, some time after it joined. */
export function onNode({ whole: { cluster, clock } }: Story, after: number, act: (node: KubeObject) => void): void {
  const nodes = cluster.api.collection(cluster.api.registry.builtIn("", "nodes"));
  nodes.subscribe(({ type, object }) => {
    if (type === "ADDED") clock.after(after, () => act(object));
  });
}

/** Every kubelet says that its node is not ready, until so much time has passed. */
export function getReadyAfter(story: Story, milliseconds: number): void {
  const { cluster } = story.whole;
  cluster.afflict({ effect: "never-ready", share: 1 });
  onNode(story, milliseconds, ({ metadata }) => cluster.kubelets.resumeNode(metadata.name));
}

export function taintsOf({ spec }: KubeObject): NonNullable<NonNullable<Node["spec"]>["taints"]> {
  return (spec as Node["spec"])?.taints ?? [];
}

export function retaint(story: Story, node: KubeObject, change: (taints: JsonObject[]) => JsonObject[]): void {
  editSpec(story, node, (spec) => ({ ...spec, taints: change((spec.taints ?? []) as JsonObject[]) }));
}

/** Of the events about objects of a kind. */
export function messages({ whole }: Story, kind: string, reason: string): readonly string[] {
  const own = whole.telemetry.happenings.filter((event) => event.object.kind === kind && event.reason === reason);
  return [...new Set(own.map(({ message }) => message))];
}
