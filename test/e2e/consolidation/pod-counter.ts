import { request } from "node:https";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly message?: string;
  };
}

/** Counts pods that come. While nobody scales up, each stands in for one that had to leave its node. */
export class PodCounter {
  readonly #controlPlane: ControlPlane;
  readonly #known = new Set<string>();
  #first = 0;
  #version = "";
  #stop = () => {};
  #isStopped = false;
  #failure: Error | undefined;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
    this.#watch();
  }

  /** From now on. */
  reset(): void {
    this.#first = this.#known.size;
  }

  /** Pods that have come since. Throws when some may have been missed. */
  get count(): number {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#known.size - this.#first;
  }

  close(): void {
    this.#isStopped = true;
    this.#stop();
  }

  /** The server ends watches that fall behind in a burst; each takes up where the last one was. */
  #watch(): void {
    const { server, credentials } = this.#controlPlane;
    const from = this.#version === "" ? "" : `&resourceVersion=${this.#version}`;
    const path = `/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=true${from}`;
    const headers = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
    const outgoing = request(`${server}${path}`, { ...credentials, headers, agent: false }, (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") this.#take(JSON.parse(line));
      });
      response.on("end", () => {
        if (!this.#isStopped && this.#failure === undefined) this.#watch();
      });
      response.on("error", (cause) => this.#fail(cause));
      if (response.statusCode !== 200) this.#fail(new Error(`the server answered ${response.statusCode}`));
    });
    outgoing.on("error", (cause) => this.#fail(cause));
    outgoing.end();
    this.#stop = () => outgoing.destroy();
  }

  #take({ type, object }: WatchEvent): void {
    if (type === "ERROR") this.#fail(new Error(object.message));
    this.#version = object.metadata?.resourceVersion ?? this.#version;
    if (type === "ADDED") this.#known.add(object.metadata?.uid ?? "");
  }

  #fail(cause: Error): void {
    if (!this.#isStopped) this.#failure ??= new Error(`Cannot count pods: ${cause.message}`, { cause });
  }
}
