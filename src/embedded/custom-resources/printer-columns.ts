import type { CustomResourceColumnDefinition } from "kubernetes-types/apiextensions/v1.js";
import { renderFloat, renderJson, renderNumber } from "../../core/api/schema/render-value.ts";
import { humanDuration } from "../kinds/human-duration.ts";
import type { Column } from "../kinds/resource-definition.ts";
import { type JsonPath, parseJsonPath } from "./json-path.ts";

const nameDescription =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

const ageDescription =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const defaultColumns: readonly CustomResourceColumnDefinition[] = [
  { name: "Age", type: "date", description: ageDescription, jsonPath: ".metadata.creationTimestamp" },
];

/** The columns of `kubectl get` for custom objects: their name, then what the definition says, or else their age. */
export function printerColumns(definitions: readonly CustomResourceColumnDefinition[] | undefined): readonly Column[] {
  const wanted = definitions === undefined || definitions.length === 0 ? defaultColumns : definitions;
  const name: Column = {
    name: "Name",
    type: "string",
    format: "name",
    description: nameDescription,
    priority: 0,
    cell: (object) => object.metadata.name,
  };
  const columns = wanted.map(columnOf);
  // A path that cannot be read costs all columns but the name.
  return columns.includes(undefined) ? [name] : [name, ...columns.filter((column) => column !== undefined)];
}

function columnOf(definition: CustomResourceColumnDefinition): Column | undefined {
  const path = parseJsonPath(definition.jsonPath);
  if (path === undefined) return undefined;
  const description =
    definition.description || `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`;
  return {
    name: definition.name,
    type: definition.type as Column["type"],
    format: (definition.format ?? "") as Column["format"],
    description,
    priority: definition.priority ?? 0,
    cell: (object, now) => cellOf({ type: definition.type, path, now }, object),
  };
}

interface Cell {
  readonly type: string;
  readonly path: JsonPath;
  readonly now: number;
}

function cellOf({ type, path, now }: Cell, object: unknown): unknown {
  const [value] = path(object);
  if (value === undefined) return null;
  if (type === "string") return renderText(value);
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageOf(value, now) : null;
    default:
      return null;
  }
}

function ageOf(timestamp: string, now: number): string {
  if (timestamp === "" || timestamp === "null") return "<unknown>";
  const then = /^\d{4}-\d\d-\d\dT/.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(then) ? "<invalid>" : humanDuration(now - then);
}

/** As a template would print it. */
function renderText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isInteger(value) ? renderNumber(value) : renderFloat(value);
  return value === null ? "<no value>" : renderJson(value);
}
