import type { JsonObject } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { keyOf } from "../storage/collection.ts";
import { addressOf, documentAnswer, objectAnswer, showOne } from "./answer-object.ts";
import { methodNotAllowed, notFound } from "./api-error.ts";
import { type ApiAnswer, jsonAnswer } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import { checkNotFuture, listObjects } from "./list-objects.ts";
import { type ListQuery, readListQuery, readVersion } from "./list-query.ts";
import { patchObject } from "./patch-requests.ts";
import { readObjectBody } from "./read-object-body.ts";
import { readDeleteOptions, readWriteOptions } from "./read-options.ts";
import {
  internalType,
  notAcceptable,
  partialMetadata,
  type Representation,
  readRepresentation,
  tableOf,
} from "./representation.ts";
import { apiVersionOf } from "./resource-registry.ts";
import { viewOf } from "./stored-view.ts";
import { watchObjects } from "./watch-objects.ts";

/** Requests to objects and collections of them; subresources are elsewhere. */
export function answerObjectRequest(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const { request, path, definition } = asked;
  const isOne = path.name !== undefined;
  switch (request.method) {
    case "GET":
    case "HEAD":
      return isOne && path.isWatch !== true ? getObject(parts, asked) : listOrWatch(parts, asked);
    case "POST":
      if (isOne || (definition.isNamespaced && path.namespace === undefined)) throw methodNotAllowed();
      return createObject(parts, asked);
    case "PUT":
      if (!isOne) throw methodNotAllowed();
      return updateObject(parts, asked);
    case "PATCH":
      if (!isOne) throw methodNotAllowed();
      return patchObject(parts, asked);
    case "DELETE":
      if (isOne) return deleteObject(parts, asked);
      if (definition.isNamespaced && path.namespace === undefined) throw methodNotAllowed();
      if (definition.verbs?.includes("deletecollection") === false) throw methodNotAllowed();
      return deleteCollection(parts, asked);
    default:
      throw methodNotAllowed();
  }
}

function getObject(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const address = addressOf(asked);
  checkNotFuture(readVersion(asked.target.query), parts.api.store.version);
  if (asked.asOf === undefined) return objectAnswer(parts, asked, { status: 200, object: parts.api.get(address) });
  const collection = parts.api.collection(asked.definition);
  const object = collection.getAt(Math.max(asked.asOf, collection.compactedVersion), keyOf({ metadata: address }));
  if (object === undefined) throw notFound(asked.definition, address.name);
  return objectAnswer(parts, asked, { status: 200, object });
}

function createObject(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const { request, path, definition } = asked;
  readRepresentation(asked);
  const options = readWriteOptions(asked, "CreateOptions");
  const { value, repeated } = readObjectBody(request, definition);
  const namespace = path.namespace === undefined ? {} : { namespace: path.namespace };
  const object = parts.api.create(definition, value, { ...options, ...namespace, repeated });
  return objectAnswer(parts, asked, { status: 201, object, warnings: options.warnings });
}

function updateObject(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const options = readWriteOptions(asked, "UpdateOptions");
  const address = addressOf(asked);
  const { value, repeated } = readObjectBody(asked.request, asked.definition);
  const isNew = parts.api.find(address) === undefined;
  const object = parts.api.update(address, value, { ...options, repeated });
  return objectAnswer(parts, asked, { status: isNew ? 201 : 200, object, warnings: options.warnings });
}

function deleteObject(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const { definition } = asked;
  const options = readDeleteOptions(asked);
  const { object, isGone } = parts.api.delete(addressOf(asked), options);
  if (!isGone || definition.returnsDeletedObject === true) {
    const { deleteWarning } = definition;
    const warnings = deleteWarning !== undefined && options.propagationPolicy === undefined ? [deleteWarning] : [];
    const status = !isGone && options.isCascading === true ? 202 : 200;
    return objectAnswer(parts, asked, { status, object, warnings });
  }
  const { group, plural } = definition;
  return jsonAnswer(200, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: object.metadata.name, ...(group === "" ? {} : { group }), kind: plural, uid: object.metadata.uid },
  });
}

function deleteCollection(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const { path, definition, target } = asked;
  const options = readDeleteOptions(asked);
  const query = readListQuery(target.query, path, definition);
  const { items, resourceVersion } = listObjects(parts.api.collection(definition), query, parts.api.store.version);
  for (const { metadata } of items) {
    const { namespace, name } = metadata;
    const address = { definition, ...(namespace === undefined ? {} : { namespace }), name };
    if (parts.api.find(address) !== undefined) parts.api.delete(address, options);
  }
  return jsonAnswer(200, listDocument(definition, items, { resourceVersion: String(resourceVersion) }));
}

function listDocument(
  definition: ResourceDefinition,
  objects: readonly KubeObject[],
  metadata: JsonObject,
): JsonObject {
  const isCustom = definition.typeName === undefined;
  return {
    kind: definition.listKind ?? `${definition.kind}List`,
    apiVersion: apiVersionOf(definition),
    metadata,
    items: objects.map((object) => {
      const view = viewOf(object, definition);
      if (isCustom) return view;
      const { apiVersion: _, kind: __, ...rest } = view;
      return rest;
    }),
  };
}

function listOrWatch(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const { target, path, definition } = asked;
  const { api } = parts;
  const query = readListQuery(target.query, path, definition);
  const representation = readRepresentation(asked, query.isWatch);
  const collection = api.collection(definition);
  if (query.isWatch) return watchAnswer(parts, asked, { query, representation });
  const asOf = asked.asOf === undefined ? undefined : Math.max(asked.asOf, collection.compactedVersion);
  const past = asOf === undefined ? {} : { resourceVersion: asOf, resourceVersionMatch: "Exact" };
  const page = listObjects(collection, { ...query, ...past }, api.store.version);
  const metadata = {
    resourceVersion: String(page.resourceVersion),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
  };
  const body = (): JsonObject => {
    switch (representation.as) {
      case "Table": {
        const { includeObject } = representation;
        return tableOf(page.items, definition, { metadata, now: parts.clock.now(), includeObject, withColumns: true });
      }
      case "PartialObjectMetadata":
        throw notAcceptable(
          `you requested PartialObjectMetadata, but the requested object is a list (${internalType(definition)}List)`,
        );
      case "PartialObjectMetadataList": {
        const items = page.items.map(partialMetadata);
        return { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items };
      }
      case "object":
        return listDocument(definition, page.items, metadata);
    }
  };
  return documentAnswer(200, body(), representation);
}

function watchAnswer(
  parts: ApiServerParts,
  { definition }: ResourceRequest,
  { query, representation }: { query: ListQuery; representation: Representation },
): ApiAnswer {
  const { api, clock } = parts;
  let withColumns = true;
  return watchObjects({
    collection: api.collection(definition),
    query,
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    version: () => api.store.version,
    show: (object) => {
      const shown = showOne(parts, definition, { object, representation, withColumns }) as JsonObject;
      withColumns = false;
      return shown;
    },
    clock,
  });
}
