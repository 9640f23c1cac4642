// Writes charts/karpenter/crds and the chart karpenter-crd from src/core/api/definitions: `npm run crds`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinitions } from "../src/core/api/definitions/custom-resource-definitions.ts";

const charts = join(import.meta.dirname, "..", "charts");
/** Helm installs those of the first and leaves them alone ever after; those of the second are renewed by an upgrade. */
export const crdFolders = [join(charts, "karpenter", "crds"), join(charts, "karpenter-crd", "templates")];

/** The text of every file, by its name. */
export function renderCrds(): ReadonlyMap<string, string> {
  return new Map(
    customResourceDefinitions.map((definition) => {
      const { group, names } = definition.spec;
      // Kubernetes reads YAML 1.1, where more words than true and false need quotes.
      const text = stringify(definition, { version: "1.1", lineWidth: 120, aliasDuplicateObjects: false });
      return [`${group}_${names.plural}.yaml`, `# Made by "npm run crds" from src/core/api/definitions.\n${text}`];
    }),
  );
}

if (import.meta.main) {
  const files = renderCrds();
  for (const folder of crdFolders) {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
  }
  console.log(`${files.size} files written to each of ${crdFolders.join(", ")}`);
}
