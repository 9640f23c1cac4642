import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { labelSelectorMatch } from "../api/label-selector.ts";
import type { ControlLoop } from "../control-loop.ts";
import { keyOf } from "../storage/collection.ts";
import { controllerOf } from "./object-index.ts";
import type { Resource, Stored } from "./resource.ts";

interface Watched<T extends object, C extends { spec?: { selector?: LabelSelector } }> {
  readonly dependents: Resource<T>;
  readonly controllers: Resource<C>;
  readonly loop: ControlLoop;
  /** Told the uid of a controller that is gone. */
  readonly onGone: (uid: string) => void;
}

/** Has controllers looked at: now, when they change, and when something does that they control or could adopt. Returns how to stop. */
export function enqueueControllers<T extends object, C extends { spec?: { selector?: LabelSelector } }>({
  dependents,
  controllers,
  loop,
  onGone,
}: Watched<T, C>): () => void {
  const { kind } = controllers.definition;
  const enqueueOwner = (object: Stored<T>): boolean => {
    const owner = controllerOf(object);
    if (owner?.kind === kind) loop.enqueue(`${object.metadata.namespace}/${owner.name}`);
    return owner !== undefined;
  };
  const enqueueAdopters = ({ metadata }: Stored<T>): void => {
    for (const controller of controllers.list(metadata.namespace)) {
      if (labelSelectorMatch(controller.spec?.selector)(metadata.labels ?? {})) loop.enqueue(keyOf(controller));
    }
  };
  const stopControllers = controllers.subscribe(({ object, type }) => {
    if (type === "DELETED") onGone(object.metadata.uid);
    loop.enqueue(keyOf(object));
  });
  const stopDependents = dependents.subscribe(({ type, object, previous }) => {
    if (!enqueueOwner(object) && type !== "DELETED") enqueueAdopters(object);
    if (previous !== undefined && previous.metadata.ownerReferences !== object.metadata.ownerReferences) {
      enqueueOwner(previous);
    }
  });
  for (const controller of controllers.list()) loop.enqueue(keyOf(controller));
  return () => {
    stopControllers();
    stopDependents();
  };
}
