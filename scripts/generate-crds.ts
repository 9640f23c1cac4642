// Writes charts/karpenter/crds from src/core/api/definitions: `npm run crds`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { customResourceDefinitions } from "../src/core/api/definitions/custom-resource-definitions.ts";

export const crdFolder = join(import.meta.dirname, "..", "charts", "karpenter", "crds");

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
  mkdirSync(crdFolder, { recursive: true });
  for (const name of readdirSync(crdFolder)) if (!files.has(name)) rmSync(join(crdFolder, name));
  for (const [name, text] of files) writeFileSync(join(crdFolder, name), text);
  console.log(`${files.size} files written`);
}
