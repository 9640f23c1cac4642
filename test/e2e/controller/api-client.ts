import { Agent, request } from "node:https";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The little of a client that stories take: paths and JSON. What the server refuses is thrown. */
export class ApiClient {
  readonly #controlPlane: ControlPlane;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
  }

  close(): void {
    this.#agent.destroy();
  }

  async list<Item>(path: string): Promise<Item[]> {
    return (JSON.parse(await this.#must("GET", path)) as { items: Item[] }).items;
  }

  /** Undefined when it is not there. */
  async find<Item>(path: string): Promise<Item | undefined> {
    const { status, text } = await this.send("GET", path);
    if (status === 404) return undefined;
    if (status >= 300) throw new Error(`Cannot GET ${path}: ${text}`);
    return JSON.parse(text);
  }

  async create(path: string, object: object): Promise<void> {
    await this.#must("POST", path, object);
  }

  async patch(path: string, change: object): Promise<void> {
    await this.#must("PATCH", path, change);
  }

  /** As `kubectl delete --wait=false --ignore-not-found`. */
  async remove(path: string): Promise<void> {
    const { status, text } = await this.send("DELETE", path, { propagationPolicy: "Background" });
    if (status >= 300 && status !== 404) throw new Error(`Cannot DELETE ${path}: ${text}`);
  }

  async #must(method: string, path: string, body?: object): Promise<string> {
    const { status, text } = await this.send(method, path, body);
    if (status >= 300) throw new Error(`Cannot ${method} ${path}: ${text}`);
    return text;
  }

  send(method: string, path: string, body?: object): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { server, credentials } = this.#controlPlane;
    const text = body === undefined ? "" : JSON.stringify(body);
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { "content-type": type, "content-length": Buffer.byteLength(text) };
    const outgoing = request(
      `${server}${path}`,
      { ...credentials, method, agent: this.#agent, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 500, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(text);
    return promise;
  }
}
