import { isInt64, renderFloat, renderNumber } from "./render-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A complaint about the value at the path, or one that the server gives no field. */
export type NumberProblem = { readonly message: string; readonly value: unknown } | { readonly loose: string };

/** What the bounds of the schema, and the range of its type, say about a number. */
export function numberProblems(schema: SchemaNode, value: number, path: string): NumberProblem[] {
  const { maximum, minimum, multipleOf, isMaximumExclusive, isMinimumExclusive } = schema.limits;
  const isInteger = isInt64(value);
  const bound = (limit: number): number => (isInteger && fits(schema, limit) ? Math.trunc(limit) : limit);
  const say = (limit: number): string => {
    return isInteger && fits(schema, limit) ? renderNumber(limit) : renderFloat(limit);
  };
  const problems: NumberProblem[] = rangeProblems(schema, { value, name: "Checked", path });
  const refuse = (detail: string): void => {
    problems.push({ message: `${path} in body should be ${detail}`, value });
  };
  if (multipleOf !== undefined) {
    problems.push(...rangeProblems(schema, { value: multipleOf, name: "MultipleOf", path }));
    const factor = bound(multipleOf);
    if (factor <= 0) {
      const message = `factor MultipleOf declared for ${path} must be positive: ${say(factor)}`;
      problems.push({ message, value: factor });
    } else if (!isMultiple(value, factor, isInteger)) refuse(`a multiple of ${say(factor)}`);
  }
  if (minimum !== undefined) {
    problems.push(...rangeProblems(schema, { value: minimum, name: "Minimum boundary", path }));
    const least = bound(minimum);
    if (value < least || (isMinimumExclusive && value === least)) {
      refuse(`${isMinimumExclusive ? "greater than" : "greater than or equal to"} ${say(least)}`);
    }
  }
  if (maximum !== undefined) {
    problems.push(...rangeProblems(schema, { value: maximum, name: "Maximum boundary", path }));
    const most = bound(maximum);
    if (value > most || (isMaximumExclusive && value === most)) {
      refuse(`${isMaximumExclusive ? "less than" : "less than or equal to"} ${say(most)}`);
    }
  }
  return problems;
}

interface Named {
  readonly value: number;
  readonly name: string;
  readonly path: string;
}

function rangeProblems(schema: SchemaNode, { value, name, path }: Named): NumberProblem[] {
  if (fits(schema, value)) return [];
  const format = schema.checkedFormat === "" ? "(default format)" : `with format ${schema.checkedFormat}`;
  return [{ loose: `${name} value must be of type ${schema.types[0] ?? ""} ${format} in ${path}` }];
}

/** Whether the number fits into the type and its format. */
function fits({ types, checkedFormat }: SchemaNode, value: number): boolean {
  if (types.length !== 1) return true;
  if (types[0] === "integer") return checkedFormat === "int32" ? value === (value | 0) : isInt64(value);
  return types[0] !== "number" || checkedFormat !== "float" || Number.isFinite(Math.fround(value));
}

function isMultiple(value: number, factor: number, isInteger: boolean): boolean {
  if (isInteger && Number.isInteger(factor)) return value % factor === 0;
  const ratio = factor < 1 ? (1 / factor) * value : value / factor;
  const difference = Math.abs(ratio - Math.trunc(ratio));
  return Math.abs(ratio) <= Number.MAX_SAFE_INTEGER && (difference === 0 || difference < 1e-9 * Math.abs(ratio));
}
