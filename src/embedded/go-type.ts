/** The Go type that the API server holds a JSON value in, as messages name it. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return "map[string]interface {}";
  }
}
