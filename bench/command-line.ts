// What the commands of the benchmarks have in common.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** Options, or all that is wrong with the arguments. */
export type Arguments<Options> = Options | { readonly problems: readonly string[] };

/** The values of these flags; none where the arguments have a mistake, which is added to the problems. */
export function parseFlags<const Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
  problems: string[],
): Partial<ReturnType<typeof parseArgs<{ options: Flags }>>["values"]> {
  try {
    return parseArgs({ args: [...args], options: flags }).values;
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return {};
  }
}

/** Reads the arguments of this process, and measures or says what is wrong with them. */
export async function runCommand<Options extends object>(
  readOptions: (args: readonly string[]) => Arguments<Options>,
  usage: string,
  measure: (options: Options) => Promise<void>,
): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (process.argv.includes("--help")) {
    console.log(usage);
  } else if ("problems" in options) {
    console.error(`${options.problems.join("\n")}\n\n${usage}`);
    process.exitCode = 2;
  } else {
    await measure(options);
  }
}

/** What is under way, in one line of a terminal that the next one takes the place of. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}
