import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { type ApiAnswer, jsonAnswer } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import type { Address } from "./object-api.ts";
import { partialMetadata, type Representation, readRepresentation, tableOf } from "./representation.ts";
import { viewOf } from "./stored-view.ts";

export function addressOf({ path, definition }: ResourceRequest): Address {
  const { namespace, name = "" } = path;
  return { definition, ...(namespace === undefined ? {} : { namespace }), name };
}

/** The object in the form that the client asked for. */
export function objectAnswer(parts: ApiServerParts, asked: ResourceRequest, written: Written): ApiAnswer {
  const representation = readRepresentation(asked.request.headers.accept, asked.target.query);
  const body = showOne(parts, asked.definition, { object: written.object, representation });
  const answer = jsonAnswer(written.status, body);
  return written.warnings === undefined || written.warnings.length === 0
    ? answer
    : { ...answer, warnings: written.warnings };
}

export interface Written {
  readonly status: number;
  readonly object: KubeObject;
  readonly warnings?: readonly string[];
}

export function showOne(
  parts: ApiServerParts,
  definition: ResourceDefinition,
  shown: { object: KubeObject; representation: Representation },
): unknown {
  const { object, representation } = shown;
  switch (representation.as) {
    case "Table":
      return tableOf([object], definition, {
        metadata: { resourceVersion: object.metadata.resourceVersion },
        now: parts.clock.now(),
        includeObject: representation.includeObject,
        withColumns: true,
      });
    case "PartialObjectMetadata":
      return partialMetadata(object);
    default:
      return viewOf(object, definition);
  }
}
