import { Terminator } from "../../src/controllers/terminator/terminator.ts";
import { findCondition } from "../../src/core/model/condition.ts";
import type { KubeRequest, KubeResponse } from "../../src/ports/kube-transport.ts";
import { KubeClient } from "../../src/runtime/kube-client.ts";
import { ControllerBench } from "./controller-bench.ts";
import { MachinePark } from "./machine-park.ts";

/** A fragment of an object as it stands in a manifest. */
type Wire = Record<string, unknown>;

/** Claims with their nodes and machines on an embedded cluster, and a terminator that ends them. */
export class TerminatorStage {
  readonly bench = new ControllerBench();
  readonly park = new MachinePark(this.bench.clock);
  /** Says no to a request of the terminator, as a webhook may. */
  refuse: (request: KubeRequest) => KubeResponse | undefined = () => undefined;
  /** Requests of the terminator, as `METHOD path`. */
  readonly requests: string[] = [];
  readonly #kube = new KubeClient({
    transport: {
      send: async (request) => {
        this.requests.push(`${request.method} ${request.path}`);
        return this.refuse(request) ?? (await this.bench.transport.send(request));
      },
      watch: (request, watch) => this.bench.transport.watch(request, watch),
    },
    onWritten: (resource, object) => this.bench.observer.apply(resource, object),
  });

  get clock() {
    return this.bench.clock;
  }

  get cluster() {
    return this.bench.cluster;
  }

  async start(): Promise<Terminator> {
    if (!this.bench.observer.isSynced) await this.bench.observe();
    return this.startAnother();
  }

  /** As after a restart: one that knows nothing but what the cluster tells. */
  startAnother(): Terminator {
    const { cluster, clock, telemetry } = this.bench;
    return this.bench.run(new Terminator({ cluster, clock, telemetry, kube: this.#kube, cloud: this.park.cloud }));
  }

  /** Nodes that are up, and a terminator. */
  async startWith(...names: readonly string[]): Promise<Terminator> {
    for (const name of names) this.addNode(name);
    const terminator = await this.start();
    await this.clock.advance(2_000);
    return terminator;
  }

  /** A claim whose machine runs and whose node has registered. */
  addNode(name: string, { spec = {}, claim = {}, node = {}, status = {} }: NodeFields = {}): void {
    this.addClaim(name, { spec, ...claim });
    this.addBareNode(name, node, status);
    this.park.add(`test:///${name}`, name);
  }

  addClaim(name: string, { spec, conditions, providerId = `test:///${name}` }: ClaimFields = {}): void {
    const at = new Date(this.clock.now()).toISOString();
    const types = conditions ?? ["Launched", "Registered", "Initialized", "Ready"];
    this.bench.load({
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: {
        name,
        uid: `claim-${name}`,
        creationTimestamp: at,
        labels: { "karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "spot", [zone]: "zone-a" },
        finalizers: ["karpenter.sh/termination"],
      },
      spec: {
        nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
        requirements: [],
        ...spec,
      },
      status: {
        providerID: providerId,
        nodeName: name,
        conditions: types.map((type) => ({ type, status: "True", reason: type, message: "", lastTransitionTime: at })),
      },
    });
  }

  addBareNode(name: string, metadata: Wire = {}, status: Wire = {}): void {
    this.bench.load({
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        labels: {
          "karpenter.sh/nodepool": "default",
          "karpenter.sh/registered": "true",
          "karpenter.kwok.sh/kwoknodeclass": "default",
          [zone]: "zone-a",
        },
        finalizers: ["karpenter.sh/termination"],
        ...metadata,
      },
      spec: { providerID: `test:///${name}` },
      status: { capacity: { cpu: "8", memory: "32Gi", pods: "110" }, ...status },
    });
  }

  addPod(name: string, nodeName: string, { metadata, ...spec }: PodFields = {}): void {
    this.bench.load({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", ...metadata },
      spec: { nodeName, containers: [{ name: "main", image: "main" }], ...spec },
    });
  }

  addBudget(name: string, labels: Record<string, string>, spec: Wire): void {
    this.bench.load({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace: "default" },
      spec: { selector: { matchLabels: labels }, ...spec },
    });
  }

  async delete(path: string): Promise<void> {
    await this.bench.transport.send({ method: "DELETE", path });
  }

  deleteClaim(name: string): Promise<void> {
    return this.delete(`/apis/karpenter.sh/v1/nodeclaims/${name}`);
  }

  deleteNode(name: string): Promise<void> {
    return this.delete(`/api/v1/nodes/${name}`);
  }

  hasPod(name: string): boolean {
    return this.cluster.pods.get(`default/${name}`) !== undefined;
  }

  /** What is left of claims, nodes and machines. */
  get left() {
    return {
      claims: [...this.cluster.claims.values()].map(({ name }) => name),
      nodes: [...this.cluster.nodes.values()].map(({ name }) => name),
      machines: this.park.running().map(({ claimName }) => claimName),
    };
  }

  /** Seconds until nothing is left. */
  async secondsUntilGone(atMost = 3_600_000): Promise<number> {
    const started = this.clock.now();
    const isGone = () => Object.values(this.left).every((list) => list.length === 0);
    if (!(await this.clock.advanceUntil(isGone, atMost))) throw new Error(`Left over: ${JSON.stringify(this.left)}`);
    return (this.clock.now() - started) / 1000;
  }

  condition(claimName: string, type: string): string | undefined {
    const claim = this.cluster.claims.get(claimName);
    const condition = claim === undefined ? undefined : findCondition(claim, type);
    return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
  }

  /** Reasons of events beside an object, each once. */
  reasonsFor(name: string): readonly string[] {
    const { happenings } = this.bench.telemetry;
    return [...new Set(happenings.filter(({ object }) => object.name === name).map(({ reason }) => reason))];
  }

  messagesOf(reason: string): readonly string[] {
    const { happenings } = this.bench.telemetry;
    return [...new Set(happenings.filter((happening) => happening.reason === reason).map(({ message }) => message))];
  }

  /** How many requests of the terminator there were to such a path. */
  requestsTo(path: RegExp): number {
    return this.requests.filter((request) => path.test(request)).length;
  }

  number(series: string): number {
    return this.bench.telemetry.numbers.get(series) ?? 0;
  }

  stop(): Promise<void> {
    return this.bench.stop();
  }
}

const zone = "topology.kubernetes.io/zone";

export interface NodeFields {
  /** Of the claim. */
  readonly spec?: Wire;
  readonly claim?: ClaimFields;
  /** Metadata of the node. */
  readonly node?: Wire;
  readonly status?: Wire;
}

export interface ClaimFields {
  readonly spec?: Wire;
  /** Those that are true. */
  readonly conditions?: readonly string[];
  readonly providerId?: string;
}

/** Fields that are not named here go into the pod's spec. */
export interface PodFields extends Wire {
  readonly metadata?: Wire;
}
