import type { Container, PodSpec, PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { parseQuantity } from "../../core/model/quantity.ts";
import type { Draft } from "../kube-object.ts";
import { showQuantity } from "./resource-list.ts";
import { dnsLabelProblems } from "./value-rules.ts";

const oldLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ["beta.kubernetes.io/instance-type", 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ["failure-domain.beta.kubernetes.io/region", 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ["failure-domain.beta.kubernetes.io/zone", 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
]);

export function warnAboutPod(draft: Draft): string[] {
  const problems = dnsLabelProblems(draft.metadata.name ?? "x");
  const advice =
    "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const names = problems.length === 0 ? [] : [`metadata.name: ${advice}: [${problems.join(" ")}]`];
  return [...names, ...warnAboutSpec(draft.spec as PodSpec | undefined, "spec")];
}

export function warnAboutTemplate(draft: Draft): string[] {
  const { template } = (draft.spec ?? {}) as { template?: PodTemplateSpec };
  return warnAboutSpec(template?.spec, "spec.template.spec");
}

function warnAboutSpec(spec: PodSpec | undefined, path: string): string[] {
  return [
    ...Object.keys(spec?.nodeSelector ?? {}).flatMap((key) => warnAboutLabel(key, `${path}.nodeSelector[${key}]: `)),
    ...(spec?.topologySpreadConstraints ?? []).flatMap(({ topologyKey = "", labelSelector }, index) => {
      const at = `${path}.topologySpreadConstraints[${index}]`;
      const nobody = `${at}.labelSelector: a null labelSelector results in matching no pod`;
      return [
        ...warnAboutLabel(topologyKey, `${at}.topologyKey: ${topologyKey} is `),
        ...(labelSelector === undefined ? [nobody] : []),
      ];
    }),
    ...(["initContainers", "containers"] as const).flatMap((list) =>
      (spec?.[list] ?? []).flatMap((container, index) => warnAboutContainer(container, `${path}.${list}[${index}]`)),
    ),
  ];
}

function warnAboutLabel(key: string, prefix: string): string[] {
  const advice = oldLabels.get(key);
  return advice === undefined ? [] : [`${prefix}${advice}`];
}

function warnAboutContainer({ resources, env = [], ports = [] }: Container, path: string): string[] {
  return [
    ...(["limits", "requests"] as const).flatMap((list) =>
      warnAboutMemory(resources?.[list]?.memory, `${path}.resources.${list}`),
    ),
    ...env.flatMap(({ name }, index) =>
      env.slice(0, index).some((other) => other.name === name)
        ? [
            `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name ?? "")}, which may be dropped when using apply`,
          ]
        : [],
    ),
    ...ports.flatMap(({ containerPort, protocol, hostPort, hostIP }, index) => {
      const first = ports.findIndex(
        (other) =>
          other.containerPort === containerPort &&
          other.protocol === protocol &&
          other.hostPort === hostPort &&
          other.hostIP === hostIP,
      );
      return first === index ? [] : [`${path}.ports[${index}]: duplicate port definition with ${path}.ports[${first}]`];
    }),
  ];
}

function warnAboutMemory(quantity: unknown, path: string): string[] {
  const amount = parseQuantity(String(quantity ?? "0")) ?? 0n;
  if (amount % 10n ** 9n === 0n) return [];
  return [`${path}[memory]: fractional byte value "${showQuantity(quantity)}" is invalid, must be an integer`];
}
