import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { badRequest } from "./api-error.ts";

/** Reads a field selector as a query carries it: `spec.nodeName=a,status.phase!=Running`. */
export function parseFieldSelector(text: string, definition: ResourceDefinition): (object: KubeObject) => boolean {
  const terms = text
    .split(/(?<!\\),/)
    .filter((term) => term !== "")
    .map((term) => readTerm(term, text, definition));
  if (terms.length === 0) return () => true;
  return (object) => {
    const fields = fieldsOf(object, definition);
    return terms.every(({ field, value, isEqual }) => ((fields[field] ?? "") === value) === isEqual);
  };
}

function fieldsOf(object: KubeObject, definition: ResourceDefinition): Readonly<Record<string, string>> {
  return {
    ...definition.selectableFields?.(object),
    "metadata.name": object.metadata.name,
    "metadata.namespace": object.metadata.namespace ?? "",
  };
}

const nothing: KubeObject = {
  apiVersion: "",
  kind: "",
  metadata: { name: "", uid: "", resourceVersion: "", creationTimestamp: "" },
};

function readTerm(term: string, text: string, definition: ResourceDefinition) {
  const match = /^(.*?)(==|!=|=)(.*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, field = "", operator = "", value = ""] = match;
  if (!Object.hasOwn(fieldsOf(nothing, definition), field)) throw unknownField(field, definition);
  return { field, value: value.replace(/\\(.)/g, "$1"), isEqual: operator !== "!=" };
}

/** Kinds with fields of their own have words of their own too. */
function unknownField(field: string, { typeName, selectableFields }: ResourceDefinition): Error {
  const isPlain = typeName !== undefined && selectableFields === undefined;
  return badRequest(
    isPlain
      ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}
