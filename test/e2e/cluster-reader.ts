import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { catalogueFile } from "../../bench/scenarios.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, zoneLabel } from "../../bench/wire.ts";
import type { ControlPlane } from "../../scripts/lab/control-plane.ts";

interface Metadata {
  readonly metadata: { readonly labels?: Labels };
}

interface ObjectList {
  readonly metadata: { readonly remainingItemCount?: number };
  /** Null in an empty list of metadata. */
  readonly items: readonly Metadata[] | null;
}

/** Looks at a cluster at little cost for the API server: it reads metadata only. */
export class ClusterReader {
  readonly #controlPlane: ControlPlane;
  readonly #prices = new OfferingPrices();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
  }

  close(): void {
    this.#agent.destroy();
  }

  async countPods(): Promise<number> {
    return count(await this.#list("/api/v1/namespaces/default/pods?limit=1"));
  }

  async hasPodsThatDoNotRun(): Promise<boolean> {
    const { items } = await this.#list("/api/v1/namespaces/default/pods?limit=1&fieldSelector=status.phase!=Running");
    return (items ?? []).length > 0;
  }

  async nodes(): Promise<{ readonly count: number; readonly pricePerHour: number }> {
    const nodes = (await this.#list("/api/v1/nodes?labelSelector=karpenter.sh/nodepool")).items ?? [];
    const priceOf = ({ metadata: { labels = {} } }: Metadata) => this.#prices.of(labels) ?? Number.NaN;
    return { count: nodes.length, pricePerHour: nodes.reduce((sum, node) => sum + priceOf(node), 0) };
  }

  async #list(path: string): Promise<ObjectList> {
    return JSON.parse(await this.#get(path));
  }

  #get(path: string): Promise<string> {
    const { server, credentials } = this.#controlPlane;
    const headers = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { ...credentials, agent: this.#agent, headers };
    const outgoing = request(`${server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if ((response.statusCode ?? 500) < 300) resolve(text);
        else reject(new Error(`Cannot read ${path}: ${text}`));
      });
    });
    outgoing.on("error", reject);
    outgoing.end();
    return promise;
  }
}

function count({ items, metadata }: ObjectList): number {
  return (items ?? []).length + (metadata.remainingItemCount ?? 0);
}

/** What a machine costs an hour, by the labels that its NodeClaim has once it is launched, and its node. */
export class OfferingPrices {
  readonly #prices = readPrices();

  of(labels: Labels): number | undefined {
    return this.#prices.get(offeringOf(labels));
  }
}

function offeringOf(labels: Labels): string {
  return [instanceTypeLabel, zoneLabel, capacityTypeLabel].map((key) => labels[key]).join(" ");
}

interface CatalogueEntry {
  readonly name: string;
  readonly offerings: readonly {
    readonly Price: number;
    readonly Requirements: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

function readPrices(): Map<string, number> {
  const catalogue = JSON.parse(readFileSync(catalogueFile, "utf8")) as readonly CatalogueEntry[];
  const prices = new Map<string, number>();
  for (const { name, offerings } of catalogue) {
    for (const { Price, Requirements } of offerings) {
      const labels = Object.fromEntries(Requirements.map(({ key, values }) => [key, values[0] ?? ""]));
      prices.set(offeringOf({ ...labels, [instanceTypeLabel]: name }), Price);
    }
  }
  return prices;
}
