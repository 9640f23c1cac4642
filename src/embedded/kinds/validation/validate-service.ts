import type { Service, ServicePort, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { checkChoice, duplicate, invalid, invalidForEach, notSupported } from "../refusals.ts";
import { dnsLabelProblems, dnsSubdomainProblems, portNumberProblems, qualifiedNameProblems } from "../value-rules.ts";
import { validateAddress, validateCidr } from "./validate-address.ts";
import { validateLabels } from "./validate-labels.ts";
import { validatePort } from "./validate-probes.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/** Addresses come first: a service that cannot have them is not looked at any further. */
export function validateService(draft: Draft): FieldError[] {
  const { spec } = draft as unknown as Service;
  if (spec === undefined) return [required("spec.ports")];
  const ofAddresses = validateAddresses(spec);
  if (ofAddresses.length > 0) return ofAddresses;
  const { type = "", ports = [], sessionAffinity } = spec;
  const isHeadless = spec.clusterIP === "None";
  const needsPorts = !isHeadless && type !== "ExternalName";
  const isOddHeadless = isHeadless && (type === "LoadBalancer" || type === "NodePort");
  return [
    ...(ports.length === 0 && needsPorts ? [required("spec.ports")] : []),
    ...(isOddHeadless ? [invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`)] : []),
    ...(type === "ExternalName" ? validateExternalName(spec) : []),
    ...validatePorts(ports),
    ...validateLabels(spec.selector, "spec.selector"),
    ...checkChoice("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]),
    ...(spec.externalIPs ?? []).flatMap((address, index) => validateAddress(address, `spec.externalIPs[${index}]`)),
    ...checkChoice("spec.type", type, types),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) =>
      validateCidr(range, `spec.LoadBalancerSourceRanges[${index}]`),
    ),
    ...validatePortUse(spec),
    ...validateTraffic(spec),
  ];
}

export function validateServiceUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const { spec } = draft as unknown as Service;
  const before = (old as unknown as Service).spec;
  const keepsAddress = spec?.type !== "ExternalName" && before?.type !== "ExternalName" && before?.clusterIP;
  const isMoved = keepsAddress && spec?.clusterIP !== before?.clusterIP;
  const moved = isMoved ? [invalid("spec.clusterIPs[0]", spec?.clusterIPs, "may not change once set")] : [];
  const ofAddresses = validateAddresses(spec);
  return ofAddresses.length > 0 ? ofAddresses : [...moved, ...validateService(draft)];
}

function validateAddresses(spec: ServiceSpec = {}): FieldError[] {
  const errors = validateClusterIPs(spec);
  return errors.length > 0 ? errors : validateFamilies(spec);
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const errors = (["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const)
    .filter((field) => spec[field] !== undefined && spec[field].length > 0)
    .map((field) => forbidden(`spec.${field}`, "may not be set for ExternalName services"));
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...invalidForEach("spec.externalName", name, dnsSubdomainProblems(name))];
}

function validatePorts(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name, port, protocol, targetPort, appProtocol }, index) => {
    const path = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if (name) {
      errors.push(...invalidForEach(`${path}.name`, name, dnsLabelProblems(name)));
      if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
    } else if (ports.length > 1) errors.push(required(`${path}.name`));
    errors.push(...invalidForEach(`${path}.port`, port ?? 0, portNumberProblems(port ?? 0)));
    errors.push(...checkChoice(`${path}.protocol`, protocol, ["SCTP", "TCP", "UDP"]));
    errors.push(...validatePort(targetPort ?? 0, `${path}.targetPort`));
    if (appProtocol === undefined) return errors;
    return [...errors, ...invalidForEach(`${path}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol))];
  });
}

function validateClusterIPs({ clusterIP = "", clusterIPs = [], type }: ServiceSpec): FieldError[] {
  if (type === "ExternalName") return [];
  if (clusterIPs.length > 0 && clusterIPs[0] !== clusterIP) {
    const detail =
      clusterIP === "" ? "must be empty when `clusterIP` is not specified" : "first value must match `clusterIP`";
    return [invalid("spec.clusterIPs", clusterIPs, detail)];
  }
  if (clusterIP === "None" && clusterIPs.length > 1) {
    return [invalid("spec.clusterIPs", clusterIPs, "'None' must be the first and only value")];
  }
  return clusterIPs.flatMap((address, index) => {
    if (address === "None" && index === 0) return [];
    return validateAddress(address, `spec.clusterIPs[${index}]`);
  });
}

const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** All services of this cluster have IPv4 addresses, and only those that have none may speak of others. */
function validateFamilies({ type, clusterIP, selector, ipFamilies = [], ipFamilyPolicy: policy }: ServiceSpec) {
  if (type === "ExternalName") return [];
  const field = "spec.ipFamilyPolicy";
  const unknown = ipFamilies.flatMap((family, index) => [
    ...(families.includes(family) ? [] : [notSupported(`spec.ipFamilies[${index}]`, family, families)]),
    ...(ipFamilies.indexOf(family) < index ? [duplicate(`spec.ipFamilies[${index}]`, family)] : []),
  ]);
  if (policy !== undefined && !familyPolicies.includes(policy))
    unknown.push(notSupported(field, policy, familyPolicies));
  if (unknown.length > 0) return unknown;
  if (policy === "SingleStack" && ipFamilies.length > 1) {
    const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
    return [invalid(field, policy, detail)];
  }
  if (clusterIP === "None" && Object.keys(selector ?? {}).length === 0) return [];
  const isDual = policy === "RequireDualStack";
  return [
    ...(isDual ? [invalid(field, policy, "this cluster is not configured for dual-stack services")] : []),
    ...ipFamilies.flatMap((family, index) =>
      family === "IPv4" ? [] : [invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ];
}

function validatePortUse({ type, ports = [] }: ServiceSpec): FieldError[] {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const unused = ports.flatMap(({ nodePort }, index) =>
    type === "ClusterIP" && nodePort
      ? [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      : [],
  );
  const taken = ports.flatMap(({ nodePort, protocol }, index) => {
    const key = `${protocol}/${nodePort}`;
    if (!nodePort || !nodePorts.has(key)) {
      nodePorts.add(key);
      return [];
    }
    return [duplicate(`spec.ports[${index}].nodePort`, nodePort)];
  });
  const repeated = ports.flatMap(({ port, protocol = "" }, index) => {
    const key = `${protocol}/${port}`;
    if (!numbers.has(key)) {
      numbers.add(key);
      return [];
    }
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    return [duplicate(`spec.ports[${index}]`, shown)];
  });
  return [...unused, ...taken, ...repeated];
}

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const { type, externalTrafficPolicy, internalTrafficPolicy, allocateLoadBalancerNodePorts } = spec;
  const errors: FieldError[] = [];
  if (allocateLoadBalancerNodePorts !== undefined && type !== "LoadBalancer") {
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'"));
  }
  const isExternal = type === "NodePort" || type === "LoadBalancer" || (spec.externalIPs ?? []).length > 0;
  if (externalTrafficPolicy && !isExternal) {
    const detail = "may only be set for externally-accessible services";
    errors.push(invalid("spec.externalTrafficPolicy", externalTrafficPolicy, detail));
  } else if (externalTrafficPolicy && !["Cluster", "Local"].includes(externalTrafficPolicy)) {
    errors.push(notSupported("spec.externalTrafficPolicy", externalTrafficPolicy, ["Cluster", "Local"]));
  }
  if (internalTrafficPolicy && !["Cluster", "Local"].includes(internalTrafficPolicy)) {
    errors.push(notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, ["Cluster", "Local"]));
  }
  const { trafficDistribution: distribution } = spec;
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.push(notSupported("spec.trafficDistribution", distribution, distributions));
  }
  return errors;
}
