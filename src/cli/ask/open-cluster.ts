import { KubeConfigError } from "../../adapters/kube/config-section.ts";
import { HttpKubeTransport } from "../../adapters/kube/http-kube-transport.ts";
import type { KubeAccess } from "../../adapters/kube/kube-access.ts";
import { loadKubeConfig } from "../../adapters/kube/load-kube-config.ts";
import { kwokNodeClasses } from "../../adapters/kwok/node-class.ts";
import { Observer } from "../../controllers/observer/observer.ts";
import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import { ClusterState } from "../../core/cluster/cluster-state.ts";
import { systemClock } from "../../embedded/time/system-clock.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KubeResponse, KubeTransport } from "../../ports/kube-transport.ts";
import { CliError } from "../cli-error.ts";
import { version } from "../version.ts";
import { type Gap, LenientTransport } from "./lenient-transport.ts";
import { silence } from "./silence.ts";

export interface OpenCluster {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly server: string;
  /** Of the context. */
  readonly namespace: string;
  readonly transport: KubeTransport;
  /** What is left out, and why. */
  readonly gaps: readonly Gap[];
  /** Why nothing new is heard of the cluster, undefined while it is. */
  readonly trouble: string | undefined;
  close(): Promise<void>;
}

/** All node classes that are known here, whoever runs there. */
const nodeClassKinds = [kwokNodeClasses, ec2NodeClasses];

const lookEvery = 20;
/** Servers may be slow to come up; who got no answer for so long gives up. */
const patience = 10_000;
/** After so long without another failure the connection counts as mended. */
const troubleLasts = 15_000;

export interface ClusterQuestion {
  readonly kubeconfig?: string;
  /** Whether to look at what workloads ask for, too, which is much in large clusters. */
  readonly followsWorkloads?: boolean;
}

/** Follows the cluster that the kubeconfig leads to, seen once it is whole. */
export async function openCluster({ kubeconfig, followsWorkloads = false }: ClusterQuestion): Promise<OpenCluster> {
  const access = readAccess(kubeconfig);
  const clock = systemClock;
  const http = new HttpKubeTransport({ access, clock, userAgent: `karpenter-ts/${version()}`, maxConnections: 8 });
  let failure: { readonly first: number; readonly last: number; readonly what: Error | KubeResponse } | undefined;
  const transport = new LenientTransport(http, (what) => {
    failure = { first: failure?.first ?? clock.now(), last: clock.now(), what };
  });
  const state = new ClusterState();
  const observer = new Observer(state, {
    transport,
    clock,
    random: Math.random,
    log: silence,
    nodeClassKinds,
    needsSelectors: false,
    followsWorkloads,
  });
  const close = async (): Promise<void> => {
    observer.stop();
    await http.close();
  };
  observer.start();
  while (!observer.isSynced) {
    if (failure !== undefined && (isHopeless(failure.what) || clock.now() - failure.first > patience)) {
      // Put in words first: closing makes other requests fail.
      const words = describeFailure(failure.what, access.server);
      await close();
      throw new CliError(words);
    }
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
  failure = undefined;
  return {
    state,
    clock,
    server: access.server,
    namespace: access.namespace ?? "default",
    transport: http,
    get gaps() {
      return transport.gaps;
    },
    get trouble() {
      const isRecent = failure !== undefined && clock.now() - failure.last < troubleLasts;
      return isRecent && failure !== undefined ? reasonOf(failure.what) : undefined;
    },
    close,
  };
}

function readAccess(kubeconfigPath: string | undefined): KubeAccess {
  try {
    return loadKubeConfig({
      env: process.env,
      ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
    });
  } catch (error) {
    if (error instanceof KubeConfigError) throw new CliError(`${error.message} (or give --kubeconfig FILE)`);
    throw error;
  }
}

/** What will not get better by asking again. */
function isHopeless(what: Error | KubeResponse): boolean {
  if (!(what instanceof Error)) return what.status === 401 || what.status === 403 || what.status === 404;
  return /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|certificate|self.signed|exec|credential/i.test(what.message);
}

export function describeFailure(what: Error | KubeResponse, server: string): string {
  const reason = reasonOf(what);
  if (what instanceof Error) {
    return `Cannot reach the cluster at ${server}: ${reason}. See that it runs and that the kubeconfig is its own (kubectl cluster-info)`;
  }
  switch (what.status) {
    case 401:
      return `The cluster at ${server} does not know you: ${reason}. Renew the credentials in the kubeconfig (kubectl auth whoami)`;
    case 403:
      return `The cluster at ${server} does not let you look: ${reason}. You need get, list and watch on nodes and pods; on nodepools and nodeclaims too, to see what Karpenter makes of them`;
    default:
      return `The cluster at ${server} answers with ${what.status}: ${reason}. See that it is a Kubernetes API, and try again`;
  }
}

function reasonOf(what: Error | KubeResponse): string {
  if (what instanceof Error) return what.message.replace(/^No whole answer to \w+ \S+: /, "");
  const message = (what.body as { readonly message?: unknown } | null)?.message;
  return typeof message === "string" && message !== "" ? message : `HTTP ${what.status}`;
}
