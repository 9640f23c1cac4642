import { type Random, seededRandom } from "../core/model/seeded-random.ts";
import type { Clock } from "../ports/clock.ts";
import type { KubeTransport } from "../ports/kube-transport.ts";
import { admissionFor, withWebhooks } from "./admission.ts";
import { ApiServer } from "./api/api-server.ts";
import { type Admission, ObjectApi } from "./api/object-api.ts";
import { ResourceRegistry } from "./api/resource-registry.ts";
import { CustomResourceServer } from "./custom-resource-server/custom-resource-server.ts";
import { withDefinitionRules } from "./custom-resource-server/definition-resource.ts";
import { type Affliction, afflict } from "./faults/affliction.ts";
import type { Serve } from "./faults/exchange.ts";
import { Faults } from "./faults/faults.ts";
import { builtInResources } from "./kinds/built-in-resources.ts";
import { type KubeletOptions, Kubelets } from "./kubelet/kubelets.ts";
import { PodLogs } from "./logs/pod-logs.ts";
import { SchedulingLoop } from "./scheduling-loop/scheduling-loop.ts";
import { InProcessTransport } from "./server/in-process-transport.ts";
import { ObjectStore } from "./storage/object-store.ts";
import { CreationPace } from "./workloads/creation-pace.ts";
import { EventRecorder } from "./workloads/event-recorder.ts";
import { startWorkloads } from "./workloads/start-workloads.ts";
import type { RunningPart } from "./workloads/workload-context.ts";

export interface ClusterOptions {
  readonly clock: Clock;
  /** Decides names, uids, ties and faults: the same seed and the same requests give the same history. */
  readonly seed: number;
  /** How many past changes of each resource a watch can start from. */
  readonly keptEvents?: number;
  /** Parts that something else stands in for. */
  readonly without?: readonly ClusterPart[];
  readonly kubelets?: KubeletOptions;
  /** How many pods the controller of ReplicaSets creates in a second; as many as it is asked for, where absent. */
  readonly podsPerSecond?: number | undefined;
  /** Told about mistakes of ours that the cluster survives. */
  readonly onError?: (error: unknown) => void;
}

export type ClusterPart = "scheduler" | "workloads" | "kubelet";

const systemNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];
const labels = { component: "apiserver", provider: "kubernetes" };
const kubernetesService = { clusterIP: "10.0.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] };
const systemPriorities = { "system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000 };

/** A whole cluster in this process. */
export class EmbeddedCluster {
  readonly clock: Clock;
  readonly api: ObjectApi;
  readonly server: ApiServer;
  readonly random: Random;
  readonly transport: KubeTransport;
  readonly faults: Faults;
  /** What the containers of pods write. */
  readonly logs: PodLogs;
  readonly #customResources: CustomResourceServer;
  readonly #webhooks = new Set<Admission>();
  readonly #parts: RunningPart[] = [];
  #kubelets: Kubelets | undefined;

  constructor(options: ClusterOptions) {
    const { clock, seed, keptEvents = 4096, onError = rethrowLater } = options;
    this.clock = clock;
    this.random = seededRandom(seed);
    const store = new ObjectStore(keptEvents);
    const registry = new ResourceRegistry(
      builtInResources.map((resource) =>
        resource.kind === "CustomResourceDefinition" ? withDefinitionRules(resource) : resource,
      ),
    );
    const admit = withWebhooks(admissionFor(store), this.#webhooks);
    this.api = new ObjectApi({ store, registry, clock, random: this.random, admit });
    this.logs = new PodLogs(this.api);
    this.server = new ApiServer({
      api: this.api,
      clock,
      readLog: (pod, options) => this.logs.read(pod, options),
    });
    this.faults = new Faults(this.server, clock, seededRandom(seed ^ 0x5eed));
    this.transport = new InProcessTransport(this.serve);
    this.#customResources = new CustomResourceServer(this.api, (_, error) => onError(error));
    this.#customResources.start();
    this.#parts.push(this.#customResources);
    this.#createSystemObjects();
    this.#start(options);
  }

  /** Takes a request to the API, through the faults. */
  readonly serve: Serve = (request) => this.faults.serve(request);

  /** Has every write of a whole object reviewed, as an admission webhook does. Returns how to remove it. */
  addWebhook(review: Admission): () => void {
    this.#webhooks.add(review);
    return () => void this.#webhooks.delete(review);
  }

  /** Serves custom resources whose definitions were just loaded. */
  settle(): void {
    this.#customResources.settle();
  }

  stop(): void {
    this.faults.stop();
    for (const part of this.#parts) part.stop();
  }

  #start({ without = [], kubelets, podsPerSecond, onError = rethrowLater }: ClusterOptions): void {
    const { api, clock, random } = this;
    const recorder = new EventRecorder(api, clock);
    this.#parts.push(recorder);
    const context = {
      api,
      clock,
      random,
      recordEvent: recorder.record,
      podPace: podsPerSecond === undefined ? undefined : new CreationPace(clock, podsPerSecond),
      onError: (_: string, error: unknown) => onError(error),
    };
    if (!without.includes("workloads")) this.#parts.push(startWorkloads(context));
    if (!without.includes("scheduler")) this.#parts.push(new SchedulingLoop(context));
    this.#kubelets = without.includes("kubelet") ? undefined : new Kubelets(context, kubelets);
    if (this.#kubelets !== undefined) this.#parts.push(this.#kubelets);
  }

  /** Lets something be wrong with a share of the nodes or pods. Returns how to end it for those that come. */
  afflict(affliction: Affliction): () => void {
    return afflict(this, affliction);
  }

  /** Through which single nodes and pods are made to misbehave. */
  get kubelets(): Kubelets {
    if (this.#kubelets === undefined) throw new Error("This cluster runs without kubelets");
    return this.#kubelets;
  }

  #createSystemObjects(): void {
    for (const name of systemNamespaces) this.#create("", "namespaces", { metadata: { name } });
    this.#create("", "services", {
      metadata: { name: "kubernetes", namespace: "default", labels },
      spec: kubernetesService,
    });
    for (const [name, value] of Object.entries(systemPriorities)) {
      this.#create("scheduling.k8s.io", "priorityclasses", { metadata: { name }, value });
    }
  }

  #create(group: string, plural: string, body: object): void {
    this.api.create(this.api.registry.builtIn(group, plural), body);
  }
}

/** A bug is to be seen, not to be lost in a loop that goes on. */
function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
