import { request } from "node:https";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";

export interface WatchEvent<Item> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Item;
}

type WireEvent<Item> =
  | WatchEvent<Item>
  | { readonly type: "BOOKMARK"; readonly object: unknown }
  | { readonly type: "ERROR"; readonly object: { readonly message: string } };

interface HasVersion {
  readonly metadata?: { readonly resourceVersion?: string };
}

/**
 * Tells every change of some objects. Whole objects cost the API server less than metadata: it encodes them once for
 * all watches.
 */
export class ObjectWatch<Item> {
  readonly #controlPlane: ControlPlane;
  readonly #path: string;
  readonly #take: (event: WatchEvent<Item>) => void;
  readonly #opened = Promise.withResolvers<void>();
  #version = "";
  #stop = () => {};
  #isStopped = false;
  #failure: Error | undefined;

  constructor(controlPlane: ControlPlane, path: string, take: (event: WatchEvent<Item>) => void) {
    this.#controlPlane = controlPlane;
    this.#path = path;
    this.#take = take;
    // Whoever waits for it gets the failure; `check` throws it, too.
    this.#opened.promise.catch(() => {});
    this.#watch();
  }

  /** Settled when no later change can be missed. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Throws when changes may have been missed. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    this.#isStopped = true;
    this.#stop();
  }

  /** The server ends watches that fall behind in a burst; the next one starts where the last one ended. */
  #watch(): void {
    const { server, credentials } = this.#controlPlane;
    const url = new URL(this.#path, server);
    url.searchParams.set("watch", "1");
    url.searchParams.set("allowWatchBookmarks", "true");
    if (this.#version !== "") url.searchParams.set("resourceVersion", this.#version);
    const outgoing = request(url, { ...credentials, agent: false }, (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") this.#read(JSON.parse(line));
      });
      response.on("end", () => {
        if (!this.#isStopped && this.#failure === undefined) this.#watch();
      });
      response.on("error", (cause) => this.#fail(cause));
      if (response.statusCode === 200) this.#opened.resolve();
      else this.#fail(new Error(`the server answered ${response.statusCode}`));
    });
    outgoing.on("error", (cause) => this.#fail(cause));
    outgoing.end();
    this.#stop = () => outgoing.destroy();
  }

  #read(event: WireEvent<Item & HasVersion>): void {
    if (event.type === "ERROR") {
      this.#fail(new Error(event.object.message));
      return;
    }
    this.#version = (event.object as HasVersion).metadata?.resourceVersion ?? this.#version;
    if (event.type !== "BOOKMARK") this.#take(event);
  }

  #fail(cause: Error): void {
    if (this.#isStopped || this.#failure !== undefined) return;
    this.#failure = new Error(`Cannot watch ${this.#path}: ${cause.message}`, { cause });
    this.#opened.reject(this.#failure);
  }
}
