import type { Labels } from "../model/labels.ts";
import type { Selector } from "../model/selector.ts";
import type { ServiceSelector } from "../model/snapshot.ts";
import { isOptedOut } from "../model/workload.ts";
import { nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readMatchLabels, readSelector } from "./read-selector.ts";

export interface Namespace {
  readonly name: string;
  readonly labels: Labels;
  /** Nothing is to be bought for pods of its workloads that do not exist yet. */
  readonly isOptedOut: boolean;
}

/** Every namespace has its name among its labels: the API server sees to that, a file may not. */
export function readNamespace(wire: unknown): Read<Namespace> {
  const namespace = openObject(wire, nameObject(wire, "Namespace"));
  const metadata = namespace.at("metadata");
  const name = metadata.at("name").requiredText();
  const labels = new Map([...metadata.at("labels").labels(), ["kubernetes.io/metadata.name", name]]);
  return namespace.log.conclude({ name, labels, isOptedOut: isOptedOut(labels, metadata.at("annotations").labels()) });
}

/** A service without a selector has no labels here, and no pods. */
export function readService(wire: unknown): Read<ServiceSelector> {
  const service = openObject(wire, nameObject(wire, "Service", "default"));
  return service.log.conclude({
    namespace: namespaceOf(service.at("metadata")),
    labels: service.at("spec").at("selector").labels(),
  });
}

export interface ControllerSelector {
  /** `namespace/kind/name` */
  readonly key: string;
  readonly selector: Selector | undefined;
}

export type SelectingKind = "ReplicaSet" | "StatefulSet" | "ReplicationController";

export function readControllerSelector(wire: unknown, kind: SelectingKind): Read<ControllerSelector> {
  const controller = openObject(wire, nameObject(wire, kind, "default"));
  const metadata = controller.at("metadata");
  const selector = controller.at("spec").at("selector");
  return controller.log.conclude({
    key: `${namespaceOf(metadata)}/${kind}/${metadata.at("name").requiredText()}`,
    // A ReplicationController is older than selectors with expressions.
    selector: kind === "ReplicationController" ? { expressions: readMatchLabels(selector) } : readSelector(selector),
  });
}
