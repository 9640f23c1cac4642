import { request } from "node:https";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly uid?: string }; readonly message?: string };
}

/** Counts pods that come. While nobody scales up, each stands in for one that had to leave its node. */
export class PodCounter {
  readonly #known = new Set<string>();
  readonly #stop: () => void;
  #isStopped = false;
  #failure: Error | undefined;
  #first = 0;

  constructor({ server, credentials }: ControlPlane) {
    const path = "/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=3600";
    const headers = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
    const outgoing = request(`${server}${path}`, { ...credentials, headers }, (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") this.#take(JSON.parse(line));
      });
      response.on("end", () => this.#fail(new Error("the watch of the pods has ended")));
    });
    outgoing.on("error", (cause) => this.#fail(cause));
    outgoing.end();
    this.#stop = () => outgoing.destroy();
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

  #take({ type, object }: WatchEvent): void {
    if (type === "ERROR") this.#fail(new Error(object.message));
    else if (type === "ADDED") this.#known.add(object.metadata?.uid ?? "");
  }

  #fail(cause: Error): void {
    if (!this.#isStopped) this.#failure ??= new Error("Cannot count pods", { cause });
  }
}
