import { labelValueProblems, qualifiedNameProblems } from "../kinds/value-rules.ts";
import { badRequest } from "./api-error.ts";

export interface SelectorTerm {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values: readonly string[];
}

const operators: ReadonlyMap<string, SelectorTerm["operator"]> = new Map([
  ["=", "In"],
  ["==", "In"],
  ["in", "In"],
  ["!=", "NotIn"],
  ["notin", "NotIn"],
  [">", "Gt"],
  ["<", "Lt"],
]);

/** Reads a label selector as a query carries it: `a=b,c!=d,e in (f,g),!h,i>5`. */
export function readSelector(text: string): SelectorTerm[] {
  return new SelectorReader(text).read();
}

/** Splits a selector into words and reads one term after the other. */
class SelectorReader {
  readonly #words: string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(/==|!=|[=!,()<>]|[^\s=!,()<>]+/g) ?? [];
  }

  read(): SelectorTerm[] {
    const terms: SelectorTerm[] = [];
    while (this.#next() !== "") {
      if (!this.#startsTerm()) throw this.#unexpected(", expected: !, identifier, or 'end of string'");
      terms.push(this.#term());
      if (this.#next() === "") break;
      if (this.#next() !== ",") throw this.#unexpected(", expected: ',' or 'end of string'");
      this.#at++;
      if (!this.#startsTerm()) throw this.#unexpected(", expected: identifier after ','");
    }
    return terms;
  }

  #term(): SelectorTerm {
    const isAbsent = this.#next() === "!";
    if (isAbsent) this.#at++;
    const key = this.#identifier();
    const problems = qualifiedNameProblems(key);
    if (problems.length > 0) throw badTerm(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join("; ")}`);
    if (isAbsent) return { key, operator: "DoesNotExist", values: [] };
    if (this.#next() === "" || this.#next() === ",") return { key, operator: "Exists", values: [] };
    const word = this.#next();
    const operator = operators.get(word);
    if (operator === undefined) throw this.#badWord(", expected: in, notin, =, ==, !=, gt, lt");
    this.#at++;
    const values = word === "in" || word === "notin" ? this.#list() : [this.#value()];
    return checked({ key, operator, values: [...new Set(values)].sort() });
  }

  /** The value of an equality may be empty. */
  #value(): string {
    return this.#next() === "" || this.#next() === "," ? "" : this.#identifier();
  }

  #list(): string[] {
    if (this.#next() !== "(") throw this.#badWord(" expected: '('");
    this.#at++;
    const values: string[] = [];
    if (this.#next() === ")") {
      this.#at++;
      return values;
    }
    if (!this.#isIdentifier() && this.#next() !== ",") throw this.#badWord(", expected: ',', ')' or identifier");
    for (;;) {
      values.push(this.#isIdentifier() ? this.#identifier() : "");
      if (this.#next() === ")") break;
      if (this.#next() !== ",") throw this.#badWord(", expected: ',' or ')'");
      this.#at++;
    }
    this.#at++;
    return values;
  }

  /** Empty at the end. */
  #next(): string {
    return this.#words[this.#at] ?? "";
  }

  #isIdentifier(): boolean {
    return /^[^=!,()<>]/.test(this.#next());
  }

  #startsTerm(): boolean {
    return this.#isIdentifier() || this.#next() === "!";
  }

  #identifier(): string {
    if (!this.#isIdentifier()) throw this.#badWord(", expected: identifier");
    return this.#words[this.#at++] ?? "";
  }

  #badWord(expected: string): Error {
    return badTerm(`found '${this.#next()}'${expected}`);
  }

  #unexpected(expected: string): Error {
    return badRequest(`found '${this.#next()}'${expected}`);
  }
}

function checked(term: SelectorTerm): SelectorTerm {
  const { key, operator, values } = term;
  values.forEach((value, i) => {
    const shown = `Invalid value: ${JSON.stringify(value)}`;
    if ((operator === "Gt" || operator === "Lt") && !/^[+-]?\d+$/.test(value)) {
      throw badTerm(`values[${i}]: ${shown}: for 'Gt', 'Lt' operators, the value must be an integer`);
    }
    const problems = labelValueProblems(value);
    if (problems.length > 0) throw badTerm(`values[${i}][${key}]: ${shown}: ${problems.join("; ")}`);
  });
  return term;
}

function badTerm(what: string): Error {
  return badRequest(`unable to parse requirement: ${what}`);
}
