import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { versions } from "../../../scripts/lab/versions.ts";
import { type Control, openControl } from "../../aws/control.ts";
import { region, startMoto } from "../../aws/moto.ts";
import { seedAccount } from "../../aws/seed.ts";
import { ec2NodeClass } from "../aws/aws-scene.ts";
import { Kubelets } from "../aws/kubelets.ts";
import { ApiClient } from "../controller/api-client.ts";
import { checkCalm, checkCharge, checkStamps } from "./checks.ts";
import { machineFleet, machineReplicas, machineWorkload } from "./fleet.ts";
import { Side } from "./side.ts";
import type { TakeoverParts } from "./takeover-parts.ts";
import { Town } from "./town.ts";

const kubernetesVersion = versions.kubernetes.split(".").slice(0, 2).join(".");
const nodeClassPath = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses/default";
const versionAnnotation = "karpenter.k8s.aws/ec2nodeclass-hash-version";

interface NodeClass {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: { readonly instanceProfile?: string };
}

/** Machines of an account, with the Go version's AWS provider, and one file of values for both charts. */
export async function tryAwsTakeover({ controlPlane, helm, findings, progress }: TakeoverParts): Promise<void> {
  const moto = await startMoto(progress);
  const { endpoint } = moto;
  const control = openControl({ endpoint, region });
  const seeded = await seedAccount({ endpoint, region, control, kubernetesVersion });
  const file = join(helm.folder, "takeover.json");
  const { clusterName, queueName: interruptionQueue } = seeded;
  const env = Object.entries(moto.environment).map(([name, value]) => ({ name, value }));
  const settings = { clusterName, interruptionQueue, clusterEndpoint: controlPlane.server };
  await writeFile(file, JSON.stringify({ settings, controller: { env } }));
  const api = new ApiClient(controlPlane);
  const values = { ours: ["--values", file], peer: ["--values", file] };
  const parts = { controlPlane, api, helm, cloudProvider: "aws", values, progress } as const;
  const [peer, ours] = [new Side("peer", parts), new Side("ours", parts)];
  const town = new Town({ api, controlPlane, findings }, machineReplicas);
  const kubelets = new Kubelets({ control, api, endpoint, region });
  try {
    kubelets.start();
    await peer.install();
    await peer.start();
    await town.apply([ec2NodeClass(seeded), ...machineFleet]);
    await town.apply(machineWorkload);
    await town.untilSettled();
    progress("the Go Karpenter has built the fleet");

    for (const [from, to, change, version] of [
      [peer, ours, () => ours.install(), { pool: "ts1", nodeClass: "ts1" }],
      [ours, peer, () => peer.restore(), { pool: "v3", nodeClass: "v5" }],
    ] as const) {
      const before = await describeAccount(control, api);
      await checkCalm(town, { from, to, change });
      findings.same(await describeAccount(control, api), before, `what there is at AWS with ${to.name}`);
      await checkStamps(town, version.pool);
      await checkClassStamps(town, version.nodeClass);
      progress(`${to.name} has taken over`);
      await checkCharge(town, to);
      progress(`${to.name} is in charge`);
    }
    findings.problems.push(...kubelets.problems);
  } finally {
    await kubelets.stop();
    for (const side of [peer, ours]) await side.kill();
    progress(`the logs are ${peer.logFile} and ${ours.logFile}`);
    api.close();
    await moto.stop();
  }
}

/** Machines that are there, and with what profile others would be made. */
async function describeAccount(control: Control, api: ApiClient): Promise<object> {
  const live = (await control.instances()).filter(({ state }) => state === "pending" || state === "running");
  const nodeClass = await api.find<NodeClass>(nodeClassPath);
  return { machines: live.map(({ id }) => id).sort(), profile: nodeClass?.status?.instanceProfile };
}

async function checkClassStamps(town: Town, version: string): Promise<void> {
  const nodeClass = await town.api.find<NodeClass>(nodeClassPath);
  for (const { metadata } of [...(await town.claims()), ...(nodeClass === undefined ? [] : [nodeClass])]) {
    town.findings.same(metadata.annotations?.[versionAnnotation], version, "the version of the hash of a node class");
  }
}
