import type { PodSpec, PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { invalid, invalidForEach, notSupported } from "../refusals.ts";
import { betweenProblem, dnsLabelProblems, dnsSubdomainProblems } from "../value-rules.ts";
import { validateAddress } from "./validate-address.ts";
import { validateAffinity } from "./validate-affinity.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./validate-containers.ts";
import { validateLabelKey, validateLabels } from "./validate-labels.ts";
import { validateResourceQuantity } from "./validate-resources.ts";
import { validatePodSecurity } from "./validate-security.ts";
import {
  validateConditionTypes,
  validateGates,
  validateSpreadConstraints,
  validateTolerations,
} from "./validate-tolerations.ts";
import { validateVolumes } from "./validate-volumes.ts";

const largestInteger = 2 ** 31 - 1;
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const restartPolicies = ["Always", "OnFailure", "Never"];

/** Of a pod, or of the template of pods in a workload. */
export function validatePodSpec(spec: PodSpec, path: string): FieldError[] {
  const { restartPolicy = "", dnsPolicy = "" } = spec;
  return [
    ...validateVolumes(spec, `${path}.volumes`),
    ...validateContainers(spec, `${path}.containers`),
    ...validateInitContainers(spec, `${path}.initContainers`),
    ...validateEphemeralContainers(spec, `${path}.ephemeralContainers`),
    ...validateHostPorts(spec, `${path}.containers`),
    ...(restartPolicies.includes(restartPolicy)
      ? []
      : [notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies)]),
    ...(dnsPolicies.includes(dnsPolicy) ? [] : [notSupported(`${path}.dnsPolicy`, dnsPolicy, dnsPolicies)]),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...validatePodSecurity(spec, `${path}.securityContext`),
    ...validateAffinity(spec.affinity, `${path}.affinity`),
    ...validateDnsConfig(spec, `${path}.dnsConfig`),
    ...validateConditionTypes(spec.readinessGates ?? [], `${path}.readinessGates`),
    ...validateGates(spec.schedulingGates ?? [], `${path}.schedulingGates`),
    ...validateSpreadConstraints(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
    ...validateNames(spec, path),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateHostAliases(spec, `${path}.hostAliases`),
    ...validatePriority(spec, path),
    ...Object.entries((spec.overhead ?? {}) as Record<string, string>).flatMap(([name, quantity]) =>
      validateResourceQuantity(name, quantity, `${path}.overhead.limits[${name}]`),
    ),
    ...validateOperatingSystem(spec, `${path}.os`),
  ];
}

/** On the network of the host, the port of the container is the port of the host. */
function validateHostPorts(spec: PodSpec, path: string): FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort, containerPort }, position) =>
      !hostPort || hostPort === containerPort
        ? []
        : [
            invalid(
              `${path}[${index}].ports[${position}].hostPort`,
              hostPort,
              "must match `containerPort` when `hostNetwork` is true",
            ),
          ],
    ),
  );
}

function validateDnsConfig({ dnsPolicy, dnsConfig }: PodSpec, path: string): FieldError[] {
  const nameservers = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
  }
  if (dnsPolicy === "None" && nameservers.length === 0) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    return [required(`${path}.nameservers`, detail)];
  }
  const errors: FieldError[] = [];
  if (nameservers.length > 3) {
    errors.push(invalid(`${path}.nameservers`, nameservers, "must not have more than 3 nameservers"));
  }
  for (const [index, address] of nameservers.entries())
    errors.push(...validateAddress(address, `${path}.nameservers[${index}]`));
  const searches = dnsConfig?.searches ?? [];
  if (searches.length > 32)
    errors.push(invalid(`${path}.searches`, searches, "must not have more than 32 search paths"));
  return errors;
}

function validateNames(spec: PodSpec, path: string): FieldError[] {
  const check = (
    field: "serviceAccountName" | "nodeName" | "hostname" | "subdomain",
    problems: (value: string) => string[],
  ) => {
    const value = spec[field];
    return value ? invalidForEach(`${path}.${field}`, value, problems(value)) : [];
  };
  const seconds = spec.activeDeadlineSeconds;
  const isInRange = seconds === undefined || (seconds >= 1 && seconds <= largestInteger);
  return [
    ...check("serviceAccountName", dnsSubdomainProblems),
    ...check("nodeName", dnsSubdomainProblems),
    ...(isInRange ? [] : [invalid(`${path}.activeDeadlineSeconds`, seconds, betweenProblem(1, largestInteger))]),
    ...check("hostname", dnsLabelProblems),
    ...check("subdomain", dnsLabelProblems),
  ];
}

function validateHostAliases({ hostAliases = [] }: PodSpec, path: string): FieldError[] {
  return hostAliases.flatMap(({ ip = "", hostnames = [] }, index) => [
    ...validateAddress(ip, `${path}[${index}].ip`),
    ...hostnames.flatMap((name, position) =>
      invalidForEach(`${path}[${index}].hostnames[${position}]`, name, dnsSubdomainProblems(name)),
    ),
  ]);
}

const preemptionPolicies = ["PreemptLowerPriority", "Never"];

function validatePriority(
  { priorityClassName, runtimeClassName, preemptionPolicy }: PodSpec,
  path: string,
): FieldError[] {
  const named = [
    { field: `${path}.priorityClassName`, name: priorityClassName },
    { field: `${path}.runtimeClassName`, name: runtimeClassName },
  ];
  const errors = named.flatMap(({ field, name }) =>
    name ? invalidForEach(field, name, dnsSubdomainProblems(name)) : [],
  );
  return [...errors, ...validatePreemptionPolicy(preemptionPolicy, `${path}.preemptionPolicy`)];
}

export function validatePreemptionPolicy(policy: string | undefined, field: string): FieldError[] {
  if (policy === undefined) return [];
  if (policy === "") return [required(field)];
  return preemptionPolicies.includes(policy) ? [] : [notSupported(field, policy, preemptionPolicies)];
}

function validateOperatingSystem({ os }: PodSpec, path: string): FieldError[] {
  if (os === undefined) return [];
  if (!os.name) return [required(`${path}.name`)];
  return ["linux", "windows"].includes(os.name) ? [] : [notSupported(path, os.name, ["linux", "windows"])];
}

export function validatePodTemplate(template: PodTemplateSpec | undefined, path: string): FieldError[] {
  const { metadata, spec } = template ?? {};
  if (spec === undefined) return [];
  const errors = [
    ...validateLabels(metadata?.labels, `${path}.labels`),
    ...Object.keys(metadata?.annotations ?? {}).flatMap((key) =>
      validateLabelKey(key.toLowerCase(), `${path}.annotations`),
    ),
    ...validatePodSpec(spec, `${path}.spec`),
  ];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
  return errors;
}
