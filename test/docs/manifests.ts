// The YAML of the documents, on the embedded API server.
import { parse, parseAllDocuments } from "yaml";
import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import { createDefinitions } from "../api/install-definitions.ts";
import { readChartYaml } from "../chart/chart-files.ts";
import type { Block } from "./pages.ts";

export type Fields = Readonly<Record<string, unknown>>;

const kwokClass = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const containers = [{ name: "main", image: "nginx" }];
const podTemplate = { metadata: { labels: { app: "web" } }, spec: { containers } };
/** What a part of a manifest is laid over, so that the whole can be tried. */
const wholes: Readonly<Record<string, Fields>> = {
  NodePool: {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: { template: { spec: { nodeClassRef: kwokClass, requirements: [] } } },
  },
  EC2NodeClass: {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "KarpenterNodeRole-my-cluster",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: [{ id: "subnet-0123456789abcdef0" }],
      securityGroupSelectorTerms: [{ id: "sg-0123456789abcdef0" }],
    },
  },
  Deployment: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { selector: { matchLabels: { app: "web" } }, template: podTemplate },
  },
  Pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers } },
};

/** Every object in a text; a document that is none stays what it is. */
export function readDocuments(text: string): readonly unknown[] {
  return parseAllDocuments(text, { version: "1.1", uniqueKeys: true }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as unknown;
  });
}

export function isObject(value: unknown): value is Fields {
  return isFields(value) && typeof value.apiVersion === "string" && typeof value.kind === "string";
}

/** The whole of which the block says to be a part, as in `part of a NodePool`. */
export function wholeOf({ comment, text }: Pick<Block, "comment" | "text">): Fields | undefined {
  const [, kind = ""] = /\bpart of an? (\w+)/.exec(comment) ?? [];
  const whole = wholes[kind];
  return whole === undefined ? undefined : (merge(whole, parse(text)) as Fields);
}

/** Whether these can be values of the chart: all of its names are names of values. */
export function unknownValues(value: unknown): readonly string[] {
  return beyond(value, readChartYaml("values.yaml"), "");
}

function beyond(value: unknown, known: unknown, path: string): readonly string[] {
  // What is empty there is for users to fill.
  if (!isFields(value) || !isFields(known) || Object.keys(known).length === 0) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const at = path === "" ? key : `${path}.${key}`;
    // A map by labels, whose keys are the user's.
    if (!(key in known)) return path === "nodeSelector" || path === "karpenter.node_pools" ? [] : [at];
    return beyond(part, known[key], at);
  });
}

function merge(base: unknown, more: unknown): unknown {
  if (!isFields(base) || !isFields(more)) return more;
  const keys = new Set([...Object.keys(base), ...Object.keys(more)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, key in base ? (key in more ? merge(base[key], more[key]) : base[key]) : more[key]]),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An API server with our kinds, which keeps nothing of what it is asked. */
export class DryRunServer {
  readonly #cluster = new EmbeddedCluster({
    clock: new VirtualClock(Date.parse("2026-01-31T12:00:00Z")),
    seed: 1,
    without: ["scheduler", "workloads", "kubelet"],
  });

  async start(): Promise<void> {
    await createDefinitions(this.#send, customResourceDefinitions);
    this.#cluster.settle();
  }

  stop(): void {
    this.#cluster.stop();
  }

  /** What it has against the object; empty when nothing. */
  async refusal(object: Fields): Promise<string> {
    const { apiVersion, kind, metadata } = object as { apiVersion: string; kind: string; metadata?: Fields };
    const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { body: found } = await this.#send({ method: "GET", path: base });
    const { resources = [] } = (found ?? {}) as { resources?: { kind: string; name: string; namespaced: boolean }[] };
    const resource = resources.find((one) => one.kind === kind && !one.name.includes("/"));
    if (resource === undefined) return `there is no ${kind} in ${apiVersion}`;
    const { namespace = "default" } = (metadata ?? {}) as { namespace?: string };
    // What is in other namespaces would need them.
    const body = resource.namespaced ? { ...object, metadata: { ...metadata, namespace: "default" } } : object;
    const folder = resource.namespaced ? `${base}/namespaces/default` : base;
    const path = `${folder}/${resource.name}?dryRun=All&fieldValidation=Strict`;
    const { status, body: answer } = await this.#send({ method: "POST", path, body });
    if (status === 201 || status === 409) return "";
    return `${status} ${(answer as { message?: string } | undefined)?.message ?? ""} (${kind} in ${namespace})`;
  }

  readonly #send = (request: Parameters<EmbeddedCluster["transport"]["send"]>[0]) =>
    this.#cluster.transport.send(request);
}
