import { ApiError, forbidden } from "./api/api-error.ts";
import type { Admission } from "./api/object-api.ts";
import { type AdmissionLookup, admit } from "./kinds/admission.ts";
import type { KubeObject } from "./kube-object.ts";
import type { ObjectStore } from "./storage/object-store.ts";

/** The changes and refusals that clusters have by default, looking things up in the store. */
export function admissionFor(store: ObjectStore): Admission {
  const lookup: AdmissionLookup = {
    priorityClasses: () => store.collection("priorityclasses.scheduling.k8s.io").list(),
    runtimeClass: (name) => findRuntimeClass(store, name),
    storageClasses: () => store.collection("storageclasses.storage.k8s.io").list(),
    serviceAccount: (namespace, name) => store.collection("serviceaccounts").get(`${namespace}/${name}`),
    node: (name) => store.collection("nodes").get(name),
  };
  return (draft, { group, plural }, old) => {
    const refusal = admit({ draft, old, group, plural }, lookup);
    if (refusal !== undefined) throw forbidden({ group, plural }, draft.metadata.name ?? "", refusal);
  };
}

/** Admission, and after it the webhooks in their order; what they add to a new object gets its defaults. */
export function withWebhooks(admission: Admission, webhooks: ReadonlySet<Admission>): Admission {
  return (draft, definition, old) => {
    admission(draft, definition, old);
    for (const review of webhooks) {
      review(draft, definition, old);
      if (old === undefined) definition.setDefaults?.(draft);
    }
  };
}

/** The admission of a real server asks for the class with its own client, which refuses to ask for an empty name. */
function findRuntimeClass(store: ObjectStore, name: string): KubeObject | undefined {
  if (name === "") throw new ApiError(500, "", "resource name may not be empty");
  return store.collection("runtimeclasses.node.k8s.io").get(name);
}
