import type { Service } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { warnAboutAddress, warnAboutCidr } from "./validation/validate-address.ts";

const oldHints = "service.kubernetes.io/topology-aware-hints";

export function warnAboutService(draft: Draft): string[] {
  const { metadata, spec = {} } = draft as unknown as Service;
  const { type, clusterIPs = [], externalIPs = [], loadBalancerIP = "", externalName = "" } = spec;
  const isHeadless = type === "ClusterIP" && spec.clusterIP === "None";
  const isElsewhere = type === "ExternalName";
  const hasExternalIPs = externalIPs.length > 0;
  const preferred = '"PreferClose" is deprecated; use "PreferSameZone"';
  return [
    ...when(
      metadata?.annotations?.[oldHints] !== undefined,
      `annotation ${oldHints} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ),
    ...clusterIPs.flatMap((address, index) => warnAboutAddress(address, `spec.clusterIPs[${index}]`)),
    ...when(isHeadless && loadBalancerIP !== "", "spec.loadBalancerIP is ignored for headless services"),
    ...when(isHeadless && hasExternalIPs, "spec.externalIPs is ignored for headless services"),
    ...when(isHeadless && spec.sessionAffinity !== "None", "spec.SessionAffinity is ignored for headless services"),
    ...externalIPs.flatMap((address, index) => warnAboutAddress(address, `spec.externalIPs[${index}]`)),
    ...when(
      hasExternalIPs && !isHeadless && !isElsewhere,
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ),
    ...warnAboutAddress(loadBalancerIP, "spec.loadBalancerIP"),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) =>
      warnAboutCidr(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
    ...when(isElsewhere && hasExternalIPs, 'spec.externalIPs is ignored when spec.type is "ExternalName"'),
    ...when(!isElsewhere && externalName !== "", 'spec.externalName is ignored when spec.type is not "ExternalName"'),
    ...when(spec.trafficDistribution === "PreferClose", `spec.trafficDistribution: ${preferred}`),
  ];
}

function when(holds: boolean, warning: string): string[] {
  return holds ? [warning] : [];
}
