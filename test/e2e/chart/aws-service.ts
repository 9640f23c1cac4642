import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { versions } from "../../../scripts/lab/versions.ts";
import { openControl } from "../../aws/control.ts";
import { type Moto, region, startMoto } from "../../aws/moto.ts";
import { type Seeded, seedAccount } from "../../aws/seed.ts";
import { chartFolder } from "../../chart/chart-files.ts";
import { Kubelets } from "../aws/kubelets.ts";
import { ApiClient } from "../controller/api-client.ts";
import { Scene } from "../controller/scene.ts";
import { Troupe } from "../controller/troupe.ts";
import { mustRun } from "../karpenter-stage.ts";
import { at } from "./helm.ts";
import { controllerEnvironment, namespace, type Parts } from "./service.ts";
import { kubeconfigOf } from "./service-account.ts";

const pool = "web";
const kubernetesVersion = versions.kubernetes.split(".").slice(0, 2).join(".");

/** A cluster that is described in one file of values: its pods get machines of an account, and give them back. */
export async function tryAwsService({ helm, controlPlane, audit, findings, progress }: Parts): Promise<void> {
  const moto = await startMoto(progress);
  const { endpoint } = moto;
  const control = openControl({ endpoint, region });
  const seeded = await seedAccount({ endpoint, region, control, kubernetesVersion });
  const values = join(helm.folder, "aws.yaml");
  await writeFile(values, stringify(valuesFor(seeded, controlPlane.server, moto)));
  const { kubeconfigPath } = controlPlane;
  const place = ["--namespace", namespace, "--skip-crds"];
  await helm.must(
    ["upgrade", "karpenter", chartFolder, ...place, "--reset-values", "--values", values],
    kubeconfigPath,
  );
  const own = await kubeconfigOf({ namespace, name: "karpenter" }, controlPlane, helm.folder);
  const api = new ApiClient(controlPlane);
  const environment = await controllerEnvironment(api);
  const identity = { ...controlPlane, kubeconfigPath: own };
  const troupe = new Troupe({ controlPlane: identity, api, environment, cloudProvider: "aws", progress });
  const kubelets = new Kubelets({ control, api, endpoint, region });
  const scene = new Scene("chart", { api, controlPlane, troupe });
  try {
    await scene.open();
    await troupe.add();
    await mustRun(`wait --for=condition=Ready ec2nodeclass/${pool} --timeout=180s`, kubeconfigPath);
    kubelets.start();
    progress(`the node class ${pool} is ready`);
    await scene.addDeployment("web", 2, { pool });
    await scene.untilRunning("web", 2);
    progress("the pods run");
    for (const node of await scene.nodes(pool)) {
      scene.same(at(node, "metadata.labels.tier"), "web", "the label of a node");
      scene.check(/^c\d/.test(node.metadata?.labels?.["node.kubernetes.io/instance-type"] ?? ""), "no type of c");
    }
    const machines = async () =>
      (await control.instances()).filter(({ tags }) => tags["karpenter.sh/nodepool"] === pool);
    scene.same([...new Set((await machines()).map(({ tags }) => tags.team))], ["platform"], "the tag of machines");
    await scene.kubectl(`delete deployment web --namespace ${scene.namespace}`);
    await scene.until(
      "claims and machines are gone",
      async () => {
        const isGone = (await machines()).every(({ state }) => state === "terminated" || state === "shutting-down");
        return isGone && (await scene.claims(pool)).length === 0;
      },
      90,
    );
    scene.same(await audit.forbidden(), [], "what the API server has forbidden the controller with AWS");
    troupe.check();
    progress(`pods ran on machines of ${pool}, which are gone again: ${scene.problems.length} problems`);
  } catch (cause) {
    scene.check(false, cause instanceof Error ? cause.message : String(cause));
    progress(`the controllers' logs are ${(await troupe.keepLogs()).join(", ")}`);
  } finally {
    await scene.close();
    await kubelets.stop();
    await troupe.stop();
    api.close();
    await moto.stop();
  }
  findings.problems.push(...scene.problems, ...kubelets.problems);
}

function valuesFor({ clusterName, queueName, roleName }: Seeded, server: string, moto: Moto): object {
  return {
    settings: { clusterName, interruptionQueue: queueName, clusterEndpoint: server },
    controller: { env: Object.entries(moto.environment).map(([name, value]) => ({ name, value })) },
    karpenter: {
      node_pools: {
        [pool]: {
          node_class: { role: roleName, public: false, tags: { team: "platform" }, volumeSize: "30Gi" },
          labels: { tier: "web" },
          limits: { cpu: 100, memory: "500Gi" },
          requirements: {
            category: { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["C"] },
            arch: { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
          },
        },
      },
    },
  };
}
