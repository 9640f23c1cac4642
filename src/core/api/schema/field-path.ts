import { type SchemaNode, valueSchemaOf } from "./schema-node.ts";

export type FieldPath =
  /** As the API server writes it: `spec.map[key]`. */
  { readonly path: string; readonly schema: SchemaNode | undefined } | { readonly error: string };

const escapes: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["'", "'"],
  ["\\", "\\"],
]);

/** Follows a path such as `.spec['a-b'].c` through the schema. */
export function resolveFieldPath(text: string, schema: SchemaNode, { allowsBrackets = true } = {}): FieldPath {
  const tokens = text.match(/'(?:[^']|(?<=\\)')*'|[.[\]]|[^.[\]]+/g) ?? [];
  let node: SchemaNode | undefined = schema;
  let path = "";
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index++] ?? "";
    if (token !== "." && token !== "[") return { error: `expected [ or . but got: ${token}` };
    if (token === "[" && !allowsBrackets) return { error: "array notation is not allowed" };
    const raw = tokens[index++];
    if (raw === undefined) return { error: "unexpected end of JSON path" };
    const name: string | { error: string } = token === "." ? raw : unquote(raw);
    if (typeof name !== "string") return name;
    if (node === undefined || (node.properties.size === 0 && node.additionalProperties === undefined)) {
      return { error: "does not refer to a valid field" };
    }
    const isNamed: boolean = node.properties.size > 0;
    if (isNamed && !node.properties.has(name)) return { error: "does not refer to a valid field" };
    path = isNamed ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`;
    node = isNamed ? node.properties.get(name) : valueSchemaOf(node);
    if (token === ".") continue;
    const end = tokens[index++];
    if (end === undefined) return { error: "unexpected end of JSON path" };
    if (end !== "]") return { error: `expected ] but got ${end}` };
  }
  return { path, schema: node };
}

function unquote(token: string): string | { error: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { error: `expected single quoted string but got ${token}` };
  }
  let stray: string | undefined;
  const text = token.slice(1, -1).replace(/\\(.)/gs, (written, sign: string) => {
    const meaning = escapes.get(sign);
    if (meaning === undefined) stray = written;
    return meaning ?? "";
  });
  return stray === undefined ? text : { error: `invalid string literal: invalid escape char ${stray}` };
}
