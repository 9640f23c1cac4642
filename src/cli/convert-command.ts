import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { nameObject, openObject } from "../core/api/field.ts";
import { type Conversion, convertManifests } from "../core/api/legacy/convert-manifests.ts";
import { describeProblem, type Problem } from "../core/api/problem.ts";
import { validateCustomResource } from "../core/api/validate-custom-resource.ts";
import { validateNodePool } from "../core/api/validate-node-pool.ts";
import { celRules } from "../embedded/cel/cel-rules.ts";
import { matchesPattern } from "../embedded/cel/re2.ts";
import { CliError } from "./cli-error.ts";
import { readManifests } from "./read-manifests.ts";
import { styleFor } from "./style.ts";

export interface ConvertCommandOptions {
  readonly file: readonly string[];
  readonly outputDir?: string;
  readonly clusterName?: string;
  readonly kubernetesVersion?: string;
  /** False when `--no-webhook-defaults` is given. */
  readonly webhookDefaults: boolean;
}

/** Writes the v1 equivalents of manifests. The exit code is not zero when any object could not be converted. */
export function runConvert(options: ConvertCommandOptions): number {
  const { wires, problems } = readManifests(options.file);
  const conversion = convertManifests(wires, {
    clusterName: options.clusterName,
    webhookDefaults: options.webhookDefaults,
    ...(options.kubernetesVersion === undefined ? {} : { kubernetesVersion: options.kubernetesVersion }),
  });
  const judged = conversion.objects.map((object) => ({ object, problems: judge(object) }));
  const failed = new Set(judged.filter((one) => one.problems.length > 0).map(({ object }) => nodeClassNamed(object)));
  const heldBack = judged.flatMap(({ object }) => dependsOn(failed, object));
  const good = judged
    .filter((one) => one.problems.length === 0 && dependsOn(failed, one.object).length === 0)
    .map(({ object }) => object);
  if (options.outputDir === undefined) process.stdout.write(good.map(toYaml).join("---\n"));
  else writeFiles(options.outputDir, good);
  const all = [...conversion.problems, ...judged.flatMap((one) => one.problems), ...heldBack];
  report(conversion, [...problems, ...all.map(describeProblem)]);
  const lacksName = all.some(({ message }) => message.includes("the name of the cluster is known"));
  if (lacksName) process.stderr.write("The name of the cluster is given with --cluster-name NAME\n");
  if (options.outputDir !== undefined) process.stderr.write(`${good.length} objects are in ${options.outputDir}\n`);
  return problems.length + all.length > 0 ? 1 : 0;
}

/** What an API server, and then the controller, would refuse. */
function judge(object: object): readonly Problem[] {
  const refusals = validateCustomResource(object, { matches: matchesPattern, rules: celRules });
  const isPool = "kind" in object && object.kind === "NodePool";
  return refusals.length > 0 || !isPool ? refusals : validateNodePool(object).problems;
}

/** The name of a node class; undefined for anything else. */
function nodeClassNamed(object: object): string | undefined {
  const { kind, metadata } = object as { kind?: unknown; metadata?: { name?: unknown } };
  return kind === "EC2NodeClass" && typeof metadata?.name === "string" ? metadata.name : undefined;
}

/** That a pool has a node class which is not written; none for anything else. */
function dependsOn(failed: ReadonlySet<string | undefined>, object: object): readonly Problem[] {
  if (nodeClassNamed(object) !== undefined) return [];
  const pool = openObject(object, nameObject(object, "NodePool"));
  const reference = pool.at("spec").at("template").at("spec").at("nodeClassRef").at("name");
  if (typeof reference.value !== "string" || !failed.has(reference.value)) return [];
  const message = `is EC2NodeClass ${reference.value}, which has errors, so that neither is written: correct those first`;
  return [{ object: nameObject(object, "NodePool"), field: reference.path, message }];
}

function report({ notes }: Conversion, problems: readonly string[]): void {
  const { dim, yellow, red } = styleFor(process.stderr);
  for (const note of notes) {
    const word = note.kind === "changed" ? dim("changed") : yellow("dropped");
    process.stderr.write(`${word} ${printable(describeProblem(note))}\n`);
  }
  for (const problem of problems) process.stderr.write(`${red("error")}   ${printable(problem)}\n`);
}

/** Names come from files, and may hold what moves the cursor. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

function writeFiles(folder: string, objects: readonly object[]): void {
  const taken = new Set<string>();
  try {
    mkdirSync(folder, { recursive: true });
    for (const object of objects) {
      const base = fileNameOf(object);
      let name = base;
      for (let count = 2; taken.has(name); count++) name = `${base}-${count}`;
      taken.add(name);
      writeFileSync(join(folder, `${name}.yaml`), toYaml(object));
    }
  } catch (error) {
    throw new CliError(`Cannot write into "${folder}": ${(error as Error).message}.`);
  }
}

/** As in nodepool-default; whatever the object is called, it stays in its folder. */
function fileNameOf(object: object): string {
  const { kind, metadata } = object as { kind?: unknown; metadata?: { namespace?: unknown; name?: unknown } };
  const parts = [kind, metadata?.namespace, metadata?.name].filter((part) => typeof part === "string");
  const name = parts.join("-").toLowerCase();
  return name.replace(/[^a-z0-9.-]+/g, "_").slice(0, 200) || "object";
}

function toYaml(object: object): string {
  return stringify(object, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
}
