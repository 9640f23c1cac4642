import { parse, YAMLParseError } from "yaml";

/** Thrown for what is no YAML, in the words of the server's own reader where we know them. */
export class MalformedYaml extends Error {
  override readonly name = "MalformedYaml";
}

/** As the server reads YAML: by the older rules, and the last of two equal keys counts. */
export function readYaml(text: string): unknown {
  try {
    return parse(text, { version: "1.1", maxAliasCount: 100, uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) throw new MalformedYaml("exceeded max depth");
    throw new MalformedYaml(error instanceof YAMLParseError ? describe(error) : (error as Error).message);
  }
}

function describe({ code, message, linePos }: YAMLParseError): string {
  switch (code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return "mapping values are not allowed in this context";
    case "MISSING_CHAR":
      return `line ${linePos?.[0].line}: did not find expected node content`;
    case "TAB_AS_INDENT":
      return "found character that cannot start any token";
    default:
      return message.split("\n")[0] ?? "";
  }
}
