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

/** The one value that the selector requires of a field, if it does. */
export function requiredValue(text: string, field: string): string | undefined {
  for (const term of text.split(",")) {
    const match = /^([^=!]+)==?(.*)$/.exec(term);
    if (match !== null && match[1] === field) return match[2];
  }
  return undefined;
}

function fieldsOf(object: KubeObject, definition: ResourceDefinition): Readonly<Record<string, string>> {
  return {
    ...definition.selectableFields?.(object),
    "metadata.name": object.metadata.name,
    "metadata.namespace": object.metadata.namespace ?? "",
  };
}

function readTerm(term: string, text: string, definition: ResourceDefinition) {
  const match = /^(.*?)(==|!=|=)(.*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, field = "", operator = "", value = ""] = match;
  const nothing = {
    apiVersion: "",
    kind: "",
    metadata: { name: "", uid: "", resourceVersion: "", creationTimestamp: "" },
  };
  if (!Object.hasOwn(fieldsOf(nothing, definition), field)) {
    throw badRequest(
      definition.typeName === undefined ? `field label not supported: ${field}` : `field label not supported: ${field}`,
    );
  }
  return { field, value: value.replace(/\\(.)/g, "$1"), isEqual: operator !== "!=" };
}
