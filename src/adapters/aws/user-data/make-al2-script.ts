import { isIPv4 } from "node:net";
import type { BootstrapInput } from "../aws-parts.ts";
import { kubeletFlags } from "./kubelet-flags.ts";
import { dnsAddressesOf } from "./kubelet-settings.ts";

/** Joins a machine with the script that the images of Amazon Linux 2 have. */
export function makeAl2Script(input: BootstrapInput): string {
  const { clusterName, facts, instanceStorePolicy } = input;
  const [dns] = dnsAddressesOf(input);
  const certificate = facts.caBundle === "" ? [] : [`--b64-cluster-ca ${quote(facts.caBundle)}`];
  const first = [quote(clusterName), `--apiserver-endpoint ${quote(facts.endpoint)}`, ...certificate].join(" ");
  const others = [
    ...(dns === undefined || isIPv4(dns) ? [] : ["--ip-family ipv6"]),
    ...(dns === undefined ? [] : [`--dns-cluster-ip ${quote(dns)}`]),
    "--use-max-pods false",
    `--kubelet-extra-args ${quote(kubeletFlags(input).join(" "))}`,
    ...(instanceStorePolicy === "RAID0" ? ["--local-disks raid0"] : []),
  ];
  return [
    "#!/bin/bash -xe",
    "exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1",
    [`/etc/eks/bootstrap.sh ${first}`, ...others].join(" \\\n"),
  ].join("\n");
}

/** One word to a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
