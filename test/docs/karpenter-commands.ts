import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./pages.ts";

/** Flags by command. */
export type KarpenterCommands = ReadonlyMap<string, ReadonlySet<string>>;

/** What our own program says that it has. */
export async function describeCommands(): Promise<KarpenterCommands> {
  const overview = await helpOf([]);
  const [, list = ""] = /^Commands:\n([\s\S]*)$/m.exec(overview) ?? [];
  const names = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const texts = await Promise.all(names.map((name) => helpOf([name])));
  return new Map(names.map((name, index) => [name, new Set((texts[index] ?? "").match(/--[a-z][\w-]*/g))]));
}

async function helpOf(words: readonly string[]): Promise<string> {
  const main = join(root, "src/cli/main.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words, "--help"]);
  return stdout;
}
