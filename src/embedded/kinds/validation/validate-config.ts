import type { ConfigMap, Secret } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required, tooLong } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { invalid, invalidForEach } from "../refusals.ts";
import { configKeyProblems } from "../value-rules.ts";
import { isSameValue, validateImmutable } from "./same-value.ts";

const mostBytes = 1024 * 1024;

export function validateConfigMap(draft: Draft): FieldError[] {
  const { data = {}, binaryData = {} } = draft as unknown as ConfigMap;
  const errors = Object.keys(data).flatMap((key) => {
    const problems = invalidForEach(`data[${key}]`, key, configKeyProblems(key));
    const isTwice = Object.hasOwn(binaryData, key);
    return isTwice ? [...problems, invalid(`data[${key}]`, key, "duplicate of key present in binaryData")] : problems;
  });
  errors.push(
    ...Object.keys(binaryData).flatMap((key) => invalidForEach(`binaryData[${key}]`, key, configKeyProblems(key))),
  );
  const size = sizeOf(Object.values(data), "utf8") + sizeOf(Object.values(binaryData), "base64");
  return size > mostBytes ? [...errors, tooLong("[]", mostBytes)] : errors;
}

export function validateConfigMapUpdate(draft: Draft, old: KubeObject): FieldError[] {
  return [...validateFrozen(draft, old, ["data", "binaryData"]), ...validateConfigMap(draft)];
}

export function validateSecret(draft: Draft): FieldError[] {
  const { metadata, data = {}, type } = draft as unknown as Secret;
  const errors = Object.keys(data).flatMap((key) => invalidForEach(`data[${key}]`, key, configKeyProblems(key)));
  if (sizeOf(Object.values(data), "base64") > mostBytes) errors.push(tooLong("data", mostBytes));
  const accountKey = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !metadata?.annotations?.[accountKey]) {
    errors.push(required(`metadata.annotations[${accountKey}]`));
  }
  return [...errors, ...neededKeys(type, data).map((key) => required(`data[${key}]`))];
}

/** What secrets of a well-known type cannot be without. */
function neededKeys(type: string | undefined, data: Readonly<Record<string, string>>): string[] {
  const missing = (...keys: string[]): string[] => keys.filter((key) => !Object.hasOwn(data, key));
  switch (type) {
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    case "kubernetes.io/dockercfg":
      return missing(".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return missing(".dockerconfigjson");
    case "kubernetes.io/ssh-auth":
      return missing("ssh-privatekey");
    case "kubernetes.io/basic-auth": {
      const absent = missing("username", "password");
      return absent.length === 2 ? absent : [];
    }
    default:
      return [];
  }
}

export function validateSecretUpdate(draft: Draft, old: KubeObject): FieldError[] {
  return [
    ...validateImmutable(draft.type, old.type, "type"),
    ...validateFrozen(draft, old, ["data"]),
    ...validateSecret(draft),
  ];
}

function validateFrozen(draft: Draft, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  const errors = draft.immutable === true ? [] : [forbidden("immutable", detail)];
  const changed = fields.filter((field) => !isSameValue(draft[field], old[field]));
  return [...errors, ...changed.map((field) => forbidden(field, detail))];
}

function sizeOf(values: readonly string[], encoding: "utf8" | "base64"): number {
  return values.reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}
