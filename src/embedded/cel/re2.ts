import { RE2JS } from "re2js";
import type { PatternMatcher } from "../../core/api/schema/validate-schema.ts";

type Compiled = RE2JS | { readonly error: string };

/** Patterns come from definitions, of which there are few; whoever sends more than this only loses time. */
const mostPatterns = 1000;
const compiled = new Map<string, Compiled>();

/** In the syntax of Go, and in time linear in the text, whatever the pattern. */
export function compilePattern(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const fresh = compileAnew(pattern);
  if (compiled.size >= mostPatterns) compiled.clear();
  compiled.set(pattern, fresh);
  return fresh;
}

function compileAnew(pattern: string): Compiled {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

export function isCompiled(pattern: Compiled): pattern is RE2JS {
  return pattern instanceof RE2JS;
}

export const matchesPattern: PatternMatcher = (pattern, text) => {
  const regex = compilePattern(pattern);
  return isCompiled(regex) ? regex.matcher(text).find() : regex;
};
