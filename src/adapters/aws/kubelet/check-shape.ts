import { Field } from "../../../core/api/field.ts";
import { describeProblem, ProblemLog } from "../../../core/api/problem.ts";
import { parseGoDuration } from "../../../core/model/go-duration.ts";
import { isQuantity } from "./kubelet-expressions.ts";
import type { Fields, Shape } from "./kubelet-fields.ts";

/** What is wrong with an object of these fields: those that nobody knows, and those of wrong types. */
export function checkFields(value: unknown, fields: Fields): string[] {
  const log = new ProblemLog("");
  checkShape(new Field(value, log), { fields });
  return log.problems.map(({ field, message }) => describeProblem({ object: field, field: "", message }).slice(0, -1));
}

/** Nothing is wrong with what is not there. */
function checkShape(field: Field, shape: Shape): void {
  if (field.isAbsent) return;
  if (typeof shape === "object") checkParts(field, shape);
  else if (!isOf(field.value, shape)) field.reject(expectations[shape]);
}

function checkParts(field: Field, shape: Exclude<Shape, string>): void {
  if ("list" in shape) for (const item of field.items()) checkShape(item, shape.list);
  else if ("map" in shape) for (const [, part] of field.entries()) checkShape(part, shape.map);
  else
    for (const [name, part] of field.entries())
      checkField(part, Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined);
}

function checkField(field: Field, shape: Shape | undefined): void {
  if (shape === undefined) field.note("is no field of a KubeletConfiguration: correct or remove it");
  else checkShape(field, shape);
}

type Simple = Extract<Shape, string>;

const expectations: Readonly<Record<Simple, string>> = {
  bool: "must be true or false",
  int32: "must be a whole number",
  uint32: "must be a whole number from 0",
  int64: "must be a whole number",
  number: "must be a number",
  string: "must be a string",
  duration: "must be a duration such as 1h30m",
  "duration or int64": "must be a duration such as 1h30m, or nanoseconds",
  quantity: "must be a quantity such as 100Mi",
  "int32 or expression": "must be a whole number, or an expression",
};

function isOf(value: unknown, shape: Simple): boolean {
  switch (shape) {
    case "bool":
      return typeof value === "boolean";
    case "int32":
      return isWhole(value, -(2 ** 31), 2 ** 31 - 1);
    case "uint32":
      return isWhole(value, 0, 2 ** 32 - 1);
    case "int64":
      return isWhole(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    case "number":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "duration":
      return isDuration(value);
    case "duration or int64":
      return isDuration(value) || isOf(value, "int64");
    case "quantity":
      return typeof value === "number" || (typeof value === "string" && isQuantity(value));
    case "int32 or expression":
      return typeof value === "string" || isOf(value, "int32");
  }
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

function isDuration(value: unknown): boolean {
  return typeof value === "string" && parseGoDuration(value) !== undefined;
}
