// Tools that ship one binary package per platform leave gaps in package-lock.json when the registry at hand lacks
// some of the platforms, and `npm ci` refuses a lock file with gaps. Run this after every `npm install` of something
// new; `--check` only reports.
import { readFileSync, writeFileSync } from "node:fs";

export interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

/** The entries that the lock file lacks, by their place in node_modules. */
export function findGaps(lockfile: Lockfile): Map<string, LockedPackage> {
  const gaps = new Map<string, LockedPackage>();
  for (const [place, entry] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(lockfile, place, name)) continue;
      gaps.set(`node_modules/${name}`, {
        version,
        ...platformOf(name),
        ...(entry.dev === true ? { dev: true } : {}),
        optional: true,
      });
    }
  }
  return gaps;
}

/** Places whose entry names a registry; the lock file must serve behind any mirror. */
export function findResolved(lockfile: Lockfile): string[] {
  return Object.entries(lockfile.packages).flatMap(([place, entry]) => (entry.resolved === undefined ? [] : [place]));
}

export function mend(lockfile: Lockfile): Lockfile {
  const [[root, rootEntry] = ["", {}], ...rest] = Object.entries(lockfile.packages);
  const byPlace = (a: [string, unknown], b: [string, unknown]) => a[0].localeCompare(b[0], "en");
  const entries = [...rest, ...findGaps(lockfile)]
    .map(([place, { resolved: _, ...entry }]): [string, LockedPackage] => [place, entry])
    .sort(byPlace);
  return { ...lockfile, packages: Object.fromEntries([[root, rootEntry], ...entries]) };
}

function isLocked(lockfile: Lockfile, place: string, name: string): boolean {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const candidate = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lockfile.packages[candidate] !== undefined) return true;
    if (folder === "") return false;
  }
}

const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "aix", "win32"];
const processors = ["x64", "arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32"];

/** Read from the name, as in `@biomejs/cli-linux-x64-musl`. */
function platformOf(name: string): Pick<LockedPackage, "os" | "cpu" | "libc"> {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined) {
    throw new Error(`Cannot mend package-lock.json: the name of "${name}" does not tell its platform; add it by hand`);
  }
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : words.includes("gnu") ? "glibc" : undefined;
  return { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) };
}

if (import.meta.main) {
  const path = new URL("../package-lock.json", import.meta.url);
  const lockfile = JSON.parse(readFileSync(path, "utf8")) as Lockfile;
  const gaps = [...findGaps(lockfile).keys()];
  const resolved = findResolved(lockfile);
  if (gaps.length + resolved.length === 0) {
    console.log("package-lock.json is complete");
  } else if (process.argv.includes("--check")) {
    for (const place of gaps) console.error(`package-lock.json lacks ${place}`);
    for (const place of resolved) console.error(`package-lock.json names a registry for ${place}`);
    console.error('Run "node scripts/mend-lockfile.ts"');
    process.exitCode = 1;
  } else {
    writeFileSync(path, `${JSON.stringify(mend(lockfile), null, 2)}\n`);
    console.log(`package-lock.json: added ${gaps.length} entries, cleaned ${resolved.length}`);
  }
}
