// The commands in shell blocks, as far as can be told without running them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./pages.ts";

/** The words of a command, without quotes and without what is redirected. */
export type Words = readonly string[];

/** The commands of a script, one list of words each. It reads text, not syntax, and knows no more than documents need. */
export function commandsIn(script: string): readonly Words[] {
  const lines = withoutHeredocs(script)
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, ""));
  return lines
    .flatMap((line) => splitCommands(line))
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

/** Texts between `<<END` and `END`. */
export function heredocsIn(script: string): readonly string[] {
  return [...script.matchAll(/<<-?'?(\w+)'?[^\n]*\n([\s\S]*?)\n\1\n/g)].map(([, , text = ""]) => `${text}\n`);
}

function withoutHeredocs(script: string): string {
  return script.replaceAll(/<<-?'?(\w+)'?([^\n]*\n)[\s\S]*?\n\1\n/g, "$2");
}

/** What stands between `|`, `;`, `&&` and within `$(…)`, where it is not quoted. */
function splitCommands(line: string): readonly string[] {
  const inner = [...line.matchAll(/\$\(([^()]*)\)/g)].map(([, text = ""]) => text);
  const outer = line.replaceAll(/\$\([^()]*\)/g, "VALUE");
  const parts = outer.match(/(?:'[^']*'|"[^"]*"|[^|;&'"])+/g) ?? [];
  return [...parts, ...inner.flatMap((text) => splitCommands(text))];
}

function wordsOf(command: string): Words {
  const words = [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ""));
  const plain = words.filter((word) => !/^[<>]|^\d>/.test(word));
  // Variables that are set for the command, and words before it: of the shell, and of create.sh.
  const start = plain.findIndex(
    (word) => !/^\w+=/.test(word) && !["then", "do", "else", "if", "!", "{", "ensure"].includes(word),
  );
  return start < 0 ? [] : plain.slice(start);
}

/** Long flags, without their values. */
export function flagsOf(words: Words): readonly string[] {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).flatMap((word) => /^--[a-z][\w-]*/.exec(word)?.[0] ?? []);
}

/** Files of this repository that a command names, and that are not there. */
export function missingFiles(words: Words): readonly string[] {
  return words
    .map((word) => word.replace(/^(?:file:\/\/|--[\w-]+=)/, ""))
    .filter((word) => /^(?:docs|charts|src|test|bench|scripts|bin)\/[\w./-]+$/.test(word))
    .filter((word) => !existsSync(join(root, word)));
}
