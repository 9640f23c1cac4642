import type { KubeRequest, KubeResponse, KubeTransport, KubeWatch } from "../../ports/kube-transport.ts";

/** What cannot be had of a cluster, and is left out. */
export interface Gap {
  /** As in `nodepools`. */
  readonly plural: string;
  readonly isForbidden: boolean;
  /** In the words of the server. */
  readonly message: string;
}

const essential: ReadonlySet<string> = new Set(["nodes", "pods"]);

/**
 * A cluster that is looked at from outside may not know all kinds, or not let everybody see them. What is missing counts
 * as empty and is told; without nodes and pods there is nothing to say.
 */
export class LenientTransport implements KubeTransport {
  readonly #inner: KubeTransport;
  readonly #gaps = new Map<string, Gap>();
  readonly #onFailure: (failure: Error | KubeResponse) => void;

  /** The listener is told of requests that got no answer, and of answers that say no for good. */
  constructor(inner: KubeTransport, onFailure: (failure: Error | KubeResponse) => void) {
    this.#inner = inner;
    this.#onFailure = onFailure;
  }

  get gaps(): readonly Gap[] {
    return [...this.#gaps.values()];
  }

  async send(request: KubeRequest): Promise<KubeResponse> {
    const response = await this.#ask(request);
    const { status, body } = response;
    if (status < 400) return response;
    const plural = pluralIn(request.path);
    const message = (body as { readonly message?: unknown } | null)?.message;
    const isAbsent = status === 404 && !essential.has(plural);
    if (isAbsent || (status === 403 && !essential.has(plural))) {
      this.#gaps.set(plural, { plural, isForbidden: status === 403, message: String(message ?? status) });
      return { status: 200, body: { items: [], metadata: { resourceVersion: "0" } } };
    }
    this.#onFailure(response);
    return response;
  }

  async watch(request: KubeRequest, watch: KubeWatch): Promise<() => void> {
    if (this.#gaps.has(pluralIn(request.path))) return () => {};
    try {
      return await this.#inner.watch(request, watch);
    } catch (error) {
      this.#onFailure(error as Error);
      throw error;
    }
  }

  async #ask(request: KubeRequest): Promise<KubeResponse> {
    try {
      return await this.#inner.send(request);
    } catch (error) {
      this.#onFailure(error as Error);
      throw error;
    }
  }
}

/** Of a path such as `/apis/karpenter.sh/v1/nodepools?limit=500`. */
function pluralIn(path: string): string {
  return path.split("?")[0]?.split("/").at(-1) ?? "";
}
