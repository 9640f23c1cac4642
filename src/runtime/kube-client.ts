import type { KubeRequest, KubeResponse, KubeTransport } from "../ports/kube-transport.ts";
import { isKubeObject, type KubeObject, type KubeResource, type ObjectName, resourcePath } from "./kube-object.ts";

/** What came of a request that was answered. Only a request without an answer rejects. */
export type KubeAnswer =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly refusal: KubeRefusal };

export interface KubeRefusal {
  /** As in HTTP: 404 not found, 409 conflict or already there, 429 too many, 422 invalid. */
  readonly code: number;
  /** As in "AlreadyExists". */
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  /** The namespace is being deleted and takes nothing new: what is in it goes, too. */
  readonly isNamespaceTerminating: boolean;
}

export interface KubeClientOptions {
  readonly transport: KubeTransport;
  /** Told of every object that a write leaves behind, before the watch tells of it. */
  readonly onWritten?: (resource: KubeResource, object: KubeObject) => void;
  /** Asked before each write: whoever has lost the lead must not write any more. */
  readonly mayWrite?: () => boolean;
}

export type PatchKind = "merge" | "strategic-merge" | "json";

/** A write was held back because somebody else leads now. */
export class NotLeadingError extends Error {
  constructor(act: string) {
    super(`${act} was left to whoever leads now`);
  }
}

const pageSize = 500;

/** Reads and writes objects one by one. */
export class KubeClient {
  readonly #options: KubeClientOptions;

  constructor(options: KubeClientOptions) {
    this.#options = options;
  }

  /** For whoever changes the world in other ways than by writing here: whoever has lost the lead must not. */
  get isLeading(): boolean {
    return this.#options.mayWrite?.() ?? true;
  }

  async get(resource: KubeResource, { name, namespace }: ObjectName): Promise<KubeAnswer> {
    return answerOf(
      await this.#options.transport.send({ method: "GET", path: resourcePath(resource, { namespace, name }) }),
    );
  }

  /** As `get`, and told like a write: for what may be there because of a write whose answer was lost. */
  async getNews(resource: KubeResource, name: ObjectName): Promise<KubeAnswer> {
    const answer = await this.get(resource, name);
    if (answer.ok) this.#options.onWritten?.(resource, answer.object);
    return answer;
  }

  /** In pages, all of one moment; rejects when that moment is forgotten before the last. */
  async list(resource: KubeResource): Promise<readonly KubeObject[]> {
    const objects: KubeObject[] = [];
    let token = "";
    do {
      const query = `limit=${pageSize}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`;
      const path = `${resourcePath(resource)}?${query}`;
      const page = orThrow(
        answerOf(await this.#options.transport.send({ method: "GET", path })),
        `list ${resource.plural}`,
      ) as { readonly items?: readonly KubeObject[] | null; readonly metadata: { readonly continue?: string } };
      for (const item of page.items ?? []) objects.push(item);
      token = page.metadata.continue ?? "";
    } while (token !== "");
    return objects;
  }

  create(resource: KubeResource, object: object, namespace?: string): Promise<KubeAnswer> {
    return this.#write(resource, { method: "POST", path: resourcePath(resource, { namespace }), body: object });
  }

  /** Posts to a part of an object, such as the eviction or the binding of a pod. */
  createSubresource(
    resource: KubeResource,
    target: ObjectName & { subresource: string },
    body: object,
  ): Promise<KubeAnswer> {
    return this.#write(undefined, { method: "POST", path: resourcePath(resource, target), body });
  }

  /** With `metadata.resourceVersion` in a merge patch, a conflict (409) tells of a change that came between. */
  patch(
    resource: KubeResource,
    target: ObjectName & { readonly subresource?: "status" },
    patch: { readonly kind?: PatchKind; readonly body: unknown },
  ): Promise<KubeAnswer> {
    const contentType = `application/${patch.kind ?? "merge"}-patch+json`;
    return this.#write(resource, {
      method: "PATCH",
      path: resourcePath(resource, target),
      contentType,
      body: patch.body,
    });
  }

  delete(resource: KubeResource, { name, namespace }: ObjectName, options: DeleteOptions = {}): Promise<KubeAnswer> {
    const { uid, graceSeconds } = options;
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    };
    return this.#write(resource, { method: "DELETE", path: resourcePath(resource, { namespace, name }), body });
  }

  async #write(resource: KubeResource | undefined, request: KubeRequest): Promise<KubeAnswer> {
    const { transport, onWritten } = this.#options;
    if (!this.isLeading) throw new NotLeadingError(`${request.method} ${request.path}`);
    const answer = answerOf(
      await transport.send({ ...request, contentType: request.contentType ?? "application/json" }),
    );
    if (answer.ok && resource !== undefined && answer.object.kind === resource.kind)
      onWritten?.(resource, answer.object);
    return answer;
  }
}

export interface DeleteOptions {
  /** Only the object with this uid: one of the same name that came later is spared. */
  readonly uid?: string;
  readonly graceSeconds?: number;
}

/** Whether the API server refused something because its namespace is being deleted. */
export function isNamespaceTerminating({ status, body }: KubeResponse): boolean {
  const { causes = [] } = (body as RefusalBody | null | undefined)?.details ?? {};
  return status === 403 && causes.some(({ reason }) => reason === "NamespaceTerminating");
}

interface RefusalBody {
  readonly details?: { readonly causes?: readonly { readonly reason?: string }[] };
}

function answerOf(response: KubeResponse): KubeAnswer {
  const { status, body, retryAfterSeconds } = response;
  if (status < 300 && isKubeObject(body)) return { ok: true, object: body };
  const said = (typeof body === "object" && body !== null ? body : {}) as { reason?: unknown; message?: unknown };
  const reason = typeof said.reason === "string" ? said.reason : "";
  const message = typeof said.message === "string" ? said.message : `the server answered ${status}`;
  // A status of success, as for a deletion that left nothing, has metadata too, so that only refusals get here.
  return {
    ok: false,
    refusal: {
      code: status,
      reason,
      message,
      retryAfterSeconds,
      isNamespaceTerminating: isNamespaceTerminating(response),
    },
  };
}

/** The object, or an error that says what could not be done and why. */
export function orThrow(answer: KubeAnswer, act: string): KubeObject {
  if (answer.ok) return answer.object;
  const { code, message } = answer.refusal;
  throw new Error(`Cannot ${act}: ${message} (${code})`);
}

/** As `orThrow`, but undefined where the answer was one of these codes. */
export function unless(codes: readonly number[], answer: KubeAnswer, act: string): KubeObject | undefined {
  if (!answer.ok && codes.includes(answer.refusal.code)) return undefined;
  return orThrow(answer, act);
}
