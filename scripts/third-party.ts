// Writes down whose work the image bundles, and under which licence: `node scripts/third-party.ts > THIRD_PARTY.md`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The files with its licence and notices, below node_modules. */
  readonly texts: readonly string[];
}

/** Licences that ask for no more than that their text comes along, which it does. */
export const acceptedLicences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
]);

export function describeThirdParties(packages: readonly BundledPackage[]): string {
  const refused = packages.filter(({ license }) => !acceptedLicences.has(license));
  if (refused.length > 0) {
    const list = refused.map(({ name, license }) => `${name} (${license})`).join(", ");
    throw new Error(
      `Cannot bundle ${list}: not among the accepted licences. Read what they ask for, then see acceptedLicences`,
    );
  }
  const rows = packages.map(
    ({ name, version, license, texts }) =>
      `| ${name} | ${version} | ${license} | ${texts.map((text) => `node_modules/${text}`).join(", ")} |`,
  );
  return `# Third parties

This image bundles these packages, unchanged but for documents, types and tests. The text of each licence is in the file that is named; where none is, the package came without one, and the text of its licence is in a neighbour's.

| package | version | licence | text |
|---|---|---|---|
${rows.join("\n")}
`;
}

/** Those that are installed in a node_modules folder, by name. */
export function findBundled(modules: string, below = ""): BundledPackage[] {
  return readdirSync(join(modules, below), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap(({ name }) => {
      const place = join(below, name);
      if (name.startsWith("@")) return findBundled(modules, place);
      const nested = join(place, "node_modules");
      return [read(modules, place), ...(existsSync(join(modules, nested)) ? findBundled(modules, nested) : [])];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function read(modules: string, place: string): BundledPackage {
  const manifest: unknown = JSON.parse(readFileSync(join(modules, place, "package.json"), "utf8"));
  const { name, version, license } = manifest as { name: string; version: string; license?: string };
  const texts = readdirSync(join(modules, place)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  return { name, version, license: license ?? "unknown", texts: texts.map((file) => join(place, file)) };
}

if (import.meta.main) {
  process.stdout.write(describeThirdParties(findBundled(join(dirname(import.meta.dirname), "node_modules"))));
}
