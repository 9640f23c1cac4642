import type { Taint } from "kubernetes-types/core/v1.js";
import { parse } from "yaml";

/** What nodeadm would tell the kubelet of a machine. */
export interface NodeConfig {
  readonly clusterName: string;
  readonly endpoint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  readonly kubeReserved: Readonly<Record<string, string>>;
}

interface Document {
  readonly kind: string;
  readonly spec: {
    readonly cluster: { readonly name: string; readonly apiServerEndpoint: string };
    readonly kubelet: {
      readonly config: {
        readonly maxPods: number;
        readonly registerWithTaints?: readonly Taint[];
        readonly kubeReserved?: Readonly<Record<string, string>>;
      };
      readonly flags?: readonly string[];
    };
  };
}

/** Reads user data of AL2023 by what nodeadm documents, and not with what made them. The last document counts. */
export function readUserData(userData: string): NodeConfig {
  const boundary = /^Content-Type:\s*multipart\/mixed;\s*boundary="?([^"\r\n]+)"?/im.exec(userData)?.[1];
  if (boundary === undefined) throw new Error(`user data are no archive: ${userData.slice(0, 200)}`);
  const documents = userData
    .split(`--${boundary}`)
    .filter((part) => /^Content-Type:\s*application\/node\.eks\.aws/im.test(part))
    .map((part) => parse(part.slice(part.search(/\r?\n\r?\n/))) as Document);
  const document = documents.at(-1);
  if (document?.kind !== "NodeConfig") throw new Error("user data have no NodeConfig");
  const { cluster, kubelet } = document.spec;
  const { maxPods, registerWithTaints = [], kubeReserved = {} } = kubelet.config;
  return {
    clusterName: cluster.name,
    endpoint: cluster.apiServerEndpoint,
    labels: labelsOf(kubelet.flags ?? []),
    taints: registerWithTaints,
    maxPods,
    kubeReserved,
  };
}

function labelsOf(flags: readonly string[]): Record<string, string> {
  const start = "--node-labels=";
  const flag = flags.findLast((text) => text.startsWith(start)) ?? start;
  const text = flag.slice(start.length).replace(/^"(.*)"$/, "$1");
  return Object.fromEntries(
    text
      .split(",")
      .filter((pair) => pair !== "")
      .map((pair) => {
        const place = pair.indexOf("=");
        return [pair.slice(0, place), pair.slice(place + 1)] as const;
      }),
  );
}
