import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { chartFolder, crdChartFolder } from "../../chart/chart-files.ts";
import { mustRun } from "../karpenter-stage.ts";
import type { Findings } from "./findings.ts";
import type { Helm } from "./helm.ts";
import { documentedValues, valuesFolder } from "./rendering.ts";

const restricted = "pod-security.kubernetes.io/enforce=restricted";
const poolNames = ["bottles", "default", "plain", "training"];

/** Installs the chart with pools on a cluster that has the kinds from a chart of their own, changes and removes it. */
export async function tryInstallation(helm: Helm, kubeconfig: string, findings: Findings): Promise<void> {
  const kubectl = (line: string, input?: string) => mustRun(line, kubeconfig, input);
  const place = ["--namespace", "karpenter"];
  await kubectl("create namespace karpenter");
  // Who runs pods there must give up everything that a controller does not need.
  await kubectl(`label namespace karpenter ${restricted}`);
  await helm.must(["install", "karpenter-crd", crdChartFolder, ...place], kubeconfig);
  await kubectl("wait --for=condition=Established crd --all --timeout=180s");
  const values = ["--values", join(valuesFolder, "pools.yaml")];
  const install = ["install", "karpenter", chartFolder, "--skip-crds", ...place, ...values];
  checkNotes(await helm.must(install, kubeconfig), findings);
  for (const kind of ["nodepools", "ec2nodeclasses"]) {
    const names = (await kubectl(`get ${kind} -o name`)).trim().split("\n");
    findings.same(names.map((name) => name.split("/")[1]).sort(), poolNames, `${kind} that the API server has taken`);
  }
  // The pods stay pending: there is no node that they may run on.
  const pods = "get pods --namespace karpenter --no-headers";
  await kubectl("wait --namespace karpenter --for=jsonpath={.status.replicas}=2 deployment/karpenter --timeout=180s");
  findings.same((await kubectl(pods)).match(/Pending/g)?.length, 2, "pods that a restricted namespace lets in");

  const upgrade = ["upgrade", "karpenter", chartFolder, "--skip-crds", ...place, ...values];
  const said = await helm.must([...upgrade, "--set", "karpenter.node_pools.plain=null"], kubeconfig);
  findings.check(/Pool plain is not in the values any more, and stays/.test(said), `nobody tells of plain: ${said}`);
  findings.check(!/Pool default is not in/.test(said), "pools are told to be left over that are not");
  const names = async () => (await kubectl("get nodepools,ec2nodeclasses -o name")).trim().split("\n");
  findings.same((await names()).length, 8, "objects of pools after one was taken out of the values");

  await tryValues(helm, kubeconfig, findings);
  // Pools stay, for the controller that goes could not drain them, and who installs it again has them again.
  await helm.must(["uninstall", "karpenter", ...place, "--wait"], kubeconfig);
  findings.same((await names()).length, 8, "objects of pools without the chart");
  await helm.must(install, kubeconfig);
  await helm.must(["uninstall", "karpenter", ...place, "--wait"], kubeconfig);
  await tryRemoval(kubectl, findings);
  await askForEveryKind(kubectl);
  await helm.must(["uninstall", "karpenter-crd", ...place, "--wait"], kubeconfig);
  findings.same((await kubectl("get crd -o name")).trim(), "", "kinds that stay when both charts are gone");
}

/** Before all kinds are removed: one that nobody ever asked for takes the API server minutes. */
export async function askForEveryKind(kubectl: (line: string) => Promise<string>): Promise<void> {
  for (const kind of (await kubectl("get crd -o name")).trim().split("\n"))
    await kubectl(`get ${kind.split("/")[1]} --all-namespaces`);
}

/** The commands of our pages, with Provisioners of every kind. Nobody carries them out here. */
async function tryRemoval(
  kubectl: (line: string, input?: string) => Promise<string>,
  findings: Findings,
): Promise<void> {
  const provisioners = [
    { apiVersion: "karpenter.sh/v1alpha5", kind: "Provisioner", metadata: { name: "a" }, spec: {} },
    { apiVersion: "provisioning.karpenter.sh/v1alpha1", kind: "Provisioner", metadata: { name: "b" }, spec: {} },
  ];
  await kubectl("apply -f -", provisioners.map((object) => stringify(object)).join("---\n"));
  const kinds = "provisioners.karpenter.sh,provisioners.provisioning.karpenter.sh";
  await kubectl(`delete ${kinds} --all --all-namespaces`);
  await kubectl("delete nodepools,ec2nodeclasses --all");
  const left = await kubectl(`get ${kinds},nodepools,ec2nodeclasses --all-namespaces -o name`);
  findings.same(left.trim(), "", "what is left when all has been deleted as we say");
}

function checkNotes(said: string, findings: Findings): void {
  for (const words of [
    "2 x karpenter in karpenter for the cluster karpenter-cluster.",
    String.raw`--set 'serviceAccount.annotations.eks\.amazonaws\.com/role-arn=`,
    "Pool default: categories of machines are lower-case, so C is taken for c.",
    "Pool training: categories of machines are lower-case, so P is taken for p.",
    "Pool plain has no limits",
    "Pool training has GPUs, which pods can ask for once the NVIDIA device plugin runs",
    "is in no public registry. Unless your nodes have it, build it",
    "kubectl delete provisioners.karpenter.sh,provisioners.provisioning.karpenter.sh --all --all-namespaces",
    "kubectl delete nodepools --all",
  ]) {
    findings.check(said.includes(words), `the notes do not say "${words}", but ${said}`);
  }
}

/** Whatever our own page shows, and what people bring from the Go chart, is taken by the API server. */
async function tryValues(helm: Helm, kubeconfig: string, findings: Findings): Promise<void> {
  const files = [join(valuesFolder, "go-chart.yaml")];
  for (const [index, text] of documentedValues().entries()) {
    const file = join(helm.folder, `documented-${index}.yaml`);
    await writeFile(file, text);
    files.push(file);
  }
  findings.check(files.length > 3, "the chart's page shows no values");
  for (const file of files) {
    const objects = await helm.template(chartFolder, ["--values", file]);
    const text = objects.map((object) => stringify(object, { version: "1.1" })).join("---\n");
    await mustRun("apply --dry-run=server --force-conflicts --server-side -f -", kubeconfig, text).catch(
      (cause: unknown) => findings.check(false, `the API server refuses what ${file} makes: ${cause}`),
    );
  }
}

/** The archives are whole: they render as the folders do. */
export async function tryArchives(helm: Helm, findings: Findings): Promise<void> {
  for (const folder of [chartFolder, crdChartFolder]) {
    const said = await helm.must(["package", folder, "--destination", helm.folder]);
    const [, archive = ""] = /saved it to: (.*)$/m.exec(said) ?? [];
    const values = folder === chartFolder ? ["--values", join(valuesFolder, "pools.yaml"), "--include-crds"] : [];
    findings.same(
      await helm.template(archive, values),
      await helm.template(folder, values),
      `what the archive of ${folder} makes`,
    );
  }
}
