import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { generateScenario } from "../../../bench/scenarios.ts";
import type { Findings } from "../chart/findings.ts";
import { mustRun, run } from "./run.ts";

const root = join(import.meta.dirname, "../../..");
/** What package.json says is enough. */
const oldestNode = "22.19.0";

/** Packs the package, installs it in empty folders as others would, and runs it there. */
export async function tryPackage(folder: string, findings: Findings, progress: (line: string) => void): Promise<void> {
  await mustRun(["npm", "pack", "--pack-destination", folder], { folder: root });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  await mustRun(["npm", "init", "--yes"], { folder });
  await mustRun(["npm", "install", tarball], { folder });
  progress("installed the package");
  const installed = join(folder, "node_modules/karpenter-ts");
  checkContents(installed, findings);
  const commands = join(folder, "node_modules/.bin");
  await tryCommands([join(commands, "karpenter")], folder, findings);

  progress(`ran it with the Node that comes along; next with ${oldestNode}`);
  const own = await mustRun([process.execPath, "-p", "process.platform + '-' + process.arch"], { folder });
  await mustRun(["npm", "install", "--prefix", join(folder, "old"), `node-${own.trim()}@${oldestNode}`], { folder });
  await mustRun(["npm", "install", "--omit=optional", tarball], { folder });
  const old = join(folder, "old/node_modules", `node-${own.trim()}`, "bin/node");
  await tryCommands([old, join(installed, "bin/karpenter")], folder, findings);
}

function checkContents(installed: string, findings: Findings): void {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const names = files.map((file) => file.slice(installed.length + 1));
  const tops = [...new Set(names.map((name) => name.split("/")[0]))].sort();
  const expected = ["CHANGELOG.md", "LICENSE", "README.md", "bin", "charts", "dist", "package.json"];
  findings.same(tops, expected, "what is in the package");
  findings.same(
    names.filter((name) => /\.test\.|\.ts$|\.jsonl$/.test(name)),
    [],
    "tests and sources in the package",
  );
  const places = [root, `${homedir()}/`];
  const telling = files.filter((file) => places.some((place) => readFileSync(file, "utf8").includes(place)));
  findings.same(telling, [], "files that name a folder of this machine");
}

async function tryCommands(karpenter: readonly string[], folder: string, findings: Findings): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const check = async (args: readonly string[], wanted: RegExp): Promise<void> => {
    const words = [...karpenter, ...args];
    const { status, output } = await run(words, { folder });
    const isGood = status === 0 && wanted.test(output);
    findings.check(isGood, `"${words.join(" ")}" ended with ${status} and said: ${output.slice(-2000)}`);
  };
  const catalogue = join(folder, "node_modules/karpenter-ts/dist/adapters/kwok/aws-instance-types.json");
  const scenario = join(folder, "scenario.json");
  const content = generateScenario({ kind: "uniform", pods: 100, seed: 1, isTypical: false, catalogue });
  writeFileSync(scenario, JSON.stringify(content));
  await check(["--version"], new RegExp(`^${version.replaceAll(".", "\\.")}\n$`));
  await check(["plan", "--scenario", scenario, "--json"], /"pods":\s*100/);
  await check(["start", "--duration", "60s", "--speed", "5"], /created \S+ for \d+ pods?/);
  await check(["controller", "--help"], /--cloud-provider <kwok\|aws>/);
}
