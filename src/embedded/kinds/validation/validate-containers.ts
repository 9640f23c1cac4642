import type { Container, ContainerPort, EphemeralContainer, PodSpec } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { checkChoice, duplicate, invalid, invalidForEach, notFound, notSupported } from "../refusals.ts";
import { dnsLabelProblems, portNameProblems, portNumberProblems } from "../value-rules.ts";
import { validateEnvironment } from "./validate-environment.ts";
import { validateHandlers } from "./validate-probes.ts";
import { validateContainerResources } from "./validate-resources.ts";
import { validateContainerSecurity } from "./validate-security.ts";
import { validateMounts } from "./validate-volumes.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const restartPolicies = ["Always", "Never", "OnFailure"];

export function validateContainers(spec: PodSpec, path: string): FieldError[] {
  const { containers = [] } = spec;
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const found = validateContainer(container, spec, at);
    if (names.has(container.name)) found.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    found.push(...validateHandlers(container, spec.terminationGracePeriodSeconds, at));
    return [...found, ...validateRestartPolicy(container, at)];
  });
  return [...errors, ...findPortConflicts(containers, path)];
}

export function validateInitContainers(spec: PodSpec, path: string): FieldError[] {
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const errors = [...validateContainer(container, spec, at), ...validateRestartPolicy(container, at)];
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    else if (container.name) names.add(container.name);
    errors.push(...findPortConflicts([container], path));
    if (container.restartPolicy === "Always") {
      return [...errors, ...validateHandlers(container, spec.terminationGracePeriodSeconds, at)];
    }
    const unfit = (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const).filter(
      (field) => container[field] !== undefined,
    );
    const detail = "may not be set for init containers without restartPolicy=Always";
    return [...errors, ...unfit.map((field) => forbidden(`${at}.${field}`, detail))];
  });
}

const ephemeralFields = new Set([
  "lifecycle",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "ports",
  "resizePolicy",
]);

export function validateEphemeralContainers(spec: PodSpec, path: string): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container: EphemeralContainer, index) => {
    const at = `${path}[${index}]`;
    const errors = validateContainer(container, spec, at);
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(notFound(`${at}.targetContainerName`, target));
    const unfit = Object.keys(container).filter((field) => ephemeralFields.has(field));
    return [
      ...errors,
      ...unfit.map((field) => forbidden(`${at}.${field}`, "cannot be set for an Ephemeral Container")),
    ];
  });
}

function validateContainer(container: Container, spec: PodSpec, path: string): FieldError[] {
  const { name = "", image, ports = [], terminationMessagePolicy, imagePullPolicy, resources } = container;
  const volumeNames = new Set((spec.volumes ?? []).map((volume) => volume.name));
  const claimNames = new Set((spec.resourceClaims ?? []).map((claim) => claim.name));
  return [
    ...(name === "" ? [required(`${path}.name`)] : invalidForEach(`${path}.name`, name, dnsLabelProblems(name))),
    ...(image ? [] : [required(`${path}.image`)]),
    ...checkChoice(`${path}.terminationMessagePolicy`, terminationMessagePolicy, ["File", "FallbackToLogsOnError"]),
    ...validatePorts(ports, `${path}.ports`),
    ...validateEnvironment(container, path),
    ...validateMounts(container, volumeNames, path),
    ...checkChoice(`${path}.imagePullPolicy`, imagePullPolicy, ["Always", "IfNotPresent", "Never"]),
    ...validateContainerResources(resources, claimNames, `${path}.resources`),
    ...validateContainerSecurity(container.securityContext, `${path}.securityContext`),
  ];
}

function validateRestartPolicy({ restartPolicy }: Container, path: string): FieldError[] {
  if (restartPolicy === undefined || restartPolicies.includes(restartPolicy)) return [];
  return [notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies)];
}

function validatePorts(ports: readonly ContainerPort[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name, containerPort, hostPort, protocol }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (name) {
      const problems = portNameProblems(name);
      if (problems.length > 0) errors.push(...invalidForEach(`${at}.name`, name, problems));
      else if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    if (!containerPort) errors.push(required(`${at}.containerPort`));
    else errors.push(...invalidForEach(`${at}.containerPort`, containerPort, portNumberProblems(containerPort)));
    if (hostPort) errors.push(...invalidForEach(`${at}.hostPort`, hostPort, portNumberProblems(hostPort)));
    return [...errors, ...checkChoice(`${at}.protocol`, protocol, protocols)];
  });
}

function findPortConflicts(containers: readonly Container[], path: string): FieldError[] {
  const seen = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ protocol, hostIP = "", hostPort }, position) => {
      if (!hostPort) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = seen.has(key);
      seen.add(key);
      return isTaken ? [duplicate(`${path}[${index}].ports[${position}].hostPort`, key)] : [];
    }),
  );
}

/** What only pods must get right, while templates may still be wrong about it. */
export function validateImageSpaces(spec: PodSpec, path: string): FieldError[] {
  return (["containers", "initContainers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = "" }, index) =>
      image === image.trim()
        ? []
        : [invalid(`${path}.${list}[${index}].image`, image, "must not have leading or trailing whitespace")],
    ),
  );
}
