import type { SelectorExpression } from "../../core/model/selector.ts";
import { badRequest } from "./api-error.ts";

/** Whether an object with these labels is meant. */
export type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

type Test = (value: string | undefined) => boolean;

/** Reads a selector as a query carries it: `a=b,c!=d,e in (f,g),!h,i>5`. */
export function parseLabelSelector(text: string): LabelMatch {
  const tests = new SelectorReader(text).read();
  return (labels) => tests.every(({ key, test }) => test(Object.hasOwn(labels, key) ? labels[key] : undefined));
}

/** The selector of a workload or a budget, as objects carry it; absent selects nothing, empty everything. */
export function labelSelectorMatch(selector: LabelSelector | undefined): LabelMatch {
  if (selector === undefined) return () => false;
  const labelTests = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  return (labels) =>
    labelTests.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    expressions.every(({ key, operator, values = [] }) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return testOf(operator as SelectorExpression["operator"], values)(value);
    });
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

function testOf(operator: SelectorExpression["operator"], values: readonly string[]): Test {
  switch (operator) {
    case "In":
      return (value) => value !== undefined && values.includes(value);
    case "NotIn":
      return (value) => value === undefined || !values.includes(value);
    case "Exists":
      return (value) => value !== undefined;
    case "DoesNotExist":
      return (value) => value === undefined;
  }
}

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Splits a selector into words and reads one requirement after the other. */
class SelectorReader {
  readonly #words: string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(/==|!=|[=!,()<>]|[^\s=!,()<>]+/g) ?? [];
  }

  read(): { key: string; test: Test }[] {
    const tests: { key: string; test: Test }[] = [];
    if (this.#words.length === 0) return tests;
    for (;;) {
      tests.push(this.#requirement());
      if (this.#at >= this.#words.length) return tests;
      this.#expect(",", "expected: ',' or 'end of string'");
      if (this.#at >= this.#words.length) throw this.#error("found '', expected: identifier after ','");
    }
  }

  #requirement(): { key: string; test: Test } {
    const isAbsent = this.#peek() === "!";
    if (isAbsent) this.#at++;
    const key = this.#word("expected: !, identifier, or 'end of string'");
    this.#checkKey(key);
    if (isAbsent) return { key, test: testOf("DoesNotExist", []) };
    const operator = this.#peek();
    if (operator === undefined || operator === ",") return { key, test: testOf("Exists", []) };
    this.#at++;
    switch (operator) {
      case "=":
      case "==":
        return { key, test: testOf("In", [this.#value(key)]) };
      case "!=":
        return { key, test: testOf("NotIn", [this.#value(key)]) };
      case "in":
        return { key, test: testOf("In", this.#values(key)) };
      case "notin":
        return { key, test: testOf("NotIn", this.#values(key)) };
      case ">":
      case "<":
        return { key, test: this.#comparison(operator) };
      default:
        throw this.#error(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #comparison(operator: string): Test {
    const word = this.#word("expected: identifier");
    if (!/^-?\d+$/.test(word)) {
      throw badRequest(
        `unable to parse requirement: values[0]: Invalid value: "${word}": for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
    const bound = BigInt(word);
    return (value) => {
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      return operator === ">" ? BigInt(value) > bound : BigInt(value) < bound;
    };
  }

  /** The value of an equality may be empty. */
  #value(key: string): string {
    const word = this.#peek();
    if (word === undefined || word === ",") return "";
    this.#at++;
    return this.#checkValue(word, key);
  }

  #values(key: string): string[] {
    this.#expect("(", "expected: '('");
    const values: string[] = [];
    for (;;) {
      const word = this.#peek();
      if (word === undefined) throw this.#error("found '', expected: ',', ')' or identifier");
      this.#at++;
      if (word === ")") return values.length === 0 ? [""] : values;
      if (word !== ",") values.push(this.#checkValue(word, key));
    }
  }

  #peek(): string | undefined {
    return this.#words[this.#at];
  }

  #word(expected: string): string {
    const word = this.#peek();
    if (word === undefined || /^[=!,()<>]/.test(word)) throw this.#error(`found '${word ?? ""}', ${expected}`);
    this.#at++;
    return word;
  }

  #expect(word: string, expected: string): void {
    if (this.#peek() !== word) throw this.#error(`found '${this.#peek() ?? ""}', ${expected}`);
    this.#at++;
  }

  #error(what: string): Error {
    return badRequest(`unable to parse requirement: ${what}`);
  }

  #checkKey(key: string): void {
    const parts = key.split("/");
    const name = parts.at(-1) ?? "";
    const isGood =
      parts.length <= 2 &&
      name.length <= 63 &&
      namePattern.test(name) &&
      (parts.length === 1 || ((parts[0] ?? "").length <= 253 && prefixPattern.test(parts[0] ?? "")));
    if (!isGood) {
      throw badRequest(
        `unable to parse requirement: <nil>: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      );
    }
  }

  #checkValue(value: string, key: string): string {
    if (value.length > 63 || !namePattern.test(value)) {
      throw badRequest(
        `unable to parse requirement: values[0][${key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      );
    }
    return value;
  }
}
