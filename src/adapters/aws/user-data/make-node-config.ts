import { stringify } from "yaml";
import type { BootstrapInput } from "../aws-parts.ts";
import { nodeLabelFlags } from "./kubelet-flags.ts";
import { dnsAddressesOf } from "./kubelet-settings.ts";
import { UserDataProblem } from "./user-data-problem.ts";

/** What nodeadm, which joins machines with Amazon Linux 2023, is told. */
export function makeNodeConfig(input: BootstrapInput): string {
  const { clusterName, facts, instanceStorePolicy, labels } = input;
  if (facts.serviceCidr === undefined || facts.serviceCidr === "") {
    throw new UserDataProblem(
      "the addresses of the cluster's services are not known yet, which AL2023 needs: allow eks:DescribeCluster in the policy of the controller's role",
    );
  }
  const flags = nodeLabelFlags(labels);
  const config = {
    apiVersion: "node.eks.aws/v1alpha1",
    kind: "NodeConfig",
    spec: {
      cluster: {
        name: clusterName,
        apiServerEndpoint: facts.endpoint,
        ...(facts.caBundle === "" ? {} : { certificateAuthority: canonicalBase64(facts.caBundle) }),
        cidr: facts.serviceCidr,
      },
      ...(instanceStorePolicy === "RAID0" ? { instance: { localStorage: { strategy: "RAID0" } } } : {}),
      kubelet: { config: kubeletConfig(input), ...(flags.length === 0 ? {} : { flags }) },
    },
  };
  return `# Karpenter Generated NodeConfig\n${toYaml(config)}`;
}

function kubeletConfig(input: BootstrapInput): Record<string, unknown> {
  const { kubelet, taints } = input;
  const dns = dnsAddressesOf(input);
  const config: Record<string, unknown> = {
    ...kubelet.config,
    maxPods: kubelet.maxPods,
    registerWithTaints: taints.map(({ key, value, effect }) => ({ key, ...(value === "" ? {} : { value }), effect })),
  };
  const replace = (key: string, isSet: boolean, value: unknown): void => {
    if (isSet) config[key] = value;
    else delete config[key];
  };
  replace("clusterDNS", dns.length > 0, dns);
  replace("kubeReserved", kubelet.kubeReserved.size > 0, Object.fromEntries(kubelet.kubeReserved));
  replace("systemReserved", kubelet.systemReserved.size > 0, Object.fromEntries(kubelet.systemReserved));
  return config;
}

/**
 * All strings in quotes and all but ASCII escaped: readers of YAML differ in what they take for a boolean, a number or
 * the end of a line.
 */
function toYaml(value: unknown): string {
  const text = stringify(value, {
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "QUOTE_DOUBLE",
    doubleQuotedAsJSON: true,
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });
  return text.replace(/[^\n\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    return `\\u${(isHalf ? 0xfffd : code).toString(16).padStart(4, "0")}`;
  });
}

function canonicalBase64(text: string): string {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw new UserDataProblem("the certificate bundle of the cluster (CLUSTER_CA_BUNDLE) is not base64");
  }
  return bytes.toString("base64");
}
