import type { Container, PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { cellOf, wideColumn } from "./columns.ts";
import { formatSelector } from "./label-text.ts";
import type { Column } from "./resource-definition.ts";

interface Workload {
  readonly spec?: { readonly template?: PodTemplateSpec; readonly selector?: LabelSelector };
}

/** The containers and images of the pods that a workload makes, which most workloads show with `-o wide`. */
export const templateColumns: readonly Column[] = [
  wideColumn(
    "Containers",
    "Names of the containers.",
    cellOf((workload: Workload) => containerNames(containersOf(workload))),
  ),
  wideColumn(
    "Images",
    "Images of the containers.",
    cellOf((workload: Workload) => containerImages(containersOf(workload))),
  ),
];

export const selectorColumn: Column = wideColumn(
  "Selector",
  "Which pods belong to it.",
  cellOf(({ spec }: Workload) => formatSelector(spec?.selector)),
);

function containersOf({ spec }: Workload): readonly Container[] {
  return spec?.template?.spec?.containers ?? [];
}

export function containerNames(containers: readonly Container[]): string {
  return containers.map(({ name }) => name).join(",");
}

export function containerImages(containers: readonly Container[]): string {
  return containers.map(({ image = "" }) => image).join(",");
}
