import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { KubeConfigError } from "./config-section.ts";
import { inClusterAccess } from "./in-cluster-access.ts";
import { type KubeAccess, unchangingCredentials } from "./kube-access.ts";
import { clusterOf } from "./kube-cluster.ts";
import { credentialsOf } from "./kube-user.ts";
import { type MergedKubeConfig, mergeKubeConfigs } from "./kubeconfig-files.ts";

export interface KubeConfigSources {
  /** Counts before all else. */
  readonly kubeconfigPath?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of whoever runs this where absent. */
  readonly homeFolder?: string;
  /** Where a pod finds its service account. */
  readonly serviceAccountFolder?: string;
}

const mountedServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The first of: the given path, the files of KUBECONFIG, the service account of the pod, ~/.kube/config.
 * Throws a KubeConfigError that says what to mend.
 */
export function loadKubeConfig(sources: KubeConfigSources): KubeAccess {
  const { kubeconfigPath, env, serviceAccountFolder = mountedServiceAccount } = sources;
  if (kubeconfigPath !== undefined) return accessIn([resolve(kubeconfigPath)], env);
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) {
    // Of several, those that are not there do not count.
    const found = listed.map((path) => resolve(path)).filter((path) => existsSync(path));
    if (found.length > 0) return accessIn(found, env);
    throw new KubeConfigError(`KUBECONFIG: there is no file ${listed.join(" and no file ")}; correct or unset it`);
  }
  const inCluster = inClusterAccess(env, serviceAccountFolder);
  if (inCluster !== undefined) return inCluster;
  const homeFile = join(sources.homeFolder ?? ownHome(), ".kube", "config");
  if (existsSync(homeFile)) return accessIn([homeFile], env);
  throw new KubeConfigError(
    `No way to a cluster is known: this is no pod (KUBERNETES_SERVICE_HOST is not set), KUBECONFIG is not set, and there is no ${homeFile}; set KUBECONFIG to the path of a kubeconfig`,
  );
}

/** A user that the machine knows only by number, as in a container, has none. */
function ownHome(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}

function accessIn(files: readonly string[], env: KubeConfigSources["env"]): KubeAccess {
  const config = mergeKubeConfigs(files);
  const where = files.join(", ");
  const name = config.currentContext;
  if (name === undefined) {
    throw new KubeConfigError(
      `${where}: current-context is not set; choose ${namesIn(config.contexts)} with "kubectl config use-context"`,
    );
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    throw new KubeConfigError(
      `${where}: current-context names "${name}", which is no context; choose ${namesIn(config.contexts)}`,
    );
  }
  context.allowOnly(["cluster", "user", "namespace", "extensions"]);
  const find = (kind: "cluster" | "user") => {
    const wanted = context.neededText(kind);
    const found = config[`${kind}s`].get(wanted);
    if (found !== undefined) return found;
    throw context.mistake(kind, `names "${wanted}", which is no ${kind}; choose ${namesIn(config[`${kind}s`])}`);
  };
  const cluster = clusterOf(find("cluster"));
  const namespace = context.text("namespace");
  return {
    server: cluster.server,
    tls: cluster.tls,
    credentials: context.has("user") ? credentialsOf(find("user"), { cluster, env }) : unchangingCredentials({}),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function namesIn(entries: MergedKubeConfig["contexts"]): string {
  return entries.size === 0 ? "one after adding it" : `one of ${[...entries.keys()].join(", ")}`;
}
