import { isJsonObject, type JsonObject } from "../../../core/api/schema/json.ts";
import type { ResourceDefinition, ScalePaths } from "../../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { ApiError, invalid } from "../api-error.ts";
import { checkName } from "../check-write.ts";
import type { Address, ObjectApi } from "../object-api.ts";
import type { WriteOptions } from "../write-options.ts";

/** How many replicas somebody wants and has, whatever the kind. */
export function readScale(object: KubeObject, definition: ResourceDefinition): JsonObject {
  const paths = definition.scale as ScalePaths;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, paths.specReplicas);
  if (replicas === undefined && definition.typeName === undefined) {
    const message = `the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`;
    throw new ApiError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  const selector = paths.labelSelector === undefined ? undefined : selectorText(valueAt(object, paths.labelSelector));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === "number" && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: valueAt(object, paths.statusReplicas) ?? 0,
      ...(selector === undefined || selector === "" ? {} : { selector }),
    },
  };
}

/** Writes the replicas of a Scale into the object it belongs to. */
export function writeScale(
  api: ObjectApi,
  address: Address,
  write: { scale: Draft; options: WriteOptions },
): JsonObject {
  const { definition } = address;
  const { scale } = write;
  checkName(scale, address);
  const replicas = (scale.spec as { replicas?: number } | undefined)?.replicas ?? 0;
  if (replicas < 0) throw negative(replicas, address);
  const { resourceVersion = "" } = scale.metadata;
  const path = (definition.scale as ScalePaths).specReplicas;
  const changed = api.patch(
    address,
    (current) => {
      const object = withValueAt(current, path.split(".").slice(1), replicas);
      return resourceVersion === "" ? object : { ...object, metadata: { ...current.metadata, resourceVersion } };
    },
    write.options,
  );
  return readScale(changed, definition);
}

function negative(replicas: number, { definition, name }: Address): ApiError {
  const value = String(replicas);
  if (definition.typeName !== undefined) {
    const detail = "must be greater than or equal to 0";
    return invalid({ kind: "Scale", group: "autoscaling" }, name, [
      { type: "invalid", field: "spec.replicas", value, detail },
    ]);
  }
  const field = (definition.scale as ScalePaths).specReplicas;
  return invalid(definition, name, [{ type: "invalid", field, value, detail: "should be a non-negative integer" }]);
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const key of path.split(".").slice(1)) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}

function withValueAt(object: JsonObject, [key = "", ...rest]: readonly string[], value: unknown): JsonObject {
  if (rest.length === 0) return { ...object, [key]: value };
  const child = object[key];
  return { ...object, [key]: withValueAt(isJsonObject(child) ? child : {}, rest, value) };
}

/** A selector as one line: `a=b,c in (d,e)`. */
function selectorText(selector: unknown): string | undefined {
  if (typeof selector === "string") return selector;
  if (!isJsonObject(selector)) return undefined;
  const isPlain = !("matchLabels" in selector) && !("matchExpressions" in selector);
  const labels = isPlain ? selector : isJsonObject(selector.matchLabels) ? selector.matchLabels : {};
  const expressions = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : [];
  const terms = [
    ...Object.entries(labels).map(([key, value]) => ({ key, text: `${key}=${String(value)}` })),
    ...expressions.map(({ key, operator, values = [] }) => ({ key, text: expressionText(key, operator, values) })),
  ];
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ text }) => text)
    .join(",");
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${[...values].sort().join(",")})`;
  }
}
