import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from "kubernetes-types/apiextensions/v1.js";
import { areEqual, isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";

/** Where the API server looks for a part that versions may have: once for all of them, or in each. */
export interface Placed<Part> {
  readonly part: Part;
  /** As in `spec.validation.openAPIV3Schema` or `spec.versions[1].schema.openAPIV3Schema`. */
  readonly field: string;
  /** The version that it stands in; absent for all of them. */
  readonly version?: CustomResourceDefinitionVersion;
}

interface Place<Part> {
  readonly read: (version: CustomResourceDefinitionVersion) => Part | undefined;
  /** The field of the specification that the server moves it to when all versions agree. */
  readonly shared: string;
  /** The field of a version. */
  readonly own: string;
}

/** A part that is the same in all versions is moved to the specification before the server judges it. */
export function placed<Part>({ versions }: CustomResourceDefinitionSpec, place: Place<Part>): Placed<Part>[] {
  const [first, ...rest] = versions;
  const part = first === undefined ? undefined : place.read(first);
  if (part === undefined) return separately(versions, place);
  if (rest.every((version) => areEqual(place.read(version), part))) return [{ part, field: `spec.${place.shared}` }];
  return separately(versions, place);
}

function separately<Part>(
  versions: readonly CustomResourceDefinitionVersion[],
  { read, own }: Place<Part>,
): Placed<Part>[] {
  return versions.flatMap((version, index) => {
    const part = read(version);
    return part === undefined ? [] : [{ part, field: `spec.versions[${index}].${own}`, version }];
  });
}

export function hasStatus(subresources: CustomResourceSubresources | undefined): boolean {
  return subresources?.status !== undefined;
}

export function conditionOf({ status }: CustomResourceDefinition, type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

export function schemaOfVersion({ schema }: CustomResourceDefinitionVersion): JsonObject | undefined {
  return isJsonObject(schema?.openAPIV3Schema) ? schema.openAPIV3Schema : undefined;
}
