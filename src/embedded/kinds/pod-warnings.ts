import type { NodeSelectorTerm, PodAffinityTerm, PodSpec, PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { warnAboutBytes, warnAboutContainers } from "./container-warnings.ts";
import { warnAboutLabel } from "./old-labels.ts";
import { warnAboutAddress } from "./validation/validate-address.ts";
import { dnsLabelProblems, labelValueProblems } from "./value-rules.ts";

export function warnAboutPod(draft: Draft): string[] {
  const problems = dnsLabelProblems(draft.metadata.name ?? "x");
  const advice =
    "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const names = problems.length === 0 ? [] : [`metadata.name: ${advice}: [${problems.join(" ")}]`];
  return [...names, ...warnAboutSpec(draft, "")];
}

/** For what makes pods of `spec.template`. */
export function warnAboutWorkload(draft: Draft): string[] {
  return warnAboutTemplate((draft.spec as { template?: PodTemplateSpec } | undefined)?.template, "spec.template");
}

export function warnAboutTemplate(template: PodTemplateSpec | undefined, path: string): string[] {
  return template === undefined ? [] : warnAboutSpec(template, `${path}.`);
}

function warnAboutSpec({ metadata, spec }: PodTemplateSpec | Draft, prefix: string): string[] {
  const annotations = (metadata?.annotations ?? {}) as Readonly<Record<string, string>>;
  if (spec === undefined) return [];
  const podSpec = spec as PodSpec;
  const path = `${prefix}spec`;
  return [
    ...warnAboutPlacement(podSpec, path),
    ...oldAnnotations.flatMap(([key, advice]) =>
      annotations[key] === undefined ? [] : [`${prefix}metadata.annotations[${key}]: ${advice}`],
    ),
    ...(podSpec.volumes ?? []).flatMap((volume, index) => warnAboutVolume(volume, `${path}.volumes[${index}]`)),
    ...warnAboutNames(podSpec, path),
    ...["memory", "ephemeral-storage"].flatMap((name) => warnAboutBytes(podSpec.overhead, name, `${path}.overhead`)),
    ...warnAboutContainers(podSpec, path),
    ...((podSpec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...warnAboutCompany(podSpec, path),
    ...(podSpec.dnsConfig?.nameservers ?? []).flatMap((address, index) =>
      warnAboutAddress(address, `${path}.dnsConfig.nameservers[${index}]`),
    ),
    ...(podSpec.hostAliases ?? []).flatMap(({ ip = "" }, index) =>
      warnAboutAddress(ip, `${path}.hostAliases[${index}].ip`),
    ),
  ];
}

const nobody = "a null labelSelector results in matching no pod";

function warnAboutPlacement(spec: PodSpec, path: string): string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => warnAboutLabel(key, `${path}.nodeSelector[${key}]: `)),
    ...required.flatMap((term, index) =>
      warnAboutTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`),
    ),
    ...preferred.flatMap(({ preference = {} }, index) => {
      const where = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`;
      return warnAboutTerm(preference, where, labelValueProblems);
    }),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey = "", labelSelector }, index) => {
      const where = `${path}.topologySpreadConstraints[${index}]`;
      return [
        ...warnAboutLabel(topologyKey, `${where}.topologyKey: ${topologyKey} is `),
        ...(labelSelector === undefined ? [`${where}.labelSelector: ${nobody}`] : []),
      ];
    }),
  ];
}

/** Values of terms that must hold are refused where they are wrong, and so not warned of. */
function warnAboutTerm(
  { matchExpressions = [] }: NodeSelectorTerm,
  path: string,
  problemsOf: (value: string) => readonly string[] = () => [],
): string[] {
  return matchExpressions.flatMap(({ key = "", values = [] }, index) => [
    ...warnAboutLabel(key, `${path}.matchExpressions[${index}].key: ${key} is `),
    ...values.flatMap((value, position) =>
      problemsOf(value).map(
        (problem) => `${path}.matchExpressions[${index}].values[${position}]: ${value} is invalid, ${problem}`,
      ),
    ),
  ]);
}

const oldAnnotations = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;

const oldVolumes: ReadonlyMap<string, string> = new Map([
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
]);

function warnAboutVolume(volume: Volume, path: string): string[] {
  return Object.keys(volume).flatMap((source) => {
    const advice = oldVolumes.get(source);
    return advice === undefined ? [] : [`${path}.${source === "storageos" ? "storageOS" : source}: ${advice}`];
  });
}

function warnAboutNames({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: string): string[] {
  const isRepeated = (name: string, index: number, names: readonly string[]): boolean => names.indexOf(name) < index;
  const addresses = hostAliases.map(({ ip }) => ip ?? "");
  const secrets = imagePullSecrets.map(({ name }) => name ?? "");
  const at = `${path}.imagePullSecrets`;
  return [
    ...addresses.flatMap((ip, index) =>
      isRepeated(ip, index, addresses) ? [`${path}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`] : [],
    ),
    ...secrets.flatMap((name, index) =>
      isRepeated(name, index, secrets) ? [`${at}[${index}].name: duplicate name ${JSON.stringify(name)}`] : [],
    ),
    ...secrets.flatMap((name, index) => (name === "" ? [`${at}[${index}].name: invalid empty name ""`] : [])),
  ];
}

/** Pods that a pod wants near or far are nobody's without a selector. */
function warnAboutCompany({ affinity }: PodSpec, path: string): string[] {
  const isBlind = ({ labelSelector }: PodAffinityTerm): boolean => labelSelector === undefined;
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => {
    const at = `${path}.affinity.${kind}`;
    const required = affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const where = "DuringSchedulingIgnoredDuringExecution";
    return [
      ...required.flatMap((term, index) =>
        isBlind(term) ? [`${at}.required${where}[${index}].labelSelector: ${nobody}`] : [],
      ),
      ...preferred.flatMap(({ podAffinityTerm }, index) =>
        isBlind(podAffinityTerm) ? [`${at}.preferred${where}[${index}].podAffinityTerm.labelSelector: ${nobody}`] : [],
      ),
    ];
  });
}
