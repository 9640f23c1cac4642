import type { FieldError } from "../field-error.ts";
import type { Correlation } from "./correlation.ts";
import { areEqual, isJsonObject, type JsonObject } from "./json.ts";
import { numberProblems } from "./number-problems.ts";
import { invalid, notSupported, required, tooLong, tooMany, wholeObject } from "./refusals.ts";
import { isInt64, quote, renderJson } from "./render-value.ts";
import type { SchemaNode } from "./schema-node.ts";
import { SchemaResult } from "./schema-result.ts";
import { hasFormat } from "./string-formats.ts";

/** Whether the text contains a match of the pattern, or what is wrong with the pattern. Must take time linear in the text. */
export type PatternMatcher = (pattern: string, text: string) => boolean | { readonly error: string };

export interface SchemaValidation {
  readonly schema: SchemaNode;
  readonly value: unknown;
  /** With what it was before: what is wrong in unchanged parts is tolerated. */
  readonly correlation?: Correlation | undefined;
  /** Before all paths; "" for whole objects. */
  readonly root: string;
  readonly matches: PatternMatcher;
}

/** What types, bounds, patterns and so on say about the value, in the words of kube-apiserver. */
export function validateSchema({ schema, value, correlation, root, matches }: SchemaValidation): FieldError[] {
  return new SchemaValidator(root, matches).validate({ schema, value, path: "", correlation }).errors;
}

/** A value on its way through the schema. */
interface Step {
  readonly schema: SchemaNode;
  readonly value: unknown;
  /** Relative to the root. */
  readonly path: string;
  readonly correlation: Correlation | undefined;
}

class SchemaValidator {
  readonly #root: string;
  readonly #matches: PatternMatcher;

  constructor(root: string, matches: PatternMatcher) {
    this.#root = root;
    this.#matches = matches;
  }

  validate(step: Step): SchemaResult {
    const result = this.#check(step);
    if (!result.isValid && step.correlation?.isUnchanged === true) result.forgive();
    return result;
  }

  /** Without tolerance for what did not change, which whole fields have, and nothing within an anyOf and its like. */
  #check(step: Step): SchemaResult {
    const result = new SchemaResult();
    const { schema, value } = step;
    if (value === null) {
      this.#checkType(step, result);
      this.#checkEnum(step, result);
      return result;
    }
    if (schema.types.length > 0 || schema.checkedFormat !== "") {
      this.#checkType(step, result);
      result.matches++;
    }
    this.#checkCombinations(step, result);
    if (typeof value === "string") this.#checkString(step, value, result);
    if (typeof value === "number") this.#checkNumber(step, value, result);
    if (Array.isArray(value)) this.#checkList(step, value, result);
    this.#checkEnum(step, result);
    if (isJsonObject(value)) this.#checkObject(step, value, result);
    result.matches += 3;
    return result;
  }

  #checkType({ schema, value, path }: Step, result: SchemaResult): void {
    const { types, checkedFormat } = schema;
    const found = kindOf(value);
    const refuse = (expected: string, actual: string): void => {
      const message = `${path} in body must be of type ${expected}: ${quote(actual)}`;
      result.add(message, { ...invalid(this.#fieldOf(path), actual, message), type: "typeInvalid" });
    };
    if (value === null) {
      if (types.length > 0 && !schema.isNullable) refuse(types.join(","), "null");
      else result.matches++;
      return;
    }
    const isText = found === "string" || found === "array";
    const isWholeFloat = found === "number" && Number.isSafeInteger(value) && types.includes("integer");
    const fits = types.includes(found) || isWholeFloat || (found === "integer" && types.includes("number"));
    const isNumeric = types.includes("number") || types.includes("integer");
    // A list passes where a text of some format is wanted: the server leaves it to the check of the format.
    if (fits || (isText && checkedFormat !== "" && !isNumeric)) result.matches++;
    else if (!isText && checkedFormat !== "") refuse(checkedFormat, formatOf(found));
    else refuse(types.join(","), found);
  }

  #checkCombinations(step: Step, result: SchemaResult): void {
    const { schema, path } = step;
    const alternative = (node: SchemaNode): SchemaResult =>
      this.#check({ ...step, schema: node, correlation: undefined });
    const name = quote(path);
    if (schema.anyOf.length > 0) {
      const { results, passed } = firstPassing(schema.anyOf.map((node) => () => alternative(node)));
      if (passed === undefined) {
        result.addLoose(`${name} must validate at least one schema (anyOf)`, this.#root);
        result.merge(nearest(results));
      } else result.merge(passed);
    }
    if (schema.oneOf.length > 0) {
      const results = schema.oneOf.map(alternative);
      const passed = results.filter((each) => each.isValid);
      const [only] = passed;
      if (only !== undefined && passed.length === 1) result.merge(only);
      else {
        const found = passed.length === 0 ? "Found none valid" : `Found ${passed.length} valid alternatives`;
        result.addLoose(`${name} must validate one and only one schema (oneOf). ${found}`, this.#root);
        if (passed.length === 0) result.merge(nearest(results));
      }
    }
    const all = schema.allOf.map(alternative);
    for (const each of all) result.merge(each);
    const failed = all.filter((each) => !each.isValid).length;
    if (failed > 0) {
      const none = failed === all.length ? ". None validated" : "";
      result.addLoose(`${name} must validate all the schemas (allOf)${none}`, this.#root);
    }
    if (schema.not !== undefined && alternative(schema.not).isValid) {
      result.addLoose(`${name} must not validate the schema (not)`, this.#root);
    }
    result.matches++;
  }

  #checkString({ schema, path }: Step, text: string, result: SchemaResult): void {
    result.matches++;
    const { maxLength, minLength } = schema.limits;
    const length = maxLength === undefined && minLength === undefined ? 0 : codePoints(text);
    const field = this.#fieldOf(path);
    if (maxLength !== undefined && length > maxLength) {
      result.add(`${path} in body should be at most ${maxLength} chars long`, tooLong(field, maxLength));
    } else if (minLength !== undefined && length < minLength) {
      this.#refuse(result, { path, value: text, detail: `should be at least ${minLength} chars long` });
    } else if (schema.pattern !== "") this.#checkPattern(schema.pattern, { path, text }, result);
    if (schema.checkedFormat === "") return;
    result.matches++;
    if (hasFormat(schema.checkedFormat, text)) return;
    const message = `${path} in body must be of type ${schema.checkedFormat}: ${quote(text)}`;
    result.add(message, { ...invalid(field, text, message), type: "typeInvalid" });
  }

  #checkPattern(pattern: string, { path, text }: { path: string; text: string }, result: SchemaResult): void {
    const isMatch = this.#matches(pattern, text);
    if (isMatch === true) return;
    const why = isMatch === false ? "" : `, but pattern is invalid: ${isMatch.error}`;
    this.#refuse(result, { path, value: text, detail: `should match '${pattern}${why}'` });
  }

  #checkNumber({ schema, path }: Step, value: number, result: SchemaResult): void {
    result.matches += 2;
    for (const problem of numberProblems(schema, value, path)) {
      if ("loose" in problem) result.addLoose(problem.loose, this.#root);
      else result.add(problem.message, invalid(this.#fieldOf(path), problem.value, problem.message));
    }
  }

  #checkList({ schema, path, correlation }: Step, items: readonly unknown[], result: SchemaResult): void {
    result.matches += 2;
    const { minItems, maxItems } = schema.limits;
    const itemSchema = schema.items;
    if (itemSchema !== undefined) {
      items.forEach((value, index) => {
        const step = { schema: itemSchema, value, path: `${path}[${index}]`, correlation: correlation?.index(index) };
        result.merge(this.validate(step));
      });
    }
    const size = items.length;
    if (minItems !== undefined && size < minItems) {
      this.#refuse(result, { path, value: size, detail: `should have at least ${minItems} items` });
    }
    if (maxItems !== undefined && size > maxItems) {
      const message = `${path} in body should have at most ${maxItems} items`;
      result.add(message, tooMany(this.#fieldOf(path), size, maxItems));
    }
    if (schema.isUnique && new Set(items.map(renderJson)).size < size) {
      this.#refuse(result, { path, value: "", detail: "shouldn't contain duplicates" });
    }
  }

  #checkEnum({ schema, value, path }: Step, result: SchemaResult): void {
    const choices = schema.enum;
    if (choices.length === 0) return;
    if (value !== null && choices.some((choice) => areEqual(choice, value))) return;
    const names = choices.map((choice) => (typeof choice === "string" ? choice : renderJson(choice)));
    result.add(`${path} in body should be one of ${names}`, notSupported(this.#fieldOf(path), value, names));
  }

  #checkObject({ schema, path, correlation }: Step, object: JsonObject, result: SchemaResult): void {
    result.matches++;
    const names = Object.keys(object);
    const { minProperties, maxProperties } = schema.limits;
    if (minProperties !== undefined && names.length < minProperties) {
      this.#refuse(result, { path, value: names.length, detail: `should have at least ${minProperties} properties` });
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      const message = `${path} in body should have at most ${maxProperties} properties`;
      result.add(message, tooMany(this.#fieldOf(path), names.length, maxProperties));
    }
    const below = (name: string, node: SchemaNode, place: string): void => {
      // Kind and version are the same before and after only because both were converted.
      const isTypeMeta = path === "" && this.#root === "" && (name === "kind" || name === "apiVersion");
      const child = isTypeMeta ? undefined : correlation?.key(name);
      result.merge(this.validate({ schema: node, value: object[name], path: place, correlation: child }));
    };
    const { additionalProperties } = schema;
    for (const name of names) {
      if (schema.properties.has(name)) continue;
      if (typeof additionalProperties === "object") below(name, additionalProperties, `${path}.${name}`);
      if (additionalProperties !== false) continue;
      const message = `${path}.${name} in body is a forbidden property`;
      result.add(message, invalid(this.#fieldOf(path), name, message));
    }
    for (const [name, node] of schema.properties) {
      if (Object.hasOwn(object, name)) below(name, node, path === "" ? name : `${path}.${name}`);
    }
    for (const name of schema.required) {
      const place = `${path}.${name}`;
      if (!Object.hasOwn(object, name)) result.add(`${place} in body is required`, required(this.#fieldOf(place)));
    }
  }

  #refuse(result: SchemaResult, { path, value, detail }: { path: string; value: unknown; detail: string }): void {
    const message = `${path} in body ${detail}`;
    result.add(message, invalid(this.#fieldOf(path), value, message));
  }

  /** Paths within maps at the root begin with a dot, fields do not. */
  #fieldOf(path: string): string {
    const name = path.replace(/^\./, "");
    if (this.#root === "") return name === "" ? wholeObject : name;
    return name === "" ? this.#root : `${this.#root}.${name}`;
  }
}

/** Alternatives after the first that passes are not looked at. */
function firstPassing(checks: readonly (() => SchemaResult)[]): { results: SchemaResult[]; passed?: SchemaResult } {
  const results: SchemaResult[] = [];
  for (const check of checks) {
    const result = check();
    if (result.isValid) return { results, passed: result };
    results.push(result);
  }
  return { results };
}

function nearest(results: readonly SchemaResult[]): SchemaResult {
  return results.reduce((best, each) => (each.matches > best.matches ? each : best));
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInt64(value) ? "integer" : "number";
  return typeof value;
}

function formatOf(kind: string): string {
  return kind === "integer" ? "int64" : kind === "number" ? "float64" : "";
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
