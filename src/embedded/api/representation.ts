import type { JsonObject } from "../../core/api/schema/json.ts";
import type { Column, ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { ApiError, badRequest } from "./api-error.ts";
import type { ResourceRequest } from "./api-server.ts";

/** How a client wants to see objects: whole, as rows of a table, or only their metadata. */
export interface Representation {
  readonly as: "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly isYaml: boolean;
  /** What a row of a table carries along. */
  readonly includeObject: string;
}

const json = "application/json";
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";

interface Accepted {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** What the client likes best comes first. */
function readAccept(accept: string): Accepted[] {
  const entries = accept.split(",").map((entry) => {
    const [type = "", ...rest] = entry.split(";").map((part) => part.trim());
    return { type, parameters: new Map(rest.map((parameter) => parameter.split("=", 2) as [string, string])) };
  });
  const weight = ({ parameters }: Accepted): number => Number(parameters.get("q") ?? 1);
  return entries.sort((a, b) => weight(b) - weight(a));
}

/** The first of the accepted forms that we can give; what we do not know is refused. */
export function readRepresentation({ request, target, definition }: ResourceRequest, isWatch = false): Representation {
  const includeObject = target.query.get("includeObject") ?? "";
  const accepted = readAccept(request.headers.accept || "*/*");
  const streams = isWatch ? [`${json};stream=watch`, `${protobuf};stream=watch`] : [];
  if (definition.typeName !== undefined) {
    refuseUnknownTypes(request.headers.accept, [json, yaml, protobuf, ...streams]);
  }
  for (const { type, parameters } of accepted) {
    if (![json, yaml, "*/*", "application/*"].includes(type)) continue;
    const as = parameters.get("as") ?? "object";
    const isYaml = type === yaml;
    if (as === "object") return { as, isYaml, includeObject };
    const isKnown = as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
    const isOurs = parameters.get("g") === "meta.k8s.io" && parameters.get("v") === "v1";
    // A watch sends one object after the other, never a list.
    const each = isWatch && as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : as;
    if (isKnown && isOurs) return { as: each as Representation["as"], isYaml, includeObject };
  }
  const known = definition.typeName === undefined ? [json, yaml] : [json, yaml, protobuf];
  throw notAcceptable(`only the following media types are accepted: ${known.join(", ")}`);
}

/** Most of the API is served by something that looks at types alone before anything else. */
export function refuseUnknownTypes(
  accept: string | undefined,
  known: readonly string[] = [json, yaml, protobuf],
): void {
  const accepted = readAccept(accept || "*/*");
  if (accepted.some(({ type }) => type === "*/*" || known.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${known.join(", ")}`;
  throw new ApiError(406, "NotAcceptable", message, {});
}

export function notAcceptable(message: string): ApiError {
  return new ApiError(406, "NotAcceptable", message);
}

/** As Go names the type of a kind inside the server. */
export function internalType({ group, kind, typeName }: ResourceDefinition): string {
  if (typeName === undefined) return "*unstructured.Unstructured";
  return `*${group === "" ? "core" : group.split(".")[0]}.${kind}`;
}

export function partialMetadata(object: KubeObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

/** The columns and a row for each object, as `kubectl get` prints them. */
export function tableOf(objects: readonly KubeObject[], definition: ResourceDefinition, look: TableLook): JsonObject {
  const { includeObject } = look;
  if (!["", "Metadata", "None", "Object"].includes(includeObject)) {
    const what = `includeObject: Invalid value: ${JSON.stringify(includeObject)}`;
    throw badRequest(
      `Unable to convert to Table as requested: ${what}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  const { columns, rowConditions } = definition;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: look.metadata,
    columnDefinitions: look.withColumns ? columns.map(columnDefinition) : null,
    rows: objects.map((object) => {
      const conditions = rowConditions?.(object) ?? [];
      return {
        cells: columns.map((column) => column.cell(object, look.now) ?? null),
        ...(conditions.length === 0 ? {} : { conditions }),
        object: includeObject === "None" ? null : includeObject === "Object" ? object : partialMetadata(object),
      };
    }),
  };
}

export interface TableLook {
  readonly metadata: JsonObject;
  readonly now: number;
  readonly includeObject: string;
  /** The first table of a stream has them, the others need not. */
  readonly withColumns: boolean;
}

function columnDefinition({ name, type, format, description, priority }: Column): JsonObject {
  return { name, type, format, description, priority };
}
