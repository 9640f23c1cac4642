import { Observer } from "../../src/controllers/observer/observer.ts";
import { Translator } from "../../src/controllers/translator/translator.ts";
import {
  ec2NodeClasses,
  firstProvisioners,
  nodePools,
  nodeTemplates,
  provisioners,
} from "../../src/core/api/karpenter-resources.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { KubeRequest, KubeTransport } from "../../src/ports/kube-transport.ts";
import { KubeClient, orThrow } from "../../src/runtime/kube-client.ts";
import { type KubeObject, type KubeResource, resourcePath } from "../../src/runtime/kube-object.ts";
import { ControllerBench } from "../support/controller-bench.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A cluster with the old kinds, on which the translator runs, and somebody who writes as articles say. */
export class TranslatorStage {
  readonly bench = new ControllerBench();
  readonly cluster = new ClusterState();
  /** What the controller wrote, as in `POST /apis/…`. */
  readonly writes: string[] = [];
  readonly #observer: Observer;
  readonly #kube: KubeClient;
  #translator: Translator | undefined;

  constructor() {
    const { transport, clock, random, telemetry } = this.bench;
    const recording: KubeTransport = {
      send: (request) => {
        this.#record(request);
        return transport.send(request);
      },
      watch: (request, watcher) => transport.watch(request, watcher),
    };
    this.#observer = new Observer(this.cluster, {
      transport,
      clock,
      random,
      log: telemetry.log,
      nodeClassKinds: [ec2NodeClasses],
      needsSelectors: false,
    });
    this.#kube = new KubeClient({
      transport: recording,
      onWritten: (resource, object) => this.#observer.apply(resource, object),
    });
  }

  async start(): Promise<void> {
    if (!this.#observer.isSynced) {
      this.#observer.start();
      while (!this.#observer.isSynced) await this.bench.clock.advance(10);
    }
    const { transport, clock, random, telemetry } = this.bench;
    this.#translator = new Translator({
      cluster: this.cluster,
      transport,
      kube: this.#kube,
      clock,
      random,
      telemetry,
      describeCluster: () => ({ clusterName: "demo", kubernetesVersion: "1.36" }),
    });
    this.#translator.start();
    await this.settle();
  }

  async stopTranslator(): Promise<void> {
    await this.#translator?.stop();
    this.#translator = undefined;
  }

  async stop(): Promise<void> {
    await this.stopTranslator();
    this.#observer.stop();
    await this.bench.stop();
  }

  /** Long enough for everything that follows of a change. */
  async settle(): Promise<void> {
    await this.bench.clock.advance(5_000);
  }

  async apply(...objects: readonly object[]): Promise<void> {
    for (const object of objects as readonly KubeObject[]) {
      const resource = resourceOf(object);
      const { name = "", namespace } = object.metadata;
      const place = resource.isNamespaced ? { name, namespace: namespace ?? "default" } : { name };
      const current = await this.bench.user.get(resource, place);
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(object) };
      const marked = {
        ...object,
        metadata: { ...object.metadata, annotations: { ...(object.metadata.annotations as object), ...annotations } },
      };
      const answer = current.ok
        ? await this.bench.user.patch(resource, place, { body: marked })
        : await this.bench.user.create(resource, marked, place.namespace);
      orThrow(answer, `apply ${name}`);
    }
    await this.settle();
  }

  async change(resource: KubeResource, name: string, body: object): Promise<void> {
    orThrow(await this.bench.user.patch(resource, { name }, { body }), `change ${name}`);
    await this.settle();
  }

  async delete(resource: KubeResource, name: string): Promise<void> {
    await this.bench.user.delete(resource, placeOf(resource, name));
    await this.settle();
  }

  /** As with `kubectl delete --cascade=orphan`. */
  async orphan(resource: KubeResource, name: string): Promise<void> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Orphan" };
    await this.bench.transport.send({
      method: "DELETE",
      path: resourcePath(resource, placeOf(resource, name)),
      body,
      contentType: "application/json",
    });
    await this.settle();
  }

  async find(resource: KubeResource, name: string): Promise<KubeObject | undefined> {
    const answer = await this.bench.user.get(resource, placeOf(resource, name));
    return answer.ok ? answer.object : undefined;
  }

  async names(resource: KubeResource): Promise<string[]> {
    return (await this.bench.user.list(resource)).map(({ metadata }) => metadata.name ?? "").sort();
  }

  async pool(name: string): Promise<Pool | undefined> {
    return (await this.find(nodePools, name)) as Pool | undefined;
  }

  async nodeClass(name: string): Promise<NodeClass | undefined> {
    return (await this.find(ec2NodeClasses, name)) as NodeClass | undefined;
  }

  async condition(resource: KubeResource, name: string, type = "Converted"): Promise<Condition | undefined> {
    const object = (await this.find(resource, name)) as { status?: { conditions?: Condition[] } } | undefined;
    return object?.status?.conditions?.find((condition) => condition.type === type);
  }

  #record({ method, path }: KubeRequest): void {
    if (method !== "GET") this.writes.push(`${method} ${path}`);
  }
}

export interface Pool extends KubeObject {
  readonly spec: {
    readonly weight?: number;
    readonly disruption: { readonly consolidateAfter: string };
    readonly template: {
      readonly metadata?: object;
      readonly spec: { readonly requirements: readonly object[]; readonly nodeClassRef: { readonly name: string } };
    };
  };
}

export interface NodeClass extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

function placeOf({ isNamespaced }: KubeResource, name: string) {
  return isNamespaced ? { name, namespace: "default" } : { name };
}

function resourceOf({ apiVersion = "", kind = "" }: KubeObject): KubeResource {
  const [group = "", version = ""] = apiVersion.split("/");
  const known = [provisioners, firstProvisioners, nodeTemplates, nodePools, ec2NodeClasses];
  const resource = known.find((one) => one.group === group && one.kind === kind);
  if (resource === undefined) throw new Error(`${apiVersion} ${kind} is not of this stage`);
  return { ...resource, version };
}
