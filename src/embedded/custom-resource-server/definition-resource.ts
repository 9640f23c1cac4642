import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import {
  noteStoredVersion,
  prepareNewDefinition,
  setDefinitionDefaults,
} from "../custom-resources/definition-defaults.ts";
import {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionUpdate,
} from "../custom-resources/validate-definition.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { holdForCleanup } from "./custom-resource-server.ts";

/** The resource CustomResourceDefinition with its rules. */
export function withDefinitionRules(resource: ResourceDefinition): ResourceDefinition {
  return {
    ...resource,
    setDefaults: (draft) => setDefinitionDefaults(read(draft)),
    prepareCreate: (draft) => prepareNewDefinition(read(draft)),
    prepareUpdate: (draft) => noteStoredVersion(read(draft)),
    prepareDelete: (draft) => holdForCleanup(draft.metadata),
    validate: (draft) => validateCustomResourceDefinition(read(draft)),
    validateUpdate: (draft, old) => validateCustomResourceDefinitionUpdate(read(draft), read(old)),
  };
}

/** Whatever somebody leaves out is there after this, if only empty. */
function read(object: Draft | KubeObject): CustomResourceDefinition {
  const definition = object as unknown as CustomResourceDefinition;
  const spec = (definition.spec ?? {}) as CustomResourceDefinition["spec"];
  if (definition.spec === undefined) Object.assign(object, { spec });
  spec.names ??= { kind: "", plural: "" };
  spec.versions ??= [];
  spec.group ??= "";
  spec.scope ??= "";
  return definition;
}
