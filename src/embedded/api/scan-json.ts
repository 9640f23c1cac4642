import { quote } from "../../core/api/schema/render-value.ts";

export interface ScannedJson {
  /** What is wrong with a text that is not JSON, in the words of a Go decoder. */
  readonly complaint?: string;
  /** Paths of fields that the text gives more than once, as in `spec.containers[0].name`. */
  readonly repeated: ReadonlySet<string>;
}

/** Looks for what a parser does not tell. */
export function scanJson(text: string): ScannedJson {
  const scanner = new JsonScanner(text);
  try {
    scanner.scan();
    return { repeated: scanner.repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { complaint: error.message, repeated: scanner.repeated };
  }
}

/** Nothing that is nested deeper is read: nobody writes it, and much of what follows is recursive. */
const deepest = 1000;

class JsonScanner {
  readonly repeated = new Set<string>();
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  #value(): void {
    this.#space();
    if (this.#path.length > deepest) this.#fail("exceeded max depth");
    const sign = this.#text[this.#at];
    if (sign === "{") this.#object();
    else if (sign === "[") this.#array();
    else if (sign === '"') this.#string();
    else if (sign === "t") this.#word("true");
    else if (sign === "f") this.#word("false");
    else if (sign === "n") this.#word("null");
    else this.#number();
  }

  #object(): void {
    this.#at++;
    this.#space();
    if (this.#take("}")) return;
    const keys = new Set<string>();
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
      const start = this.#at;
      this.#string();
      const key = unquote(this.#text.slice(start, this.#at));
      this.#path.push(key);
      if (keys.has(key)) this.repeated.add(this.#shownPath());
      keys.add(key);
      this.#space();
      if (!this.#take(":")) this.#fail("after object key");
      this.#value();
      this.#path.pop();
      this.#space();
      if (this.#take("}")) return;
      if (!this.#take(",")) this.#fail("after object key:value pair");
    }
  }

  #array(): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    for (let i = 0; ; i++) {
      this.#path.push(i);
      this.#value();
      this.#path.pop();
      this.#space();
      if (this.#take("]")) return;
      if (!this.#take(",")) this.#fail("after array element");
    }
  }

  #string(): void {
    const text = this.#text;
    for (let i = this.#at + 1; ; i++) {
      const code = text.charCodeAt(i);
      if (code === 0x22) {
        this.#at = i + 1;
        return;
      }
      if (code === 0x5c) {
        i++;
        this.#at = i;
        if (text[i] === "u") {
          for (let digit = 0; digit < 4; digit++) {
            this.#at = ++i;
            if (!/[0-9a-fA-F]/.test(text[i] ?? "")) this.#fail("in \\u hexadecimal character escape");
          }
        } else if (!'"\\/bfnrt'.includes(text[i] ?? "x")) this.#fail("in string escape code");
      } else if (!(code >= 0x20)) {
        this.#at = i;
        this.#fail("in string literal");
      }
    }
  }

  #number(): void {
    const isNegative = this.#take("-");
    if (!this.#take("0") && !this.#digits())
      this.#fail(isNegative ? "in numeric literal" : "looking for beginning of value");
    if (this.#take(".") && !this.#digits()) this.#fail("after decimal point in numeric literal");
    if (!this.#take("e") && !this.#take("E")) return;
    if (!this.#take("+")) this.#take("-");
    if (!this.#digits()) this.#fail("in exponent of numeric literal");
  }

  #digits(): boolean {
    const start = this.#at;
    for (let code = this.#code(); code >= 0x30 && code <= 0x39; code = this.#code()) this.#at++;
    return this.#at > start;
  }

  #word(word: string): void {
    for (const sign of word) {
      if (this.#text[this.#at] !== sign) this.#fail(`in literal ${word} (expecting '${sign}')`);
      this.#at++;
    }
  }

  #space(): void {
    for (
      let code = this.#code();
      code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
      code = this.#code()
    ) {
      this.#at++;
    }
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #shownPath(): string {
    return this.#path.map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`)).join("");
  }

  #fail(where: string): never {
    // At the end of the text the reader is given a last space, which some places cannot take.
    const sign = this.#text[this.#at] ?? (/^(in|after decimal) (?!string literal)/.test(where) ? " " : undefined);
    if (sign === undefined) throw new SyntaxError("unexpected end of JSON input");
    const shown = sign === "'" ? "\\'" : sign === '"' ? '"' : quote(sign).slice(1, -1);
    throw new SyntaxError(`invalid character '${shown}' ${where}`);
  }
}

function unquote(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
