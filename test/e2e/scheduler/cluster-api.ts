import { Agent, request } from "node:https";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { namespaces } from "./words.ts";

/** Where objects of each kind are; those in namespaces have a place in each. */
const paths: Readonly<Record<string, { readonly path: string; readonly isNamespaced?: true }>> = {
  Node: { path: "/api/v1/nodes" },
  Pod: { path: "/api/v1/pods", isNamespaced: true },
  Service: { path: "/api/v1/services", isNamespaced: true },
  PersistentVolume: { path: "/api/v1/persistentvolumes" },
  PersistentVolumeClaim: { path: "/api/v1/persistentvolumeclaims", isNamespaced: true },
  ReplicaSet: { path: "/apis/apps/v1/replicasets", isNamespaced: true },
  StatefulSet: { path: "/apis/apps/v1/statefulsets", isNamespaced: true },
  PodDisruptionBudget: { path: "/apis/policy/v1/poddisruptionbudgets", isNamespaced: true },
  StorageClass: { path: "/apis/storage.k8s.io/v1/storageclasses" },
  CSINode: { path: "/apis/storage.k8s.io/v1/csinodes" },
  CSIDriver: { path: "/apis/storage.k8s.io/v1/csidrivers" },
  CSIStorageCapacity: { path: "/apis/storage.k8s.io/v1/csistoragecapacities", isNamespaced: true },
  VolumeAttachment: { path: "/apis/storage.k8s.io/v1/volumeattachments" },
  Namespace: { path: "/api/v1/namespaces" },
  PriorityClass: { path: "/apis/scheduling.k8s.io/v1/priorityclasses" },
};

/** What a random cluster is made of, and what is removed before the next. */
export const clusterKinds = Object.keys(paths).filter((kind) => kind !== "Namespace" && kind !== "PriorityClass");

const kindsWithStatus = new Set(["Pod", "PersistentVolume", "PersistentVolumeClaim", "PodDisruptionBudget"]);

export interface ApiConnection {
  readonly server: string;
  readonly credentials: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** The little of a client that making and removing clusters takes. */
export class ClusterApi {
  readonly #connection: ApiConnection;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 24 });

  constructor(connection: ApiConnection) {
    this.#connection = connection;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** With its status, which the API takes only afterwards. False if the object is invalid. */
  async create(object: ClusterObject): Promise<boolean> {
    const created = await this.#send("POST", collectionOf(object), object);
    const isValid = !("reason" in created && created.reason === "Invalid");
    if (isValid && "status" in object && kindsWithStatus.has(object.kind ?? "")) await this.setStatus(object);
    return isValid;
  }

  async setStatus(object: ClusterObject & { readonly status?: unknown }): Promise<ClusterObject> {
    const path = `${collectionOf(object)}/${object.metadata?.name}/status`;
    return this.#send("PATCH", path, { status: object.status });
  }

  async list(kind: string): Promise<ClusterObject[]> {
    const list = (await this.#send("GET", paths[kind]!.path)) as { apiVersion?: string; items?: ClusterObject[] };
    return (list.items ?? []).map((item) => ({ ...item, apiVersion: list.apiVersion ?? "", kind }));
  }

  async change(object: ClusterObject, patch: object): Promise<ClusterObject> {
    return this.#send("PATCH", `${collectionOf(object)}/${object.metadata?.name}`, patch);
  }

  /** Puts a pod on a node, whatever the scheduler thinks of it. */
  async bind(pod: ClusterObject, nodeName: string): Promise<void> {
    const { name = "", namespace = "" } = pod.metadata ?? {};
    const target = { kind: "Node", name: nodeName };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace }, target };
    await this.#send("POST", `${collectionOf(pod)}/${name}/binding`, binding);
  }

  /** A pod on a node that is given time stays, because there is no kubelet to end it. */
  async remove(object: ClusterObject, gracePeriodSeconds = 0): Promise<void> {
    await this.#send("DELETE", `${collectionOf(object)}/${object.metadata?.name}`, { gracePeriodSeconds });
  }

  async removeAll(kind: string): Promise<void> {
    const { path, isNamespaced } = paths[kind]!;
    const collections = isNamespaced ? Object.keys(namespaces).map((name) => inNamespace(path, name)) : [path];
    const options = { gracePeriodSeconds: 0, propagationPolicy: "Background" };
    await Promise.all(collections.map((collection) => this.#send("DELETE", collection, options)));
  }

  #send(method: string, path: string, body?: unknown): Promise<ClusterObject> {
    const { promise, resolve, reject } = Promise.withResolvers<ClusterObject>();
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { "content-type": type, "content-length": Buffer.byteLength(text) };
    const options = { method, agent: this.#agent, headers, ...this.#connection.credentials };
    const outgoing = request(`${this.#connection.server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const answer = Buffer.concat(chunks).toString();
        if (response.statusCode === 422 || (response.statusCode ?? 500) < 300) resolve(JSON.parse(answer));
        else reject(new Error(`Cannot ${method} ${path}: ${answer}\n${text}`));
      });
    });
    outgoing.on("error", reject);
    outgoing.end(text);
    return promise;
  }
}

function collectionOf({ kind = "", metadata }: ClusterObject): string {
  const { path, isNamespaced } = paths[kind]!;
  return isNamespaced ? inNamespace(path, metadata?.namespace ?? "") : path;
}

function inNamespace(path: string, namespace: string): string {
  const position = path.lastIndexOf("/");
  return `${path.slice(0, position)}/namespaces/${namespace}${path.slice(position)}`;
}
