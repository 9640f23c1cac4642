import type { ConditionOwner } from "../model/condition.ts";
import type { ObjectIdentity } from "../model/object-identity.ts";
import { nameObject, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { readObjectIdentity } from "./read-object-identity.ts";

/** Of an object of any kind no more than its conditions depend on. */
export function readConditionOwner(wire: unknown, kind: string): Read<ObjectIdentity & ConditionOwner> {
  const object = openObject(wire, nameObject(wire, kind));
  return object.log.conclude({ ...readObjectIdentity(object.at("metadata")), conditions: readConditions(object) });
}
