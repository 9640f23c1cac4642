import type { Container, ContainerPort, EnvVar, PodSpec } from "kubernetes-types/core/v1.js";
import { parseQuantity } from "../../core/model/quantity.ts";
import { showQuantity } from "./resource-list.ts";

interface PlacedContainer {
  readonly container: Container;
  readonly path: string;
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: string;
}

export function warnAboutContainers(spec: PodSpec, path: string): string[] {
  const containers = (["initContainers", "containers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index): PlacedContainer => ({ container, path: `${path}.${list}[${index}]` })),
  );
  const ports = containers.flatMap(({ container, path: at }) =>
    (container.ports ?? []).map((port, index): PlacedPort => ({ port, path: `${at}.ports[${index}]` })),
  );
  return [
    ...containers.flatMap(({ container: { resources, env = [] }, path: at }) => [
      ...(["memory", "ephemeral-storage"] as const).flatMap((name) => [
        ...warnAboutBytes(resources?.limits, name, `${at}.resources.limits`),
        ...warnAboutBytes(resources?.requests, name, `${at}.resources.requests`),
      ]),
      ...warnAboutEnvironment(env, `${at}.env`),
    ]),
    ...ports.flatMap((placed, index) => warnAboutPort(placed, ports.slice(0, index))),
    ...ports.flatMap((placed, index) => warnAboutPortName(placed, ports.slice(0, index))),
  ];
}

/** Memory and disk are counted in whole bytes. */
export function warnAboutBytes(list: { readonly [name: string]: unknown } | undefined, name: string, path: string) {
  const quantity = list?.[name];
  const amount = parseQuantity(String(quantity ?? "0")) ?? 0n;
  if (amount % 10n ** 9n === 0n) return [];
  return [`${path}[${name}]: fractional byte value "${showQuantity(quantity)}" is invalid, must be an integer`];
}

/** A variable may be set again by what it was before and more; anything else hides the first one. */
function warnAboutEnvironment(env: readonly EnvVar[], path: string): string[] {
  return env.flatMap(({ name, value = "", valueFrom }, index) => {
    const isRepeated = env.findIndex((other) => other.name === name) < index;
    const reference = `$(${name})`;
    const isExtended = valueFrom === undefined && value !== reference && value.includes(reference);
    if (!isRepeated || isExtended) return [];
    const hidden = `hides previous definition of ${JSON.stringify(name ?? "")}`;
    return [`${path}[${index}]: ${hidden}, which may be dropped when using apply`];
  });
}

function warnAboutPort({ port, path }: PlacedPort, earlier: readonly PlacedPort[]): string[] {
  const { name = "", containerPort, protocol, hostPort = 0, hostIP = "" } = port;
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
  const lonely = hostIP !== "" && hostPort === 0 ? [`${path}: hostIP set without hostPort: ${shown}`] : [];
  const same = earlier.filter(
    ({ port: other }) => other.containerPort === containerPort && other.protocol === protocol,
  );
  const clashes = same.flatMap(({ port: other, path: at }) => {
    const clash = clashOf(port, other);
    return clash === undefined ? [] : [`${path}: ${clash} port definition with ${at}`];
  });
  return [...lonely, ...clashes];
}

function clashOf(port: ContainerPort, other: ContainerPort): string | undefined {
  const [hostPort, hostIP] = [port.hostPort ?? 0, port.hostIP ?? ""];
  const [otherPort, otherIP] = [other.hostPort ?? 0, other.hostIP ?? ""];
  if (hostPort === otherPort && hostIP === otherIP) return "duplicate";
  if (hostPort === 0 || otherPort === 0) return "overlapping";
  return hostPort === otherPort && (hostIP === "") !== (otherIP === "") ? "dangerously ambiguous" : undefined;
}

function warnAboutPortName({ port: { name }, path }: PlacedPort, earlier: readonly PlacedPort[]): string[] {
  const first = name ? earlier.find(({ port }) => port.name === name) : undefined;
  if (first === undefined) return [];
  const use = `services and probes that select ports by name will use ${first.path}`;
  return [`${path}: duplicate port name ${JSON.stringify(name)} with ${first.path}, ${use}`];
}
