import { parse } from "yaml";

/** What a release writes and runs, decided before anything is touched. */
export interface ReleasePlan {
  /** What is new in files that change, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly notes: string;
  readonly image: string;
}

/** Why there can be no release, and what to do about it. */
export class ReleaseError extends Error {}

export interface ReleaseRequest {
  readonly version: string;
  /** As in 2026-01-31. */
  readonly date: string;
  /** The text of a file of the repository. */
  readonly read: (path: string) => string;
}

export const charts = ["charts/karpenter", "charts/karpenter-crd"] as const;

export function planRelease({ version, date, read }: ReleaseRequest): ReleasePlan {
  const changelog = read("CHANGELOG.md");
  requireHigher(version, changelog, read("package.json"));
  const notes = unreleased(changelog);
  const unreleasedHeading = "## [Unreleased]\n";
  return {
    files: new Map([
      ["package.json", setVersion(read("package.json"), version, ["version"])],
      ["package-lock.json", setVersion(read("package-lock.json"), version, ["version", "packages..version"])],
      ...charts.map((chart) => [`${chart}/Chart.yaml`, setChartVersion(read(`${chart}/Chart.yaml`), version)] as const),
      ["CHANGELOG.md", changelog.replace(unreleasedHeading, `${unreleasedHeading}\n## [${version}] - ${date}\n`)],
    ]),
    notes,
    image: `${imageRepository(read("charts/karpenter/values.yaml"))}:${version}`,
  };
}

function requireHigher(version: string, changelog: string, manifest: string): void {
  const wanted = readVersion(version);
  if (wanted === undefined) throw new ReleaseError(`"${version}" is not a version: write three numbers, as in 1.2.3`);
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, text]) => text ?? "");
  const last = released
    .map((text) => readVersion(text) ?? [])
    .sort(compare)
    .at(-1);
  if (last !== undefined && compare(wanted, last) <= 0) {
    throw new ReleaseError(`${version} is not higher than ${last.join(".")}, which CHANGELOG.md says is released`);
  }
  // The version that package.json names may be the one that is being worked towards.
  const { version: current } = JSON.parse(manifest) as { version: string };
  if (compare(wanted, readVersion(current) ?? []) < 0) {
    throw new ReleaseError(`${version} is lower than ${current}, which package.json names`);
  }
}

function readVersion(text: string): readonly number[] | undefined {
  return /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(text) ? text.split(".").map(Number) : undefined;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const different = a.findIndex((number, index) => number !== b[index]);
  return different === -1 ? 0 : (a[different] ?? 0) - (b[different] ?? 0);
}

function unreleased(changelog: string): string {
  const section = /^## \[Unreleased\]\n(?<notes>.*?)(?=^## \[|$(?![\s\S]))/ms.exec(changelog);
  if (section === null) throw new ReleaseError('CHANGELOG.md has no section "## [Unreleased]": add it');
  const notes = section.groups?.notes?.trim() ?? "";
  if (!/^- /m.test(notes)) {
    throw new ReleaseError("CHANGELOG.md has nothing under Unreleased: say what a user can notice, or do not release");
  }
  return notes;
}

/** Changes the value at each path of a JSON file; its layout stays that of npm. */
function setVersion(text: string, version: string, paths: readonly string[]): string {
  const document = JSON.parse(text) as Record<string, unknown>;
  for (const path of paths) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let place = document;
    for (const key of keys) place = place[key] as Record<string, unknown>;
    place[last] = version;
  }
  return `${JSON.stringify(document, null, 2)}\n`;
}

function setChartVersion(text: string, version: string): string {
  let changed = text;
  for (const field of ["version", "appVersion"]) {
    const line = new RegExp(`^${field}: .*$`, "gm");
    if (changed.match(line)?.length !== 1)
      throw new ReleaseError(`a Chart.yaml needs one line with ${field}:\n${text}`);
    changed = changed.replace(line, `${field}: ${version}`);
  }
  return changed;
}

/** Where the chart takes the image from. */
function imageRepository(values: string): string {
  const { controller } = parse(values) as { controller: { image: { repository: string } } };
  return controller.image.repository;
}
