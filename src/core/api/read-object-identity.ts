import type { ObjectIdentity } from "../model/object-identity.ts";
import type { Field } from "./field.ts";

/** What the metadata of any object say. Files written by hand give no uid; the name is as good within one file. */
export function readObjectIdentity(metadata: Field): ObjectIdentity {
  const name = metadata.at("name").requiredText();
  return {
    name,
    uid: metadata.at("uid").text() ?? name,
    resourceVersion: metadata.at("resourceVersion").text() ?? "",
    generation: metadata.at("generation").integer(0, Number.MAX_SAFE_INTEGER) ?? 0,
    createdAt: metadata.at("creationTimestamp").time() ?? 0,
    deletedAt: metadata.at("deletionTimestamp").time(),
    finalizers: metadata.at("finalizers").texts(),
  };
}
