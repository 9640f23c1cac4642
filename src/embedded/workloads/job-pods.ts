import type { Job } from "kubernetes-types/batch/v1.js";
import type { Container, EnvVar, Pod } from "kubernetes-types/core/v1.js";
import { isPodActive } from "../pod-state.ts";
import { podFromTemplate } from "./create-pod.ts";
import type { Stored } from "./resource.ts";

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexKey = "batch.kubernetes.io/job-completion-index";

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

export function indexOf({ metadata }: Stored<Pod>): number {
  return Number.parseInt(metadata.annotations?.[indexKey] ?? "-1", 10);
}

/** A pod of the job, which waits for the job to have counted it before it goes. */
export function jobPod(job: Stored<Job>, index: number | undefined): Pod {
  const template = job.spec?.template ?? {};
  const pod = podFromTemplate(job, template);
  const metadata = { ...pod.metadata, finalizers: [...(pod.metadata?.finalizers ?? []), trackingFinalizer] };
  if (index === undefined) return { ...pod, metadata };
  const name = `${job.metadata.name}-${index}`;
  const podSpec = template.spec ?? { containers: [] };
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: `${name}-`,
      labels: { ...metadata.labels, [indexKey]: String(index) },
      annotations: { ...metadata.annotations, [indexKey]: String(index) },
    },
    spec: {
      ...podSpec,
      hostname: podSpec.hostname ?? name,
      containers: podSpec.containers.map(withIndex),
      ...(podSpec.initContainers === undefined ? {} : { initContainers: podSpec.initContainers.map(withIndex) }),
    },
  };
}

function withIndex(container: Container): Container {
  const name = "JOB_COMPLETION_INDEX";
  if (container.env?.some((variable) => variable.name === name)) return container;
  const variable: EnvVar = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } } };
  return { ...container, env: [...(container.env ?? []), variable] };
}

/** `0-2,5` as numbers. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",").filter((piece) => piece !== "")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** Numbers as `0-2,5`. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const ranges: [first: number, last: number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges
    .map(([first, last]) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(",");
}

/** The lowest indexes that neither succeeded nor are being worked on. */
export function missingIndexes(job: Job, pods: readonly Stored<Pod>[], done: ReadonlySet<number>): number[] {
  const busy = new Set(pods.filter(isPodActive).map(indexOf));
  const all = Array.from({ length: job.spec?.completions ?? 0 }, (_, index) => index);
  return all.filter((index) => !done.has(index) && !busy.has(index));
}
