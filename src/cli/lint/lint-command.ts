import { loadCatalogue } from "../ask/catalogue.ts";
import { CliError } from "../cli-error.ts";
import { readManifests } from "../read-manifests.ts";
import { type Style, styleFor } from "../style.ts";
import { wrap } from "../terminal/text-width.ts";
import type { Finding } from "./finding.ts";
import { type LintResult, lintManifests } from "./lint-manifests.ts";

export interface LintOptions {
  readonly file: readonly string[];
  readonly instanceTypes: string;
  readonly output?: "json";
}

/** Says what is wrong with manifests before a cluster does. The exit code is 1 when there are errors. */
export function runLint(options: LintOptions): number {
  const { wires, problems } = readManifests(options.file);
  const unread = problems.map(
    (problem): Finding => ({ severity: "error", object: "file", path: "", message: problem, fix: "correct the YAML" }),
  );
  const result = lintManifests(wires, {
    instanceTypes: loadCatalogue(options.instanceTypes),
    isOfEc2: options.instanceTypes === "aws",
    now: Date.now(),
  });
  if (result.objects === 0 && unread.length === 0) {
    throw new CliError(`Nothing of Karpenter's is in ${options.file.join(", ")}: give NodePools and node classes`);
  }
  const findings = [...unread, ...result.findings];
  const { stdout } = process;
  const width = stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY;
  const text =
    options.output === "json" ? toJson(findings) : describe({ ...result, findings }, styleFor(stdout), width);
  stdout.write(text);
  return findings.some(({ severity }) => severity === "error") ? 1 : 0;
}

function toJson(findings: readonly Finding[]): string {
  const { errors, warnings } = count(findings);
  return `${JSON.stringify({ errors, warnings, findings }, undefined, 2)}\n`;
}

function describe({ findings, objects, others }: LintResult, style: Style, width: number): string {
  const { errors, warnings } = count(findings);
  const lines = findings.map(({ severity, object, path, message, fix }) => {
    const word = severity === "error" ? style.red("error") : style.yellow("warning");
    const place = [style.bold(printable(object)), printable(path)].filter((part) => part !== "").join(": ");
    const advice = wrap(`${style.dim("fix:")} ${printable(fix)}`, width - 2).map((line) => `  ${line}`);
    return [...wrap(`${word} ${place} ${printable(message)}`, width), ...advice].join("\n");
  });
  const rest = others === 0 ? "" : `; ${counted(others, "other object")} not looked at`;
  const sum = `${counted(errors, "error")}, ${counted(warnings, "warning")} in ${counted(objects, "object")}${rest}`;
  return `${[...lines, ""].join("\n")}${errors > 0 ? style.red(sum) : style.green(sum)}\n`;
}

function count(findings: readonly Finding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: findings.length - errors };
}

/** Names come from files, and may hold what moves the cursor. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

function counted(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
