import { dirname, resolve } from "node:path";
import type { ConfigSection, SectionPlace } from "./config-section.ts";
import type { KubeCluster } from "./kube-cluster.ts";

/** A program that prints credentials. */
export interface ExecPlugin {
  readonly place: SectionPlace;
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly installHint: string | undefined;
}

export interface ExecContext {
  readonly cluster: KubeCluster;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const apiVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const known = ["apiVersion", "command", "args", "env", "installHint", "provideClusterInfo", "interactiveMode"];

export function execPluginOf(section: ConfigSection, { cluster, env }: ExecContext): ExecPlugin {
  section.allowOnly(known);
  const apiVersion = section.neededText("apiVersion");
  if (!apiVersions.includes(apiVersion)) {
    throw section.mistake("apiVersion", `is "${apiVersion}", which is not supported; use ${apiVersions.join(" or ")}`);
  }
  if (section.text("interactiveMode") === "Always") {
    throw section.mistake("interactiveMode", "is Always, and nobody is here to answer; use IfAvailable or Never");
  }
  const info = {
    apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(section.flag("provideClusterInfo") ? { cluster: clusterInfo(cluster) } : {}) },
  };
  const command = section.neededText("command");
  const variables = section.sections("env").map((entry) => [entry.neededText("name"), entry.text("value") ?? ""]);
  return {
    place: section.place,
    apiVersion,
    // A bare name is looked up in PATH; a path begins at the kubeconfig.
    command: /[/\\]/.test(command) ? resolve(dirname(section.place.file), command) : command,
    args: section.texts("args"),
    env: { ...env, ...Object.fromEntries(variables), KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    installHint: section.text("installHint"),
  };
}

function clusterInfo({ server, tls, execConfig }: KubeCluster): object {
  const { ca, serverName, isUnverified } = tls;
  return {
    server,
    ...(serverName === undefined ? {} : { "tls-server-name": serverName }),
    ...(isUnverified === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(execConfig === undefined ? {} : { config: execConfig }),
  };
}
