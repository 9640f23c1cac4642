import type {
  Container,
  EphemeralContainer,
  PodSpec,
  PodTemplateSpec,
  Probe,
  Volume,
} from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { roundResources } from "./resource-list.ts";

/** What a pod spec gets wherever it stands: in a pod or in the template of a workload. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  copyServiceAccountName(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  roundResources(spec.overhead);
}

/** The old name of the field is written too, and read where the new one is absent. */
export function copyServiceAccountName(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (name === undefined || name === "") return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

export function setPodTemplateDefaults(template: PodTemplateSpec): void {
  template.metadata ??= {};
  template.spec ??= { containers: [] };
  setPodSpecDefaults(template.spec);
}

/** The spec of a workload, with the defaults of its template; where there is none, an empty one. */
export function specWithTemplate<T extends { template?: PodTemplateSpec }>(draft: Draft): T {
  draft.spec ??= {};
  const { spec } = draft as unknown as { spec: T };
  spec.template ??= {};
  setPodTemplateDefaults(spec.template);
  return spec;
}

function setContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.resources ??= {};
  roundResources(container.resources.limits);
  roundResources(container.resources.requests);
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= "v1";
    if (valueFrom?.resourceFieldRef) valueFrom.resourceFieldRef.divisor ??= "0";
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) setProbeDefaults(probe);
  }
  setHttpGetDefaults(container.lifecycle?.postStart?.httpGet);
  setHttpGetDefaults(container.lifecycle?.preStop?.httpGet);
}

/** Images that say no version or "latest" are asked for again every time. */
function defaultPullPolicy(image: string | undefined): string {
  const [path = "", digest] = (image ?? "").split("@");
  const [name = "", tag] = (path.split("/").at(-1) ?? "").split(":");
  if (!/^[a-z0-9]+([._-]+[a-z0-9]+)*$/.test(name)) return "IfNotPresent";
  return tag === "latest" || (tag === undefined && digest === undefined) ? "Always" : "IfNotPresent";
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpGetDefaults(probe.httpGet);
  if (probe.grpc !== undefined) probe.grpc.service ??= "";
}

function setHttpGetDefaults(httpGet: { path?: string; scheme?: string } | undefined): void {
  if (httpGet === undefined) return;
  httpGet.path ||= "/";
  httpGet.scheme ||= "HTTP";
}

const readableByAll = 0o644;

/** A volume says of which sort it is by the field it fills; one that says nothing is an empty directory. */
function setVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.secret) volume.secret.defaultMode ??= readableByAll;
  if (volume.configMap) volume.configMap.defaultMode ??= readableByAll;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= readableByAll;
    for (const item of volume.downwardAPI.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ||= "v1";
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim) {
    claim.metadata ??= {};
    claim.spec.volumeMode ??= "Filesystem";
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= readableByAll;
    for (const source of volume.projected.sources ?? []) {
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
      for (const item of source.downwardAPI?.items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ||= "v1";
    }
  }
}
