// Builds the programs of a real control plane with the Go toolchain, once, into a cache outside the repository.
import { execFile } from "node:child_process";
import { access, chmod, constants, cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "./lock.ts";
import { versions } from "./versions.ts";

const run = promisify(execFile);

const kubernetesVersion = `v${versions.kubernetes}`;
/** The libraries of Kubernetes 1.x are released as 0.x. */
const libraryVersion = kubernetesVersion.replace(/^v1\./, "v0.");

export type Program =
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kwok"
  | "kubectl"
  | "karpenter-kwok"
  | "karpenter-aws"
  | "helm";

type Module = keyof typeof versions;

interface Recipe {
  /** Programs of one recipe are built from one Go module. */
  readonly module: Module;
  readonly package: string;
}

const recipes: Readonly<Record<Program, Recipe>> = {
  etcd: { module: "etcd", package: "go.etcd.io/etcd/server/v3" },
  "kube-apiserver": { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kube-apiserver" },
  "kube-controller-manager": { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kube-controller-manager" },
  "kube-scheduler": { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kube-scheduler" },
  kubectl: { module: "kubernetes", package: "k8s.io/kubernetes/cmd/kubectl" },
  kwok: { module: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok" },
  "karpenter-kwok": { module: "karpenter", package: "sigs.k8s.io/karpenter/kwok" },
  "karpenter-aws": {
    module: "karpenter-provider-aws",
    package: "github.com/aws/karpenter-provider-aws/cmd/controller",
  },
  helm: { module: "helm", package: "helm.sh/helm/v3/cmd/helm" },
};

/** All but kubectl, which the machine may have. */
export const programs: readonly Program[] = (Object.keys(recipes) as Program[]).filter((name) => name !== "kubectl");

const controlPlanePrograms: readonly Program[] = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
];

const requirements: Readonly<Record<Module, string>> = {
  kubernetes: `k8s.io/kubernetes ${kubernetesVersion}`,
  etcd: `go.etcd.io/etcd/server/v3 v${versions.etcd}`,
  kwok: `sigs.k8s.io/kwok v${versions.kwok}`,
  karpenter: `sigs.k8s.io/karpenter v${versions.karpenter}`,
  "karpenter-provider-aws": `github.com/aws/karpenter-provider-aws v${versions["karpenter-provider-aws"]}`,
  helm: `helm.sh/helm/v3 v${versions.helm}`,
};

/** A line about what is being done, for whoever waits. */
export type Progress = (line: string) => void;

/** Builds what is missing of the control plane, and returns the folder that holds it all. */
export async function ensureControlPlanePrograms(progress: Progress): Promise<string> {
  await ensurePrograms(controlPlanePrograms, progress);
  return programFolder();
}

/** Builds what is missing of these, several of one module at once. */
export async function ensurePrograms(programs: readonly Program[], progress: Progress): Promise<void> {
  const byModule = Object.groupBy(programs, (program) => recipes[program].module);
  for (const [module, wanted = []] of Object.entries(byModule)) await build(module as Module, wanted, progress);
}

/** The machine's own kubectl, or one that is built from the same source as the API server. */
export async function ensureKubectl(progress: Progress): Promise<string> {
  const installed = await findOnPath("kubectl");
  return installed ?? (await ensureProgram("kubectl", progress));
}

const moduleFolders = new Map<Module, Promise<string>>();

/** The files of a module, manifests among them; a copy beside the programs, so that whoever has these needs no Go. */
export function moduleFolder(module: Module): Promise<string> {
  const folder = moduleFolders.get(module) ?? ensureModule(module);
  moduleFolders.set(module, folder);
  return folder;
}

async function ensureModule(module: Module): Promise<string> {
  const folder = join(cacheFolder(), `source-${module}-${versions[module]}`);
  if (await isExecutable(folder)) return folder;
  await oneAtATime(async () => {
    if (!(await isExecutable(folder))) await copyModule(module, folder);
  });
  return folder;
}

async function copyModule(module: Module, folder: string): Promise<void> {
  const go = await findGo(`get the files of ${module}`);
  const [name, version] = requirements[module].split(" ");
  const downloaded = await go(["mod", "download", "-json", `${name}@${version}`], tmpdir());
  const unfinished = `${folder}.${process.pid}`;
  await cp((JSON.parse(downloaded) as { Dir: string }).Dir, unfinished, { recursive: true });
  // All is read-only where Go keeps it.
  await makeWritable(unfinished);
  await rename(unfinished, folder);
}

export async function ensureProgram(program: Program, progress: Progress): Promise<string> {
  await build(recipes[program].module, [program], progress);
  return join(programFolder(), program);
}

async function build(module: Module, wanted: readonly Program[], progress: Progress): Promise<void> {
  if ((await findMissing(wanted)).length === 0) return;
  await oneAtATime(async () => {
    const missing = await findMissing(wanted);
    if (missing.length === 0) return;
    const names = missing.join(", ");
    const go = await findGo(`build ${names}`);
    const started = performance.now();
    progress(`building ${names} (${requirements[module]}) into ${programFolder()}; minutes, and only the first time`);
    const source = join(cacheFolder(), `build-${module}-${versions[module]}`);
    try {
      await writeModule({ go, module, folder: source });
      await mkdir(programFolder(), { recursive: true });
      for (const program of missing) {
        const file = join(programFolder(), program);
        const unfinished = `${file}.${process.pid}`;
        const flags = ["-mod=mod", "-ldflags", linkerFlags(module)];
        await go(["build", ...flags, "-o", unfinished, recipes[program].package], source);
        await rename(unfinished, file);
      }
    } catch (cause) {
      throw new Error(
        `Cannot build ${names} in ${source}: the Go toolchain failed. Read its message below; if it is about the network, set GOPROXY; otherwise remove that folder and try again.\n${messageOf(cause)}`,
        { cause },
      );
    }
    progress(`built ${names} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  });
}

async function findMissing(programs: readonly Program[]): Promise<Program[]> {
  const areThere = await Promise.all(programs.map((program) => isExecutable(join(programFolder(), program))));
  return programs.filter((_, index) => !areThere[index]);
}

/** Each build takes all processors, and what two suites ask for is built once. */
async function oneAtATime<Result>(act: () => Promise<Result>): Promise<Result> {
  await mkdir(cacheFolder(), { recursive: true });
  return await withLock(join(cacheFolder(), "building"), act);
}

/** The end-to-end tests of the Go Karpenter, which run against any implementation. */
export async function ensureRegressionTests(progress: Progress): Promise<string> {
  const folder = join(cacheFolder(), `regression-${versions.karpenter}`);
  const program = join(folder, "regression.test");
  const upstream = await moduleFolder("karpenter");
  if (!(await isExecutable(program))) {
    await oneAtATime(async () => {
      if (!(await isExecutable(program))) await buildRegressionTests({ program, folder, upstream, progress });
    });
  }
  return program;
}

interface RegressionBuild {
  readonly program: string;
  readonly folder: string;
  readonly upstream: string;
  readonly progress: Progress;
}

async function buildRegressionTests({ program, folder, upstream, progress }: RegressionBuild): Promise<void> {
  const go = await findGo("build the regression tests of the Go Karpenter");
  const source = join(folder, "source");
  progress(
    `building the regression tests (${requirements.karpenter}) into ${folder}; minutes, and only the first time`,
  );
  try {
    await rm(source, { recursive: true, force: true });
    await cp(upstream, source, { recursive: true });
    await go(["test", "-c", "-o", `${program}.${process.pid}`, "./test/suites/regression"], source);
    await rename(`${program}.${process.pid}`, program);
  } catch (cause) {
    throw new Error(`Cannot build the regression tests in ${source}: ${messageOf(cause)}`, { cause });
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeWritable(path);
    else await chmod(path, 0o644);
  }
}

type Go = (args: readonly string[], folder: string) => Promise<string>;

/** What is asked for must be built, and there is nothing to build it with. */
export class NoGoError extends Error {
  constructor(act: string) {
    super(
      `Cannot ${act}: there is no Go toolchain on the PATH. Install Go 1.26 or later (https://go.dev/dl), or copy ${cacheFolder()} from a machine that has built everything.`,
    );
  }
}

async function findGo(act: string): Promise<Go> {
  const go = await findOnPath("go");
  if (go === undefined) throw new NoGoError(act);
  return async (args, folder) => (await run(go, args, { cwd: folder, maxBuffer: 64 << 20 })).stdout;
}

/** The version of Go makes it look only at what is built, not at all that anything requires. */
async function writeModule({ go, module, folder }: { go: Go; module: Module; folder: string }): Promise<void> {
  await mkdir(folder, { recursive: true });
  const replacements = (await replacedModules(module, go, folder)).map((words) => `replace ${words}\n`).join("");
  await writeFile(
    join(folder, "go.mod"),
    `module lab\n\ngo 1.26\n\nrequire ${requirements[module]}\n\n${replacements}`,
  );
}

async function replacedModules(module: Module, go: Go, folder: string): Promise<string[]> {
  if (module === "kubernetes") {
    return (await stagedModules(go, folder)).map((name) => `${name} => ${name} ${libraryVersion}`);
  }
  // It requires a commit of the Go Karpenter, which need not be where the releases are.
  const core = "sigs.k8s.io/karpenter";
  return module === "karpenter-provider-aws" ? [`${core} => ${core} v${versions.karpenter}`] : [];
}

/** Kubernetes requires the libraries of its own tree at v0.0.0, which nobody published: these must be replaced. */
async function stagedModules(go: Go, folder: string): Promise<string[]> {
  const downloaded = await go(["mod", "download", "-json", `k8s.io/kubernetes@${kubernetesVersion}`], folder);
  const { GoMod } = JSON.parse(downloaded) as { GoMod: string };
  const text = await readFile(GoMod, "utf8");
  return [...text.matchAll(/^\s+(k8s\.io\/\S+) v0\.0\.0$/gm)].map(([, name]) => name ?? "");
}

function linkerFlags(module: Module): string {
  const [major, minor] = versions.kubernetes.split(".");
  if (module === "helm") {
    // Charts are rendered for this version of Kubernetes where no cluster is asked.
    const renders = ["pkg/lint/rules", "pkg/chartutil"].map((part) => `-X helm.sh/helm/v3/${part}.k8sVersion`);
    const target = renders.map((variable) => `${variable}Major=${major} ${variable}Minor=${minor}`).join(" ");
    return `-s -w -X helm.sh/helm/v3/internal/version.version=v${versions.helm} ${target}`;
  }
  const stamp = "-X k8s.io/component-base/version";
  return module === "kubernetes"
    ? `-s -w ${stamp}.gitVersion=${kubernetesVersion} ${stamp}.gitMajor=${major} ${stamp}.gitMinor=${minor}`
    : "-s -w";
}

/** Where everything is kept that is made once. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "karpenter-ts");
}

function programFolder(): string {
  return join(cacheFolder(), `bin-${versions.kubernetes}`);
}

export async function findOnPath(program: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(folder, program);
    if (folder !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}

async function isExecutable(file: string, mode = constants.X_OK): Promise<boolean> {
  try {
    await access(file, mode);
    return true;
  } catch {
    return false;
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
