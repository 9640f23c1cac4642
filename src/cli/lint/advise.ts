import { nearestWord } from "./finding.ts";

/** What is wrong and what to do about it, neither in the words of the other. */
export interface Advice {
  readonly message: string;
  /** Undefined where the message says it all. */
  readonly fix: string | undefined;
}

interface Rule {
  readonly pattern: RegExp;
  readonly advise: (match: readonly string[]) => Advice;
}

/** Parts of the messages that an API server and our own reading of objects give. */
const rules: readonly Rule[] = [
  {
    pattern: /^(.*): ((?:set|write|remove|give|say) .*)$/,
    advise: ([, message = "", fix]) => ({ message, fix }),
  },
  {
    pattern: /^is refused: Unsupported value: "(.*)": supported values: (.*)$/,
    advise: ([, value = "", values = ""]) => oneOf([value], quotedIn(values)),
  },
  {
    pattern: /^must include one of ([^,]+(?:, [^,]+)*), found (.*)$/,
    advise: ([, values = "", found = ""]) => oneOf(quotedIn(found), values.split(", ")),
  },
  {
    pattern: /^is partly ignored: use ([^,]+(?:, [^,]+)*), not (.*)$/,
    advise: ([, values = "", found = ""]) => {
      const { message, fix } = oneOf(quotedIn(found), values.split(", "));
      return { message: `${message}, so it is ignored`, fix };
    },
  },
  {
    // Of quantities.
    pattern: /^is refused: Invalid value: (.*): \S+ in body should match '\^\(\\\+\|-\)\?\(\(\[0-9\]/,
    advise: ([, value = ""]) => ({
      message: `is ${value}, which is no amount`,
      fix: "write one such as 100, 500m or 64Gi",
    }),
  },
  {
    pattern: /^must not contradict each other/,
    advise: ([message = ""]) => ({ message, fix: "loosen one of those that speak of the same label" }),
  },
  {
    pattern: /^must not be (?:set|\S+): .*$/,
    advise: ([message = ""]) => ({ message, fix: "remove it" }),
  },
];

export function advise(message: string): Advice {
  for (const { pattern, advise: make } of rules) {
    const match = pattern.exec(message);
    if (match !== null) return make([message, ...match.slice(1)]);
  }
  return { message, fix: undefined };
}

function oneOf(found: readonly string[], values: readonly string[]): Advice {
  const meant = found.flatMap((value) => nearestWord(value, values) ?? []);
  return {
    message: `has ${found.join(" and ")}, which is none of ${values.join(", ")}`,
    fix: meant.length === found.length ? `did you mean ${meant.join(" and ")}?` : "use one of them",
  };
}

function quotedIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/"([^"]*)"/g), ([, value = ""]) => value);
}
