import { stringify } from "yaml";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { type ApiAnswer, type BodyAnswer, jsonAnswer } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import type { Address } from "./object-api.ts";
import {
  internalType,
  notAcceptable,
  partialMetadata,
  type Representation,
  readRepresentation,
  tableOf,
} from "./representation.ts";
import { viewOf } from "./stored-view.ts";

export function addressOf({ path, definition }: ResourceRequest): Address {
  const { namespace, name = "" } = path;
  return { definition, ...(namespace === undefined ? {} : { namespace }), name };
}

/** The object in the form that the client asked for. */
export function objectAnswer(parts: ApiServerParts, asked: ResourceRequest, written: Written): ApiAnswer {
  const representation = readRepresentation(asked);
  const { object, status, warnings = [] } = written;
  const body = showOne(parts, asked.definition, { object, representation, withColumns: true });
  const answer = documentAnswer(status, body, representation);
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

export interface Written {
  readonly status: number;
  readonly object: KubeObject;
  readonly warnings?: readonly string[];
}

export function documentAnswer(status: number, body: unknown, { isYaml }: Representation): BodyAnswer {
  if (!isYaml) return jsonAnswer(status, body);
  return {
    kind: "body",
    status,
    contentType: "application/yaml",
    body: stringify(body, { version: "1.1", sortMapEntries: true }),
  };
}

interface Shown {
  readonly object: KubeObject;
  readonly representation: Representation;
  readonly withColumns: boolean;
}

export function showOne(parts: ApiServerParts, definition: ResourceDefinition, shown: Shown): unknown {
  const { object, representation, withColumns } = shown;
  switch (representation.as) {
    case "Table":
      return tableOf([object], definition, {
        metadata: { resourceVersion: object.metadata.resourceVersion },
        now: parts.clock.now(),
        includeObject: representation.includeObject,
        withColumns,
      });
    case "PartialObjectMetadata":
      return partialMetadata(object);
    case "PartialObjectMetadataList":
      throw notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${internalType(definition)})`,
      );
    case "object":
      return viewOf(object, definition);
  }
}
