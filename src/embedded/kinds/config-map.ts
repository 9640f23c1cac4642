import type { ConfigMap, Secret, ServiceAccount } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateSecret,
  validateSecretUpdate,
} from "./validation/validate-config.ts";

export const configMapResource: ResourceDefinition = defineResource({
  group: "",
  kind: "ConfigMap",
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
  plural: "configmaps",
  shortNames: ["cm"],
  columns: [
    nameColumn,
    textColumn(
      "Data",
      "How many entries it has.",
      cellOf(({ data, binaryData }: ConfigMap) => count(data) + count(binaryData)),
    ),
    ageColumn,
  ],
});

export const secretResource: ResourceDefinition = defineResource({
  group: "",
  kind: "Secret",
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
  plural: "secrets",
  columns: [
    nameColumn,
    textColumn(
      "Type",
      "What the secret is for.",
      cellOf(({ type }: Secret) => type ?? ""),
    ),
    textColumn(
      "Data",
      "How many entries it has.",
      cellOf(({ data }: Secret) => count(data)),
    ),
    ageColumn,
  ],
  selectableFields: (object) => ({ type: (object as unknown as Secret).type ?? "" }),
  setDefaults: (draft) => {
    const secret = draft as unknown as Secret;
    secret.type ||= "Opaque";
    // What was written in the clear is stored with the rest, and never shown again.
    for (const [key, value] of Object.entries(secret.stringData ?? {})) {
      secret.data = { ...secret.data, [key]: Buffer.from(value).toString("base64") };
    }
    delete secret.stringData;
  },
});

export const serviceAccountResource: ResourceDefinition = defineResource({
  group: "",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  returnsDeletedObject: true,
  prepareCreate: keepSecretNames,
  prepareUpdate: keepSecretNames,
  shortNames: ["sa"],
  columns: [nameColumn, ageColumn],
});

/** Of the secrets that an account refers to, only the names are kept. */
function keepSecretNames(draft: Draft): void {
  const account = draft as unknown as ServiceAccount;
  if (account.secrets !== undefined)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

function count(entries: object | undefined): number {
  return Object.keys(entries ?? {}).length;
}
