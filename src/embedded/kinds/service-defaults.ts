import { createHash } from "node:crypto";
import type { Service, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { Draft, KubeObject } from "../kube-object.ts";
import { isSameValue } from "./validation/same-value.ts";

export function setServiceDefaults(draft: Draft): void {
  const { spec } = draft as unknown as Service;
  if (spec === undefined) return;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (!port.targetPort) port.targetPort = port.port;
  }
  const isExternal = spec.type === "NodePort" || spec.type === "LoadBalancer" || isReachedByExternalIPs(spec);
  if (isExternal) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
}

function isReachedByExternalIPs(spec: ServiceSpec): boolean {
  return spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0;
}

export function prepareServiceCreate(draft: Draft): void {
  draft.status = { loadBalancer: {} };
  const { metadata, spec } = draft as unknown as Service;
  if (spec !== undefined) allocate(spec, `${metadata?.namespace}/${metadata?.name}`);
}

/** What the writer left out of a service stays as it was allocated. */
export function prepareServiceUpdate(draft: Draft, old: KubeObject): void {
  const { metadata, spec } = draft as unknown as Service;
  const before = (old as unknown as Service).spec;
  if (spec === undefined || before === undefined) return;
  dropOutgrown(spec, before);
  // Whoever changes only one of the two addresses means both.
  if (spec.clusterIP && spec.clusterIP !== before.clusterIP && isSameValue(spec.clusterIPs, before.clusterIPs)) {
    spec.clusterIPs = [spec.clusterIP];
  }
  if (spec.type !== "ExternalName") {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (spec.clusterIP === before.clusterIP) spec.clusterIPs ??= before.clusterIPs ?? [];
    spec.ipFamilies ??= before.ipFamilies ?? [];
    spec.ipFamilyPolicy ??= before.ipFamilyPolicy ?? "SingleStack";
    for (const port of spec.ports ?? []) {
      const same = before.ports?.find((other) => other.port === port.port && other.protocol === port.protocol);
      if (needsNodePorts(spec) && !port.nodePort && same?.nodePort) port.nodePort = same.nodePort;
    }
  }
  allocate(spec, `${metadata?.namespace}/${metadata?.name}`);
}

const addressFields = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] as const;

/** What the old type of a service needed and the new one does not have goes, unless the writer changed it too. */
function dropOutgrown(spec: ServiceSpec, before: ServiceSpec): void {
  const drop = (field: keyof ServiceSpec): void => {
    if (isSameValue(spec[field], before[field])) delete spec[field];
  };
  if (spec.type === "ExternalName" && before.type !== "ExternalName") for (const field of addressFields) drop(field);
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    for (const [index, port] of (spec.ports ?? []).entries()) {
      if (port.nodePort === before.ports?.[index]?.nodePort) delete port.nodePort;
    }
    drop("externalTrafficPolicy");
  }
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") drop("allocateLoadBalancerNodePorts");
}

/** Addresses and node ports follow from the name, so that the same cluster gets the same ones every time. */
function allocate(spec: ServiceSpec, name: string): void {
  if (spec.type === "ExternalName") return;
  if ((spec.clusterIPs ?? []).length === 0) {
    spec.clusterIP ||= addressFor(name);
    spec.clusterIPs = [spec.clusterIP];
  }
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= isFree ? "RequireDualStack" : "SingleStack";
  const [family = "IPv4", ...others] = spec.ipFamilies ?? [];
  const isPaired = isFree && others.length === 0 && spec.ipFamilyPolicy !== "SingleStack";
  spec.ipFamilies = [family, ...(isPaired ? [family === "IPv4" ? "IPv6" : "IPv4"] : others)];
  if (!needsNodePorts(spec)) return;
  for (const port of spec.ports ?? [])
    port.nodePort ||= 30000 + (hashOf(`${name}:${port.protocol}/${port.port}`) % 2768);
}

function needsNodePorts(spec: ServiceSpec): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);
}

/** In 10.0.0.0/16, and neither the first address nor the last. */
function addressFor(name: string): string {
  const number = 2 + (hashOf(name) % 65533);
  return `10.0.${number >> 8}.${number & 255}`;
}

function hashOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0);
}
