import type { Labels } from "../model/labels.ts";
import type { Selector } from "../model/selector.ts";
import type { ServiceSelector } from "../model/snapshot.ts";
import { nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readMatchLabels, readSelector } from "./read-selector.ts";

export interface Namespace {
  readonly name: string;
  readonly labels: Labels;
}

/** Every namespace has its name among its labels: the API server sees to that, a file may not. */
export function readNamespace(wire: unknown): Read<Namespace> {
  const namespace = openObject(wire, nameObject(wire, "Namespace"));
  const name = namespace.at("metadata").at("name").requiredText();
  const labels = new Map([...namespace.at("metadata").at("labels").labels(), ["kubernetes.io/metadata.name", name]]);
  return namespace.log.conclude({ name, labels });
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
