import { forbidden } from "./api/api-error.ts";
import type { Admission } from "./api/object-api.ts";
import { type AdmissionLookup, admit } from "./kinds/admission.ts";
import type { ObjectStore } from "./storage/object-store.ts";

/** The changes and refusals that clusters have by default, looking things up in the store. */
export function admissionFor(store: ObjectStore): Admission {
  const lookup: AdmissionLookup = {
    priorityClasses: () => store.collection("priorityclasses.scheduling.k8s.io").list(),
    storageClasses: () => store.collection("storageclasses.storage.k8s.io").list(),
    serviceAccount: (namespace, name) => store.collection("serviceaccounts").get(`${namespace}/${name}`),
    node: (name) => store.collection("nodes").get(name),
  };
  return (draft, { group, plural }, old) => {
    const refusal = admit({ draft, old, group, plural }, lookup);
    if (refusal !== undefined) throw forbidden({ group, plural }, draft.metadata.name ?? "", refusal);
  };
}
