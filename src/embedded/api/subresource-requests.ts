import type { Pod } from "kubernetes-types/core/v1.js";
import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { defineResource } from "../kinds/define-resource.ts";
import type { Draft } from "../kube-object.ts";
import { addressOf, objectAnswer } from "./answer-object.ts";
import { methodNotAllowed, pathNotFound } from "./api-error.ts";
import { type ApiAnswer, jsonAnswer } from "./api-request.ts";
import type { ApiServerParts, ResourceRequest } from "./api-server.ts";
import { decodeObject, decodeSent } from "./decode-object.ts";
import { applyPatch, patchObject } from "./patch-requests.ts";
import { containerOf, readLogOptions } from "./read-log-options.ts";
import { readObjectBody } from "./read-object-body.ts";
import { patchErrors, readWriteOptions } from "./read-options.ts";
import { bindPod } from "./subresources/binding.ts";
import { evictPod } from "./subresources/eviction.ts";
import { readScale, writeScale } from "./subresources/scale.ts";
import type { WriteOptions } from "./write-options.ts";

// What subresources of several kinds are written with; nobody stores these.
const bindings = defineResource({ group: "", kind: "Binding", plural: "bindings" });
const evictions = defineResource({ group: "policy", kind: "Eviction", plural: "evictions" });
const scales = defineResource({ group: "autoscaling", kind: "Scale", plural: "scales" });

/** Requests to a part or an act of one object. */
export function answerSubresourceRequest(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  switch (asked.path.subresource) {
    case "status":
      return answerStatus(parts, asked);
    case "scale":
      return answerScale(parts, asked);
    case "finalize":
      return answerFinalize(parts, asked);
    case "binding": {
      requireMethod(asked, "POST");
      const { sent, options } = readSent(asked, bindings);
      return jsonAnswer(201, bindPod(parts.api, addressOf(asked), { binding: sent, options }));
    }
    case "eviction": {
      requireMethod(asked, "POST");
      const { sent, options } = readSent(asked, evictions);
      return jsonAnswer(201, evictPod(parts.api, addressOf(asked), { eviction: sent, options }));
    }
    case "log":
      requireMethod(asked, "GET");
      return answerLog(parts, asked);
    default:
      throw pathNotFound();
  }
}

/** A pod that runs nowhere has said nothing. */
function answerLog(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  const options = readLogOptions(asked.target.query, asked.path.name ?? "", parts.clock.now());
  const pod = parts.api.get(addressOf(asked)) as unknown as Pod;
  const container = containerOf(pod, options.container);
  if ((pod.spec?.nodeName ?? "") === "") return { ...jsonAnswer(204, ""), contentType: "" };
  return parts.readLog(pod, { ...options, container });
}

function requireMethod({ request }: ResourceRequest, method: string): void {
  if (request.method !== method) throw methodNotAllowed();
}

/** An act on an object is created like an object. */
function readSent(asked: ResourceRequest, definition: typeof bindings): { sent: JsonObject; options: WriteOptions } {
  const options = readWriteOptions(asked, "CreateOptions");
  const { value, repeated } = readObjectBody(asked.request, definition);
  const sent = isOldEviction(value) ? { ...value, apiVersion: "policy/v1" } : value;
  return { sent: decodeSent(sent, definition, { ...options, repeated }), options };
}

/** Older clients evict in the words of an older version, which are the same. */
function isOldEviction(value: unknown): value is JsonObject {
  return isJsonObject(value) && value.kind === "Eviction" && value.apiVersion === "policy/v1beta1";
}

function answerStatus(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  switch (asked.request.method) {
    case "GET":
    case "HEAD":
      return objectAnswer(parts, asked, { status: 200, object: parts.api.get(addressOf(asked)) });
    case "PUT": {
      const options = readWriteOptions(asked, "UpdateOptions");
      const { value, repeated } = readObjectBody(asked.request, asked.definition);
      const object = parts.api.update(addressOf(asked), value, { ...options, repeated, subresource: "status" });
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
  const write = (scale: Draft, options: WriteOptions): ApiAnswer =>
    jsonAnswer(200, writeScale(parts.api, address, { scale, options }));
  switch (asked.request.method) {
    case "GET":
    case "HEAD":
      return jsonAnswer(200, readScale(parts.api.get(address), asked.definition));
    case "PUT": {
      const options = readWriteOptions(asked, "UpdateOptions");
      const { value, repeated } = readObjectBody(asked.request, scales);
      return write(decodeSent(value, scales, { ...options, repeated }), options);
    }
    case "PATCH": {
      const options = readWriteOptions(asked, "PatchOptions", patchErrors(asked, false));
      const scale = readScale(parts.api.get(address), asked.definition);
      return applyPatch({ ...asked, definition: scales }, options, (change, changeOptions) => {
        const changed = change(scale as unknown as Parameters<typeof change>[0], scales);
        return write(decodeObject(changed, scales, changeOptions), options);
      });
    }
    default:
      throw methodNotAllowed();
  }
}

/** The namespace controller says that it is done with a namespace. */
function answerFinalize(parts: ApiServerParts, asked: ResourceRequest): ApiAnswer {
  requireMethod(asked, "PUT");
  const { value, repeated } = readObjectBody(asked.request, asked.definition);
  const object = parts.api.update(addressOf(asked), value, { subresource: "finalize", repeated });
  return objectAnswer(parts, asked, { status: 200, object });
}
