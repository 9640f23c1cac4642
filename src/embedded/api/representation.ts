import type { Column, ResourceDefinition } from "../kinds/resource-definition.ts";
import type { JsonObject, KubeObject } from "../kube-object.ts";
import { ApiError } from "./api-error.ts";

/** How a client wants to see objects: whole, as rows of a table, or only their metadata. */
export interface Representation {
  readonly as: "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** What a row of a table carries along. */
  readonly includeObject: "Metadata" | "None" | "Object";
}

const mediaTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The first of the accepted forms that we can give; what we do not know is refused. */
export function readRepresentation(accept: string | undefined, query: URLSearchParams): Representation {
  const includeObject = query.get("includeObject");
  const include = includeObject === "None" || includeObject === "Object" ? includeObject : "Metadata";
  for (const entry of (accept ?? "*/*").split(",")) {
    const [type = "", ...parameters] = entry.split(";").map((part) => part.trim());
    if (!["application/json", "*/*", "application/*"].includes(type)) continue;
    const named = new Map(parameters.map((parameter) => parameter.split("=", 2) as [string, string]));
    const as = named.get("as");
    if (as === undefined) return { as: "object", includeObject: include };
    const isKnown = as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
    if (isKnown && named.get("g") === "meta.k8s.io" && named.get("v") === "v1") return { as, includeObject: include };
  }
  throw notAcceptable();
}

export function notAcceptable(): ApiError {
  return new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${mediaTypes.join(", ")}`);
}

export function partialMetadata(object: KubeObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

/** The columns and a row for each object, as `kubectl get` prints them. */
export function tableOf(objects: readonly KubeObject[], definition: ResourceDefinition, look: TableLook): JsonObject {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: look.metadata,
    ...(look.withColumns
      ? { columnDefinitions: definition.columns.map(columnDefinition) }
      : { columnDefinitions: null }),
    rows: objects.map((object) => ({
      cells: definition.columns.map((column) => column.cell(object, look.now) ?? null),
      ...(look.includeObject === "None"
        ? {}
        : { object: look.includeObject === "Object" ? object : partialMetadata(object) }),
    })),
  };
}

export interface TableLook {
  readonly metadata: JsonObject;
  readonly now: number;
  readonly includeObject: Representation["includeObject"];
  /** The first table of a stream has them, the others need not. */
  readonly withColumns: boolean;
}

function columnDefinition({ name, type, format, description, priority }: Column): JsonObject {
  return { name, type, format, description, priority };
}
