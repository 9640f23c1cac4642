import type { CustomResourceDefinition } from "../../src/core/api/definitions/custom-resource-definition.ts";
import type { KubeRequest, KubeResponse } from "../../src/ports/kube-transport.ts";
import type { NamedCase } from "./admission-cases.ts";

export type Send = (request: KubeRequest) => Promise<KubeResponse>;

/** How an API server answers to the object of a case. */
export interface Answer {
  readonly isTaken: boolean;
  /** The words of the refusal; "" when there is none. */
  readonly message: string;
  /** What is wrong with which field. */
  readonly causes: readonly { readonly field: string; readonly message: string }[];
  /** Spec and status as they are stored, with defaults. */
  readonly stored: { readonly spec?: unknown; readonly status?: unknown };
}

interface Wire {
  readonly message?: string;
  readonly metadata?: { readonly resourceVersion?: string };
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
  readonly spec?: unknown;
  readonly status?: unknown;
}

export async function tryCase(send: Send, { name, definition, object, before }: NamedCase): Promise<Answer> {
  const path = collectionOf(definition);
  if (before === undefined)
    return answerOf(await send({ method: "POST", path, body: whole(definition, object, { name }) }));
  const first = await send({ method: "POST", path, body: whole(definition, before, { name }) });
  const { metadata, message } = first.body as Wire;
  if (first.status !== 201) throw new Error(`${name} cannot be created before it is changed: ${message}`);
  const resourceVersion = metadata?.resourceVersion ?? "";
  const body = whole(definition, object, { name, resourceVersion });
  return answerOf(await send({ method: "PUT", path: `${path}/${name}`, body }));
}

/** Where the objects of a kind are. */
export function collectionOf({ spec }: CustomResourceDefinition): string {
  const namespace = spec.scope === "Namespaced" ? "/namespaces/default" : "";
  return `/apis/${spec.group}/${spec.versions[0].name}${namespace}/${spec.names.plural}`;
}

function whole({ spec }: CustomResourceDefinition, object: object, metadata: object): object {
  return { apiVersion: `${spec.group}/${spec.versions[0].name}`, kind: spec.names.kind, metadata, ...object };
}

function answerOf({ status, body }: KubeResponse): Answer {
  const wire = body as Wire;
  const isTaken = status === 200 || status === 201;
  if (!isTaken && status !== 422) throw new Error(`Unexpected answer ${status}: ${wire.message}`);
  return isTaken
    ? { isTaken, message: "", causes: [], stored: { spec: wire.spec, status: wire.status } }
    : { isTaken, message: wire.message ?? "", causes: wire.details?.causes ?? [], stored: {} };
}
