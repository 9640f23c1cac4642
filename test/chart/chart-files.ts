import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const chartFolder = join(import.meta.dirname, "../../charts/karpenter");
export const crdChartFolder = join(import.meta.dirname, "../../charts/karpenter-crd");

/** A rule of a role, as far as the chart uses them. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export type RuleFile = "core" | "aws" | "kwok" | "lease" | "dns";

export function readRules(file: RuleFile): readonly Rule[] {
  return parse(readFileSync(join(chartFolder, "rules", `${file}.yaml`), "utf8"));
}

/** What rules allow, one line each, as in "patch karpenter.sh nodepools/status", in order. */
export function permissionsOf(rules: readonly Rule[]): string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group} ${resource}`)),
      ),
    )
    .sort();
}

export function readChartYaml(path: string, folder = chartFolder): unknown {
  return parse(readFileSync(join(folder, path), "utf8"));
}

/** The variable of every setting that has a value of its own. */
export function readVariables(): Readonly<Record<string, string>> {
  return readTable("_settings.tpl", "variables") as Readonly<Record<string, string>>;
}

/** What a template defines as plain YAML. */
export function readTable(file: string, name: string): object | null {
  const text = readFileSync(join(chartFolder, "templates", file), "utf8");
  const [, table = ""] = new RegExp(`define "karpenter.${name}" -}}\\n([\\s\\S]*?)\\n\\{\\{- end`).exec(text) ?? [];
  return parse(table);
}
