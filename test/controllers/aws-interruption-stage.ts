import type { InstanceStatus } from "@aws-sdk/client-ec2";
import type { Message, ReceiveMessageCommandInput } from "@aws-sdk/client-sqs";
import type { SqsApi } from "../../src/adapters/aws/api/aws-api.ts";
import {
  InstanceStatusWatch,
  type InstanceStatusWatchOptions,
} from "../../src/adapters/aws/interruption/instance-status-watch.ts";
import {
  InterruptionWatch,
  type InterruptionWatchOptions,
} from "../../src/adapters/aws/interruption/interruption-watch.ts";
import { Terminator } from "../../src/controllers/terminator/terminator.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { KubeRequest, KubeResponse } from "../../src/ports/kube-transport.ts";
import { KubeClient } from "../../src/runtime/kube-client.ts";
import { ControllerBench } from "../support/controller-bench.ts";
import { MachinePark } from "../support/machine-park.ts";

export function awsError(code: string): Error {
  return Object.assign(new Error(`${code} is what AWS says`), { name: code, $metadata: { httpStatusCode: 400 } });
}

interface Held {
  readonly body: string;
  visibleAt: number;
  receipt: string;
}

/** A queue in memory: what is received is out of sight for a while, and comes back unless it is deleted. */
class MemoryQueue implements SqsApi {
  isThere = true;
  /** Says no to a call, by the name of the method. */
  refuse: (method: string) => Error | undefined = () => undefined;
  readonly #clock: Clock;
  readonly #messages = new Set<Held>();
  readonly #waiting = new Set<() => void>();
  receipts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#messages.size;
  }

  send(body: string): void {
    this.#messages.add({ body, visibleAt: 0, receipt: "" });
    for (const wake of [...this.#waiting]) wake();
  }

  async getQueueUrl(queueName: string): Promise<string> {
    this.#check("getQueueUrl");
    return `memory://${queueName}`;
  }

  async receiveMessages(input: ReceiveMessageCommandInput, signal: AbortSignal): Promise<readonly Message[]> {
    const end = this.#clock.now() + (input.WaitTimeSeconds ?? 0) * 1000;
    for (;;) {
      this.#check("receiveMessages");
      if (signal.aborted) return [];
      const messages = this.#take(input);
      if (messages.length > 0 || this.#clock.now() >= end) return messages;
      await this.#wait(end, signal);
    }
  }

  async deleteMessage({ ReceiptHandle }: { readonly ReceiptHandle: string }): Promise<void> {
    this.#check("deleteMessage");
    for (const held of this.#messages) if (held.receipt === ReceiptHandle) this.#messages.delete(held);
  }

  #check(method: string): void {
    const error = this.isThere ? this.refuse(method) : awsError("QueueDoesNotExist");
    if (error !== undefined) throw error;
  }

  #take({ MaxNumberOfMessages = 1, VisibilityTimeout = 30 }: ReceiveMessageCommandInput): readonly Message[] {
    const now = this.#clock.now();
    const visible = [...this.#messages].filter(({ visibleAt }) => visibleAt <= now).slice(0, MaxNumberOfMessages);
    return visible.map((held) => {
      held.visibleAt = now + VisibilityTimeout * 1000;
      held.receipt = `receipt-${this.receipts++}`;
      return { Body: held.body, ReceiptHandle: held.receipt };
    });
  }

  async #wait(end: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const next = Math.min(end, ...[...this.#messages].map(({ visibleAt }) => visibleAt));
    const timer = this.#clock.after(next - this.#clock.now(), resolve);
    this.#waiting.add(resolve);
    const wake = () => resolve();
    signal.addEventListener("abort", wake);
    await promise;
    signal.removeEventListener("abort", wake);
    this.#waiting.delete(resolve);
    timer.cancel();
  }
}

/** Claims with machines of AWS, a terminator that ends them, and what listens to AWS. */
export class InterruptionStage {
  readonly bench = new ControllerBench();
  readonly park = new MachinePark(this.bench.clock);
  readonly queue = new MemoryQueue(this.bench.clock);
  /** What was marked as sold out. */
  readonly marks: string[] = [];
  statuses: readonly InstanceStatus[] = [];
  /** What AWS answers in place of statuses. */
  statusError: Error | undefined;
  statusQuestions = 0;
  /** Answers a request in place of the API. */
  refuse: (request: KubeRequest) => KubeResponse | undefined = () => undefined;
  readonly requests: string[] = [];
  isLeading = true;
  readonly #kube = new KubeClient({
    transport: {
      send: async (request) => {
        this.requests.push(`${request.method} ${request.path}`);
        return this.refuse(request) ?? (await this.bench.transport.send(request));
      },
      watch: (request, watch) => this.bench.transport.watch(request, watch),
    },
    onWritten: (resource, object) => this.bench.observer.apply(resource, object),
    mayWrite: () => this.isLeading,
  });

  get clock() {
    return this.bench.clock;
  }

  async start(): Promise<void> {
    const { cluster, clock, telemetry, kube } = this.bench;
    await this.bench.observe();
    this.bench.run(new Terminator({ cluster, clock, telemetry, kube, cloud: this.park.cloud }));
    await clock.advance(1_000);
  }

  /** Of the queue in memory, unless told otherwise. */
  watchQueue(more: Partial<InterruptionWatchOptions> = {}): InterruptionWatch {
    const queue = { sqs: this.queue, queueName: "interruptions", region: "us-west-2" };
    return this.bench.run(new InterruptionWatch({ ...this.#options(), ...queue, ...more }));
  }

  watchStatuses(more: Partial<InstanceStatusWatchOptions> = {}): InstanceStatusWatch {
    const describeInstanceStatus = async () => {
      this.statusQuestions++;
      if (this.statusError !== undefined) throw this.statusError;
      return this.statuses;
    };
    const ec2 = { describeInstanceStatus };
    return this.bench.run(new InstanceStatusWatch({ ...this.#options(), ec2, ...more }));
  }

  addNode(name: string, instanceId = `i-${name}`): void {
    const at = new Date(this.clock.now()).toISOString();
    const providerID = `aws:///us-west-2a/${instanceId}`;
    const labels = {
      "karpenter.sh/nodepool": "default",
      "karpenter.sh/capacity-type": "spot",
      "topology.kubernetes.io/zone": "us-west-2a",
      "node.kubernetes.io/instance-type": "m5.large",
      "karpenter.k8s.aws/capacity-reservation-id": "cr-1",
    };
    const types = ["Launched", "Registered", "Initialized", "Ready"];
    const conditions = types.map((type) => ({
      type,
      status: "True",
      reason: type,
      message: "",
      lastTransitionTime: at,
    }));
    const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
    const finalizers = ["karpenter.sh/termination"];
    this.bench.load(
      {
        apiVersion: "karpenter.sh/v1",
        kind: "NodeClaim",
        metadata: { name, uid: `claim-${name}`, creationTimestamp: at, labels, finalizers },
        spec: { nodeClassRef, requirements: [] },
        status: { providerID, nodeName: name, conditions },
      },
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name,
          uid: `node-${name}`,
          labels: { ...labels, "karpenter.sh/registered": "true", "karpenter.kwok.sh/kwoknodeclass": "default" },
          finalizers,
        },
        spec: { providerID },
        status: { capacity: { cpu: "8", memory: "32Gi", pods: "110" } },
      },
    );
    this.park.add(providerID, name);
  }

  /** A pod that does not want to go. */
  addPod(name: string, nodeName: string): void {
    this.bench.load({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", annotations: { "karpenter.sh/do-not-disrupt": "true" } },
      spec: { nodeName, containers: [{ name: "main", image: "main" }] },
    });
  }

  get claims(): readonly string[] {
    return [...this.bench.cluster.claims.values()].map(({ name }) => name);
  }

  isGoing(name: string): boolean {
    const claim = this.bench.cluster.claims.get(name);
    return claim === undefined || claim.deletedAt !== undefined;
  }

  number(series: string): number {
    return this.bench.telemetry.numbers.get(series) ?? 0;
  }

  disrupted(reason: string): number {
    const cause = `reason="${reason}",nodepool="default",capacity_type="spot"`;
    return this.number(`nodeclaims_disrupted_total{${cause},consolidation_policy="",termination_mode="graceful"}`);
  }

  get deletions(): number {
    return this.requests.filter((request) => request.startsWith("DELETE ")).length;
  }

  /** `Kind/name reason` of events from AWS, each once. */
  get events(): readonly string[] {
    const texts = this.bench.telemetry.happenings.map(
      ({ object, reason }) => `${object.kind}/${object.name} ${reason}`,
    );
    return [...new Set(texts)].filter((text) => /Interrupt|Instance|Rebalance/.test(text));
  }

  get errors(): readonly string[] {
    return this.bench.telemetry.lines
      .filter(({ level }) => level === "error")
      .map(({ message, fields }) => `${message} ${fields.error instanceof Error ? fields.error.message : ""}`.trim());
  }

  #options() {
    const { cluster, clock, telemetry } = this.bench;
    return {
      cluster,
      clock,
      telemetry,
      kube: this.#kube,
      unavailableOfferings: {
        mark: ({ capacityType, instanceType, zone }: Record<"capacityType" | "instanceType" | "zone", string>) =>
          void this.marks.push(`${capacityType}:${instanceType}:${zone}`),
      },
      reservationCounts: { markUnavailable: (id: string) => void this.marks.push(id) },
    };
  }
}
