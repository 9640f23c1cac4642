import type { Pod } from "kubernetes-types/core/v1.js";
import type { JsonObject } from "../../core/api/schema/json.ts";
import { quote } from "../../core/api/schema/render-value.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { ApiError, badRequest, methodNotAllowed, notFound, pathNotFound, statusOf } from "./api-error.ts";
import { type ApiAnswer, type ApiRequest, jsonAnswer, type LogAnswer, textAnswer } from "./api-request.ts";
import {
  aggregatedDiscovery,
  coreVersions,
  groupDocument,
  groupList,
  resourceList,
  subresourcesOf,
} from "./discovery.ts";
import type { ObjectApi } from "./object-api.ts";
import { answerObjectRequest } from "./object-requests.ts";
import { openApiDocument, openApiIndex } from "./openapi.ts";
import { parseTarget, type ResourcePath, type Target } from "./parse-target.ts";
import { MalformedJson } from "./read-body.ts";
import type { LogOptions } from "./read-log-options.ts";
import { refuseUnknownTypes } from "./representation.ts";
import { answerReview, reviewResources } from "./reviews.ts";
import { answerSubresourceRequest } from "./subresource-requests.ts";
import { pathSegmentProblems } from "./validate-metadata.ts";

export interface ApiServerParts {
  readonly api: ObjectApi;
  readonly clock: Clock;
  /** What a container wrote; throws an ApiError where there is no such container. */
  readonly readLog: (pod: Pod, options: LogOptions) => LogAnswer;
}

/** A request to one resource that is served. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly target: Target;
  readonly path: ResourcePath;
  readonly definition: ResourceDefinition;
  /** A read is to show the past, as of this version. */
  readonly asOf?: number;
}

/** Answers requests. Synchronous: what a request sees is the cluster at one moment. */
export class ApiServer {
  readonly parts: ApiServerParts;

  constructor(parts: ApiServerParts) {
    this.parts = parts;
  }

  /** `asOf` makes a read show the past, as a server does that lags behind the others. */
  handle(request: ApiRequest, asOf?: number): ApiAnswer {
    try {
      return this.#answer(request, asOf);
    } catch (error) {
      return errorAnswer(error);
    }
  }

  #answer(request: ApiRequest, asOf: number | undefined): ApiAnswer {
    const target = parseTarget(request.target);
    const document = this.#document(request, target.path);
    if (document !== undefined) return document;
    const { resource: path } = target;
    if (path === undefined) return this.#nowhere(target.path);
    const review = answerReview(request, path);
    if (review !== undefined) return review;
    const definition = this.parts.api.registry.find(path.group, path.version, path.plural);
    if (definition === undefined || !isWellPlaced(path, definition)) return this.#nowhere(target.path);
    checkPath(path);
    const asked = { request, target, path, definition, ...(asOf === undefined ? {} : { asOf }) };
    if (path.subresource === undefined) return answerObjectRequest(this.parts, asked);
    if (!subresourcesOf(definition).some(({ name }) => name === path.subresource)) {
      throw definition.typeName === undefined ? notFound(definition, path.name ?? "") : pathNotFound();
    }
    return answerSubresourceRequest(this.parts, asked);
  }

  /** Built-in groups say that they have no such thing; beyond them there is nobody to say so. */
  #nowhere(path: string): ApiAnswer {
    const [root, group] = path.split("/").slice(1);
    const builtIn = this.parts.api.registry.all().filter(({ typeName }) => typeName !== undefined);
    const isBuiltIn = [...builtIn, ...reviewResources].some((definition) => definition.group === group);
    if (root === "api" || (root === "apis" && isBuiltIn)) throw pathNotFound();
    return textAnswer(404, "404 page not found\n");
  }

  /** Everything that is not about objects: health, version, discovery, OpenAPI. */
  #document(request: ApiRequest, path: string): ApiAnswer | undefined {
    const body = this.#documentAt(path, request);
    if (body === undefined) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    if (path === "/version") refuseUnknownTypes(request.headers.accept, ["application/json"]);
    else if (/^\/apis?(\/|$)/.test(path)) refuseUnknownTypes(request.headers.accept);
    return typeof body === "string" ? textAnswer(200, body) : body;
  }

  #documentAt(path: string, { headers }: ApiRequest): ApiAnswer | string | undefined {
    const { registry } = this.parts.api;
    const wantsAggregate = (headers.accept ?? "").includes("as=APIGroupDiscoveryList");
    const aggregate = (isCore: boolean): ApiAnswer => ({
      kind: "body",
      status: 200,
      contentType: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      body: aggregatedDiscovery(registry, isCore),
    });
    switch (path.replace(/\/$/, "")) {
      case "":
        return path === "/"
          ? jsonAnswer(200, {
              paths: ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"],
            })
          : undefined;
      case "/healthz":
      case "/livez":
      case "/readyz":
        return "ok";
      case "/version":
        return jsonAnswer(200, versionDocument);
      case "/api":
        return wantsAggregate ? aggregate(true) : jsonAnswer(200, coreVersions(headers.host ?? ""));
      case "/apis":
        return wantsAggregate ? aggregate(false) : jsonAnswer(200, groupList(registry));
      case "/openapi/v3":
        return { ...jsonAnswer(200, openApiIndex(registry)), contentType: "text/plain; charset=utf-8" };
    }
    const [root, ...segments] = path.replace(/\/$/, "").split("/").slice(1);
    if (root === "openapi" && segments[0] === "v3") {
      const [, prefix, group = "", version = ""] = segments;
      const body = prefix === "api" ? openApiDocument(registry, "", group) : openApiDocument(registry, group, version);
      return body === undefined ? undefined : jsonAnswer(200, body);
    }
    if (root === "api" && segments.length === 1) return found(resourceList(registry, "", segments[0] ?? ""));
    if (root === "apis" && segments.length === 1) return found(groupDocument(registry, segments[0] ?? ""));
    if (root === "apis" && segments.length === 2)
      return found(resourceList(registry, segments[0] ?? "", segments[1] ?? ""));
    return undefined;
  }
}

const versionDocument = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3+embedded",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "",
};

function found(body: JsonObject | undefined): ApiAnswer | undefined {
  return body === undefined ? undefined : jsonAnswer(200, body);
}

/** A namespaced object is reached through its namespace, and a cluster-wide one without. */
function isWellPlaced(path: ResourcePath, { isNamespaced }: ResourceDefinition): boolean {
  if (!isNamespaced) return path.namespace === undefined;
  return path.namespace !== undefined || path.name === undefined;
}

/** Names that would lead elsewhere in a store of files. */
function checkPath({ plural, namespace, name }: ResourcePath): void {
  if (namespace === "") throw badRequest("Namespace parameter required.");
  if (namespace === "." || namespace === "..") {
    throw new ApiError(500, "", `invalid key: ${JSON.stringify(`/${plural}/${namespace}`)}`);
  }
  const problems = name === undefined ? [] : pathSegmentProblems(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(name ?? "")}: ${problems.join(";")}`);
}

/** Whatever goes wrong, the client gets a Status; a mistake of ours is a 500 that says so. */
export function errorAnswer(thrown: unknown): ApiAnswer {
  if (thrown instanceof URIError) return textAnswer(400, "400 Bad Request");
  const error =
    thrown instanceof ApiError
      ? thrown
      : thrown instanceof MalformedJson
        ? badRequest(thrown.message)
        : new ApiError(
            500,
            "InternalError",
            `Internal error occurred: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
          );
  const answer = jsonAnswer(error.code, statusOf(error));
  const retryAfterSeconds = error.details?.retryAfterSeconds;
  return retryAfterSeconds === undefined ? answer : { ...answer, retryAfterSeconds };
}
