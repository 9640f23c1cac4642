import type { JsonObject } from "../kube-object.ts";
import { addressOf, objectAnswer } from "./answer-object.ts";
import { ApiError, methodNotAllowed } from "./api-error.ts";
import { type ApiAnswer, jsonAnswer } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import { patcher, patchObject } from "./patch-requests.ts";
import { mediaTypeOf } from "./read-body.ts";
import { readObjectBody } from "./read-object-body.ts";
import { readWriteOptions } from "./read-options.ts";
import { bindPod } from "./subresources/binding.ts";
import { evictPod } from "./subresources/eviction.ts";
import { readScale, writeScale } from "./subresources/scale.ts";

/** Requests to a part or an act of one object. */
export function answerSubresourceRequest(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  switch (asked.path.subresource) {
    case "status":
      return answerStatus(parts, asked);
    case "scale":
      return answerScale(parts, asked);
    case "finalize":
      return answerFinalize(parts, asked);
    case "binding":
      requireMethod(asked, "POST");
      return jsonAnswer(
        201,
        bindPod(parts.api, addressOf(asked), {
          binding: readObjectBody(asked.request, asked.definition),
          options: readWriteOptions(asked.target.query),
        }),
      );
    case "eviction":
      requireMethod(asked, "POST");
      return jsonAnswer(
        201,
        evictPod(parts.api, addressOf(asked), {
          eviction: readObjectBody(asked.request, asked.definition),
          options: readWriteOptions(asked.target.query),
        }),
      );
    case "log": {
      requireMethod(asked, "GET");
      return parts.readLog(parts.api.get(addressOf(asked)), asked.target.query);
    }
    default:
      throw new ApiError(404, "NotFound", "the server could not find the requested resource", {});
  }
}

function requireMethod({ request }: ResourceRequest, method: string): void {
  if (request.method !== method) throw methodNotAllowed();
}

function answerStatus(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  switch (asked.request.method) {
    case "GET":
      return objectAnswer(parts, asked, { status: 200, object: parts.api.get(addressOf(asked)) });
    case "PUT": {
      const options = { ...readWriteOptions(asked.target.query), subresource: "status" };
      const body = readObjectBody(asked.request, asked.definition);
      const object = parts.api.update(addressOf(asked), body, options);
      return objectAnswer(parts, asked, { status: 200, object, warnings: options.warnings });
    }
    case "PATCH":
      return patchObject(parts, asked);
    default:
      throw methodNotAllowed();
  }
}

function answerScale(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const address = addressOf(asked);
  const { definition } = asked;
  const write = (scale: unknown): ApiAnswer =>
    jsonAnswer(200, writeScale(parts.api, address, { scale, options: readWriteOptions(asked.target.query) }));
  switch (asked.request.method) {
    case "GET":
      return jsonAnswer(200, readScale(parts.api.get(address), definition));
    case "PUT":
      return write(readObjectBody(asked.request, definition));
    case "PATCH": {
      const change = patcher(asked, mediaTypeOf(asked.request));
      const scale = readScale(parts.api.get(address), definition) as unknown as Parameters<typeof change>[0];
      return write(change(scale, { ...definition, typeName: "io.k8s.api.autoscaling.v1.Scale" }) as JsonObject);
    }
    default:
      throw methodNotAllowed();
  }
}

/** The namespace controller says that it is done with a namespace. */
function answerFinalize(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  requireMethod(asked, "PUT");
  const body = readObjectBody(asked.request, asked.definition);
  const object = parts.api.update(addressOf(asked), body, { subresource: "finalize" });
  return objectAnswer(parts, asked, { status: 200, object });
}
