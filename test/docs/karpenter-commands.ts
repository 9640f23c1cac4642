import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./pages.ts";

/** Flags by command, those of its own commands among them. */
export type KarpenterCommands = ReadonlyMap<string, ReadonlySet<string>>;

/** What our own program says that it has. */
export async function describeCommands(): Promise<KarpenterCommands> {
  const names = commandsOf(await helpOf([]));
  return new Map(await Promise.all(names.map(async (name) => [name, new Set(await flagsOf(name))] as const)));
}

async function flagsOf(name: string): Promise<readonly string[]> {
  const text = await helpOf([name]);
  const inner = await Promise.all(commandsOf(text).map((one) => helpOf([name, one])));
  return [text, ...inner].flatMap((help) => help.match(/--[a-z][\w-]*/g) ?? []);
}

function commandsOf(help: string): readonly string[] {
  const [, list = ""] = /^Commands:\n([\s\S]*)$/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
}

async function helpOf(words: readonly string[]): Promise<string> {
  const main = join(root, "src/cli/main.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words, "--help"]);
  return stdout;
}
