import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { ensureKubectl, ensureProgram, moduleFolder } from "../../../scripts/lab/binaries.ts";
import { versions } from "../../../scripts/lab/versions.ts";
import { openControl } from "../../aws/control.ts";
import { region, startMoto } from "../../aws/moto.ts";
import { type Seeded, seedAccount } from "../../aws/seed.ts";
import { chartFolder } from "../../chart/chart-files.ts";
import { ApiClient } from "../controller/api-client.ts";
import { Troupe } from "../controller/troupe.ts";
import { mustRun } from "../karpenter-stage.ts";
import { at, type Helm } from "./helm.ts";
import { askForEveryKind } from "./installation.ts";
import { controllerEnvironment, namespace, type Parts } from "./service.ts";
import { kubeconfigOf } from "./service-account.ts";

const page = join(chartFolder, "../../docs/migrating.md");
const kubernetesVersion = versions.kubernetes.split(".").slice(0, 2).join(".");
const role = "arn:aws:iam::111122223333:role/TheirController";
const deploymentPath = `/apis/apps/v1/namespaces/${namespace}/deployments/karpenter`;
const accountPath = `/api/v1/namespaces/${namespace}/serviceaccounts/karpenter`;
const poolPath = "/apis/karpenter.sh/v1/nodepools/default";

/** Somebody has the Go Karpenter from its chart, follows our page to ours, and goes back. */
export async function tryMigration({ helm, controlPlane, audit, findings, progress }: Parts): Promise<void> {
  const { kubeconfigPath } = controlPlane;
  const kubectl = (line: string, input?: string) => mustRun(line, kubeconfigPath, input);
  const theirs = join(await moduleFolder("karpenter-provider-aws"), "charts");
  const shell = await Shell.open(helm, kubeconfigPath);
  const commands = documentedCommands();
  const moto = await startMoto(progress);
  const { endpoint } = moto;
  const seeded = await seedAccount({ endpoint, region, control: openControl({ endpoint, region }), kubernetesVersion });
  const api = new ApiClient(controlPlane);
  try {
    const definitions = await defineAsInVersion1(join(theirs, "karpenter-crd/templates"), kubectl);
    for (const object of poolFor(seeded)) await kubectl("apply -f -", stringify(object));
    await kubectl("apply --server-side --force-conflicts -f -", definitions);
    const refusal = await kubectl(`apply --server-side --force-conflicts -f ${chartFolder}/crds`).catch(String);
    findings.check(
      /storedVersions\[0\]: Invalid value: "v1beta1"/.test(refusal),
      `old versions are no matter: ${refusal}`,
    );

    const env = Object.entries(moto.environment).map(([name, value]) => ({ name, value }));
    const annotations = { "eks.amazonaws.com/role-arn": role };
    const settings = {
      clusterName: seeded.clusterName,
      interruptionQueue: seeded.queueName,
      clusterEndpoint: controlPlane.server,
    };
    await shell.write("values.yaml", stringify({ settings, serviceAccount: { annotations }, controller: { env } }));
    const place = ["--namespace", namespace];
    const values = ["--values", join(shell.folder, "values.yaml")];
    await helm.must(["install", "karpenter", join(theirs, "karpenter"), ...place, ...values], kubeconfigPath);
    const before = { account: await api.find(accountPath), pool: await api.find(poolPath) };

    const there = commands.slice(0, -1);
    for (const command of there) await shell.run(command);
    const deployment = await api.find<object>(deploymentPath);
    findings.same(at(deployment, "spec.template.spec.containers.0.command.0"), "node", "what runs after the change");
    findings.same(at(deployment, "spec.replicas"), 2, "how many run after the change");
    await checkKept(api, before, (kept) => findings.same(...kept));

    const own = await kubeconfigOf({ namespace, name: "karpenter" }, controlPlane, helm.folder);
    const environment = await controllerEnvironment(api);
    const identity = { ...controlPlane, kubeconfigPath: own };
    const troupe = new Troupe({ controlPlane: identity, api, environment, cloudProvider: "aws", progress });
    try {
      await troupe.add();
      await kubectl("wait --for=condition=Ready ec2nodeclass/default nodepool/default --timeout=180s");
      findings.same(await audit.forbidden(), [], "what the API server has forbidden who came after the Go Karpenter");
      troupe.check();
    } catch (cause) {
      progress(`the controllers' logs are ${(await troupe.keepLogs()).join(", ")}`);
      throw cause;
    } finally {
      await troupe.stop();
    }

    for (const command of commands.slice(-1)) await shell.run(command);
    const restored = await api.find<object>(deploymentPath);
    findings.check(
      String(at(restored, "spec.template.spec.containers.0.image")).startsWith("public.ecr.aws/karpenter/controller"),
      "the way back does not lead to the Go controller",
    );
    findings.same(at(restored, "spec.template.spec.containers.0.command"), undefined, "our command after the way back");
    findings.same(at(restored, "spec.replicas"), 2, "how many run after the way back");
    await checkKept(api, before, (kept) => findings.same(...kept));

    await helm.must(["uninstall", "karpenter", ...place, "--wait"], kubeconfigPath);
    // Nobody is there to let them go.
    for (const name of ["ec2nodeclass/default", "nodepool/default"])
      await kubectl(`patch ${name} --type=merge --patch {"metadata":{"finalizers":null}}`);
    await askForEveryKind(kubectl);
    await kubectl(`delete -f ${chartFolder}/crds`);
    progress(`from the chart of the Go Karpenter to ours, and back: ${findings.problems.length} problems`);
  } finally {
    api.close();
    await moto.stop();
  }
}

/** The shell blocks of the chapter, the last of which is the way back. */
function documentedCommands(): readonly string[] {
  const [, chapter = ""] = /^## From the Go Karpenter\n([\s\S]*?)^##/m.exec(readFileSync(page, "utf8")) ?? [];
  const commands = [...chapter.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => text);
  if (!commands.at(-1)?.includes("helm rollback")) throw new Error("the chapter does not end with the way back");
  return commands;
}

/** Two versions of each kind, with objects stored in the older; returns what then stores them in the newer. */
async function defineAsInVersion1(
  folder: string,
  kubectl: (line: string, input?: string) => Promise<string>,
): Promise<string> {
  const texts = { older: "", newer: "" };
  for (const file of await readdir(folder)) {
    const definition = parse((await readFile(join(folder, file), "utf8")).replaceAll(/^.*\{\{.*\}\}.*$/gm, ""));
    const [version] = definition.spec.versions;
    if (version.name !== "v1") continue;
    for (const [age, stored] of [
      ["older", "v1beta1"],
      ["newer", "v1"],
    ] as const) {
      const both = ["v1", "v1beta1"].map((name) => ({ ...version, name, storage: name === stored }));
      texts[age] += `---\n${stringify({ ...definition, spec: { ...definition.spec, versions: both } })}`;
    }
  }
  await kubectl("apply --server-side -f -", texts.older);
  await kubectl("wait --for=condition=Established crd --all --timeout=180s");
  return texts.newer;
}

function poolFor({ clusterName, roleName }: Seeded): readonly object[] {
  const terms = [{ tags: { "karpenter.sh/discovery": clusterName } }];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  const metadata = { name: "default" };
  return [
    {
      apiVersion: "karpenter.k8s.aws/v1beta1",
      kind: "EC2NodeClass",
      metadata,
      spec: {
        role: roleName,
        amiSelectorTerms: [{ alias: "al2023@latest" }],
        subnetSelectorTerms: terms,
        securityGroupSelectorTerms: terms,
      },
    },
    {
      apiVersion: "karpenter.sh/v1beta1",
      kind: "NodePool",
      metadata,
      spec: { template: { spec: { nodeClassRef, requirements: [] } } },
    },
  ];
}

/** The role that AWS knows it by, and the pool, are those from before. */
async function checkKept(
  api: ApiClient,
  before: { readonly account: unknown; readonly pool: unknown },
  same: (kept: readonly [unknown, unknown, string]) => void,
): Promise<void> {
  const account = await api.find(accountPath);
  same([at(account, "metadata.uid"), at(before.account, "metadata.uid"), "the service account"]);
  const arn = (at(account, "metadata.annotations") as Readonly<Record<string, string>>)["eks.amazonaws.com/role-arn"];
  same([arn, role, "the role of the service account"]);
  same([at(await api.find(poolPath), "metadata.uid"), at(before.pool, "metadata.uid"), "the pool"]);
}

/** A folder in which somebody types commands, with our charts in it. */
class Shell {
  readonly folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#environment = environment;
  }

  static async open(helm: Helm, kubeconfig: string): Promise<Shell> {
    const folder = join(helm.folder, "shell");
    await mkdir(folder);
    await symlink(dirname(chartFolder), join(folder, "charts"));
    const programs = [await ensureKubectl(() => {}), await ensureProgram("helm", () => {})];
    const path = [...programs.map((program) => dirname(program)), process.env.PATH].join(delimiter);
    return new Shell(folder, { ...process.env, ...helm.environment, PATH: path, KUBECONFIG: kubeconfig });
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  /** Throws when a command does not end well. */
  run(script: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
        cwd: this.folder,
        env: this.#environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => {
          said += chunk;
        });
      child.on("error", reject);
      child.on("close", (status) => {
        if (status === 0) resolve();
        else reject(new Error(`"${script.trim()}" ended with ${status} and said: ${said}`));
      });
    });
  }
}
