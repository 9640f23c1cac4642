import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { DecodeError } from "../schema/decode.ts";
import { decodeProtobuf } from "../schema/protobuf.ts";
import { badRequest } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";
import { hasBody, MalformedJson, mediaTypeOf, readBody, unsupportedMediaType } from "./read-body.ts";

const objectTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The object in the body of a create, update or delete. */
export function readObjectBody(request: ApiRequest, definition: ResourceDefinition): unknown {
  if (!hasBody(request)) return undefined;
  const mediaType = mediaTypeOf(request);
  if (mediaType === "application/vnd.kubernetes.protobuf" && definition.typeName !== undefined)
    return readProtobuf(request);
  if (mediaType !== "application/json" && mediaType !== "application/yaml") {
    throw unsupportedMediaType(definition.typeName === undefined ? objectTypes.slice(0, 2) : objectTypes);
  }
  try {
    return readBody(request, mediaType === "application/yaml");
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

function readProtobuf({ body }: ApiRequest): unknown {
  if (!(body instanceof Uint8Array)) throw badRequest("a protobuf message must be sent as bytes");
  try {
    return decodeProtobuf(body);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(error.message);
  }
}
