import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import { mustRun } from "../karpenter-stage.ts";

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** A kubeconfig with which one is the service account, and nobody more. */
export async function kubeconfigOf(
  { namespace, name }: ServiceAccount,
  controlPlane: ControlPlane,
  folder: string,
): Promise<string> {
  const token = await mustRun(
    `create token ${name} --namespace ${namespace} --duration 1h`,
    controlPlane.kubeconfigPath,
  );
  const { server, credentials } = controlPlane;
  const authority = Buffer.from(credentials.ca).toString("base64");
  const path = join(folder, `kubeconfig-${name}`);
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "lab", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name, user: { token: token.trim() } }],
    contexts: [{ name: "lab", context: { cluster: "lab", user: name } }],
    "current-context": "lab",
  };
  await writeFile(path, JSON.stringify(kubeconfig), { mode: 0o600 });
  return path;
}
