import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { moduleFolder } from "../../../scripts/lab/binaries.ts";
import { chartFolder, readChartYaml } from "../../chart/chart-files.ts";
import type { Findings } from "./findings.ts";
import { at, type Helm, pick, type Rendered } from "./helm.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const nodeAffinity = `spec.template.spec.affinity.nodeAffinity`;
const elsewhere = { key: "karpenter.sh/nodepool", operator: "DoesNotExist" };

/** What people have in their files for years: of other charts, and with everything below a name commented out. */
export async function checkOldValues(helm: Helm, findings: Findings): Promise<void> {
  await checkEmpties(helm, findings);
  await checkAffinity(helm, findings);
  await checkStrategy(helm, findings);
  await checkClusterName(helm, findings);
  await checkGoCharts(helm, findings);
}

const withJson = (values: object) => [
  ...["--set", "settings.clusterName=lab", "--api-versions", "monitoring.coreos.com/v1"],
  ...Object.entries(values).flatMap(([name, value]) => ["--set-json", `${name}=${JSON.stringify(value)}`]),
];

/** A name without a value is taken as nothing, or told to be missing; no template breaks over it. */
async function checkEmpties(helm: Helm, findings: Findings): Promise<void> {
  for (const path of pathsIn(readChartYaml("values.yaml") as object)) {
    const args = ["--set", "settings.clusterName=lab,serviceMonitor.enabled=true", "--set", `${path}=null`];
    const { status, complaint } = await helm.run(["template", "karpenter", chartFolder, ...withJson({}), ...args]);
    const isTold = /missing property|settings.clusterName: is missing/.test(complaint);
    findings.check(status === 0 || isTold, `${path} without a value breaks the chart: ${complaint}`);
  }
  for (const path of ["podDisruptionBudget", "serviceAccount.annotations", "affinity", "controller.env"])
    await helm.template(chartFolder, [...withJson({}), "--set", `${path}=null`]);
}

function pathsIn(values: object, above = ""): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${above}${name.replaceAll(".", "\\.")}`;
    return typeof value === "object" && !Array.isArray(value) ? [path, ...pathsIn(value ?? {}, `${path}.`)] : [path];
  });
}

/** Never on a node of its own, whatever a file says about nodes. */
async function checkAffinity(helm: Helm, findings: Findings): Promise<void> {
  const termsWith = async (affinity: object | null) => {
    const deployment = pick(await helm.template(chartFolder, withJson({ affinity })), "Deployment");
    return at(deployment, `${nodeAffinity}.${required}.nodeSelectorTerms`);
  };
  const old = { key: "karpenter.sh/provisioner-name", operator: "DoesNotExist" };
  const system = { key: "role", operator: "In", values: ["system"] };
  const byName = [{ key: "metadata.name", operator: "In", values: ["one"] }];
  const asking = (...nodeSelectorTerms: object[]) => ({ nodeAffinity: { [required]: { nodeSelectorTerms } } });
  findings.same(await termsWith(null), [{ matchExpressions: [elsewhere] }], "nodes without affinity");
  findings.same(await termsWith({ nodeAffinity: null }), [{ matchExpressions: [elsewhere] }], "nodes without wishes");
  findings.same(
    await termsWith(asking({ matchExpressions: [old] }, { matchExpressions: [system] }, { matchFields: byName })),
    [
      { matchExpressions: [old, elsewhere] },
      { matchExpressions: [system, elsewhere] },
      { matchExpressions: [elsewhere], matchFields: byName },
    ],
    "nodes with wishes of a file's own",
  );
}

async function checkStrategy(helm: Helm, findings: Findings): Promise<void> {
  const deployment = pick(await helm.template(chartFolder, withJson({ strategy: { type: "Recreate" } })), "Deployment");
  findings.same(at(deployment, "spec.strategy"), { type: "Recreate" }, "the strategy of charts of 2022");
}

/** The pools are for the cluster that the controller runs for, and that is whom controller.env names. */
async function checkClusterName(helm: Helm, findings: Findings): Promise<void> {
  const env = [{ name: "CLUSTER_NAME", value: "other" }];
  const objects = await helm.template(
    chartFolder,
    withJson({ "controller.env": env, "karpenter.node_pools": { a: {} } }),
  );
  findings.same(at(pick(objects, "EC2NodeClass"), "spec.role"), "KarpenterNodeRole-other", "the role of machines");
}

/** Values of the charts that there have been: what does not hold any more is answered, each with what became of it. */
async function checkGoCharts(helm: Helm, findings: Findings): Promise<void> {
  const charts = join(await moduleFolder("karpenter-provider-aws"), "charts");
  if (!existsSync(charts)) return;
  const current = join(charts, "karpenter/values.yaml");
  const { status } = await tryValues(helm, current);
  // The one that the Go chart has: it names the image of the Go controller.
  findings.check(status !== 0, "the image of the Go controller is taken");
  const withoutImage = ["--set", "controller.image.repository=example.com/ours", "--set", "controller.image.digest="];
  const objects: readonly Rendered[] = await helm.template(chartFolder, [
    ...["--set", "settings.clusterName=lab", "--values", current],
    ...withoutImage,
  ]);
  findings.check(objects.length > 10, "the values of the Go chart make nothing");
  for (const archive of readdirSync(charts).filter((name) => /^karpenter-0\.\d+\.\d+\.tgz$/.test(name))) {
    const text = spawnSync("tar", ["xzOf", join(charts, archive), "karpenter/values.yaml"], { encoding: "utf8" });
    const file = join(helm.folder, `${archive}.yaml`);
    await writeFile(file, text.stdout);
    const { complaint } = await tryValues(helm, file);
    const unexplained = complaint
      .split("\n")
      .filter((line) => /^- at |^ {2}\S/.test(line))
      .filter((line) => !/: (?:is now|has gone|is a text, as in older charts)/.test(line));
    findings.same(unexplained, [], `what ${archive} is told of its values`);
  }
}

function tryValues(helm: Helm, file: string): ReturnType<Helm["run"]> {
  return helm.run(["template", "karpenter", chartFolder, "--set", "settings.clusterName=lab", "--values", file]);
}
