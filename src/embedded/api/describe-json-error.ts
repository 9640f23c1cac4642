/** What is wrong with a text that is not JSON, in the words of a Go decoder. */
export function describeJsonError(text: string): string {
  return new JsonScanner(text).complaint() ?? "unexpected end of JSON input";
}

/** Reads JSON only to find where it goes wrong. */
class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  complaint(): string | undefined {
    try {
      this.#value(0);
      this.#space();
      if (this.#at < this.#text.length) this.#fail("after top-level value");
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #value(depth: number): void {
    if (depth > 5000) throw new Error("exceeded max depth");
    this.#space();
    const sign = this.#text[this.#at];
    if (sign === "{") this.#object(depth);
    else if (sign === "[") this.#array(depth);
    else if (sign === '"') this.#string();
    else if (sign === "t") this.#word("true");
    else if (sign === "f") this.#word("false");
    else if (sign === "n") this.#word("null");
    else this.#number();
  }

  #object(depth: number): void {
    this.#at++;
    this.#space();
    if (this.#take("}")) return;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
      this.#string();
      this.#space();
      if (!this.#take(":")) this.#fail("after object key");
      this.#value(depth + 1);
      this.#space();
      if (this.#take("}")) return;
      if (!this.#take(",")) this.#fail("after object key:value pair");
    }
  }

  #array(depth: number): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    for (;;) {
      this.#value(depth + 1);
      this.#space();
      if (this.#take("]")) return;
      if (!this.#take(",")) this.#fail("after array element");
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const sign = this.#text[this.#at];
      if (sign === undefined || sign < " ") this.#fail("in string literal");
      this.#at++;
      if (sign === '"') return;
      if (sign === "\\") {
        if (!'"\\/bfnrtu'.includes(this.#text[this.#at] ?? "x")) this.#fail("in string escape code");
        this.#at++;
      }
    }
  }

  #number(): void {
    const match = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(this.#text.slice(this.#at, this.#at + 400));
    if (match === null) this.#fail("looking for beginning of value");
    else this.#at += match[0].length;
  }

  #word(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.#text[this.#at] !== word[i]) this.#fail(`in literal ${word} (expecting '${word[i]}')`);
      this.#at++;
    }
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #fail(where: string): never {
    const sign = this.#text[this.#at];
    if (sign === undefined) throw new Error("unexpected end of JSON input");
    const shown = sign === "'" ? "'\\''" : sign === '"' ? `'"'` : `'${sign}'`;
    throw new Error(`invalid character ${shown} ${where}`);
  }
}
