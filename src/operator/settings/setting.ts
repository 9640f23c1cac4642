import { quote } from "../../core/api/field.ts";
import { parseGoDuration } from "../../core/model/go-duration.ts";

/** One thing that can be set. */
export interface Setting<T> {
  /** Without the dashes. */
  readonly flag: string;
  readonly variable: string;
  readonly default: string;
  /** What to write, as in `port`. */
  readonly placeholder: string;
  readonly help: string;
  readonly parse: (text: string) => Parsed<T>;
}

/** Problems are worded to follow the name of the flag or variable. */
export type Parsed<T> = { readonly value: T; readonly warning?: string } | { readonly problems: readonly string[] };

type Words = Pick<Setting<never>, "flag" | "variable" | "help"> & { readonly default?: string };

export function text(words: Words & { readonly placeholder: string }): Setting<string> {
  return { default: "", ...words, parse: (value) => ({ value }) };
}

/** Parts between commas. */
export function list(words: Words & { readonly placeholder: string }): Setting<readonly string[]> {
  return {
    default: "",
    ...words,
    parse: (given) => ({
      value: given
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    }),
  };
}

/** As Go reads them: `1` and `t` do too. */
export function boolean(words: Words): Setting<boolean> {
  return {
    default: "false",
    ...words,
    placeholder: "true|false",
    parse: (given) => {
      if (/^(?:1|t|T|true|True|TRUE)$/.test(given)) return { value: true };
      if (/^(?:0|f|F|false|False|FALSE)$/.test(given)) return { value: false };
      return refuse("true or false", given);
    },
  };
}

export function choice<const Choice extends string>(
  words: Words & {
    readonly choices: readonly [Choice, ...Choice[]];
    /** Names that are accepted for a release, and what they mean now. */
    readonly retired?: Readonly<Record<string, Choice>>;
  },
): Setting<Choice> {
  const { choices, retired = {}, ...rest } = words;
  return {
    default: choices[0],
    ...rest,
    placeholder: choices.join("|"),
    parse: (given) => {
      const value = choices.find((known) => known === given);
      const replacement = Object.hasOwn(retired, given) ? retired[given] : undefined;
      if (replacement !== undefined)
        return { value: replacement, warning: `${given} is no longer supported and means ${replacement}: set that` };
      return value === undefined ? refuse(listChoices(choices), given) : { value };
    },
  };
}

export function integer(
  words: Words & { readonly placeholder: string; readonly min?: number; readonly max?: number },
): Setting<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, ...rest } = words;
  const range = words.max === undefined ? "" : ` from ${min} to ${max}`;
  return {
    default: "0",
    ...rest,
    parse: (given) => {
      const value = Number(given);
      const isValid = /^[+-]?\d+$/.test(given) && value >= min && value <= max;
      return isValid ? { value } : refuse(`a whole number${range}`, given);
    },
  };
}

/** In milliseconds, as is the least. */
export function duration(words: Words & { readonly min?: number }): Setting<number> {
  const { min = 0, ...rest } = words;
  const atLeast = min === 0 ? "" : ` and at least ${min / 1000}s`;
  return {
    default: "0s",
    ...rest,
    placeholder: "duration",
    parse: (given) => {
      const value = parseGoDuration(given);
      const isValid = value !== undefined && value >= min && Number.isFinite(value);
      return isValid ? { value } : refuse(`a duration such as 10s, 1m30s or 500ms${atLeast}`, given);
    },
  };
}

/** A share of one, as in `0.075`. */
export function fraction(words: Words): Setting<number> {
  return {
    default: "0",
    ...words,
    placeholder: "number",
    parse: (given) => {
      const value = Number(given);
      const isValid = /^\d*\.?\d+$/.test(given) && value >= 0 && value < 1;
      return isValid ? { value } : refuse("a number from 0 up to 1", given);
    },
  };
}

/** A URL in full, or nothing. */
export function address(words: Words): Setting<string> {
  return {
    default: "",
    ...words,
    placeholder: "url",
    parse: (given) =>
      given === "" || /^https?:/.test(URL.parse(given)?.href ?? "")
        ? { value: given }
        : refuse("a URL such as https://example.eks.amazonaws.com", given),
  };
}

/** A whole number of a hundred, as in `20%`. */
export function percentage(words: Words & { readonly min?: number; readonly max?: number }): Setting<number> {
  const { min = 0, max = 100, ...rest } = words;
  return {
    default: "0%",
    ...rest,
    placeholder: "percentage",
    parse: (given) => {
      const value = Number(given.slice(0, -1));
      const isValid = /^\d{1,6}%$/.test(given) && value >= min && value <= max;
      return isValid ? { value } : refuse(`a percentage from ${min}% to ${max}%`, given);
    },
  };
}

/** Milliseconds by name, as in `Ready=10m,DiskPressure=1h`. */
export function durations(words: Words & { readonly placeholder: string }): Setting<ReadonlyMap<string, number>> {
  return {
    default: "",
    ...words,
    parse: (given) => {
      const value = new Map<string, number>();
      for (const part of given.split(",").map((piece) => piece.trim())) {
        if (part === "") continue;
        const [name = "", ...rest] = part.split("=").map((piece) => piece.trim());
        const milliseconds = parseGoDuration(rest.join("="));
        const isValid = milliseconds !== undefined && milliseconds >= 0 && Number.isFinite(milliseconds);
        if (name === "" || !isValid) return refuse("a list such as Ready=10m,DiskPressure=1h", given);
        value.set(name, milliseconds);
      }
      return { value };
    },
  };
}

function refuse(expected: string, found: string): Parsed<never> {
  return { problems: [`must be ${expected}, found ${quote(found)}`] };
}

/** `a, b or c`. */
function listChoices(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join() : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
