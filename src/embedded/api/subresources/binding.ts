import type { Pod } from "kubernetes-types/core/v1.js";
import { describeFieldError, type FieldError } from "../../../core/api/field-error.ts";
import { isJsonObject, type JsonObject } from "../../../core/api/schema/json.ts";
import { notSupported, required } from "../../../core/api/schema/refusals.ts";
import { topologyLabels } from "../../kinds/admission.ts";
import { timestamp } from "../../timestamp.ts";
import { ApiError, badRequest, conflict } from "../api-error.ts";
import type { Address, ObjectApi } from "../object-api.ts";
import type { WriteOptions } from "../write-options.ts";

/** Puts a pod on a node, once and for all. */
export function bindPod(
  api: ObjectApi,
  address: Address,
  write: { binding: JsonObject; options: WriteOptions },
): JsonObject {
  const { binding } = write;
  const target = isJsonObject(binding.target) ? binding.target : {};
  const metadata = isJsonObject(binding.metadata) ? binding.metadata : {};
  if (metadata.name !== address.name) {
    throw badRequest(`name in URL does not match name in Binding object`);
  }
  const node = target.name;
  if (target.kind !== undefined && target.kind !== "" && target.kind !== "Node") {
    throw failure(notSupported("target.kind", target.kind, ["Node", "<empty>"]));
  }
  if (typeof node !== "string" || node === "") throw failure(required("target.name"));
  api.patch(address, (current) => bound(current as unknown as Pod, { node, metadata, api }), {
    ...write.options,
    subresource: "binding",
  });
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

interface Place {
  readonly node: string;
  readonly metadata: JsonObject;
  readonly api: ObjectApi;
}

/** A mistake in a binding is told like a mistake of the server. */
function failure(error: FieldError): ApiError {
  return new ApiError(500, "", describeFieldError(error));
}

const bindings = { group: "", plural: "pods/binding" };

function bound(pod: Pod, { node, metadata, api }: Place): JsonObject {
  const name = pod.metadata?.name ?? "";
  if (typeof metadata.uid === "string" && metadata.uid !== pod.metadata?.uid) {
    const what = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${pod.metadata?.uid}`;
    const key = `/registry/pods/${pod.metadata?.namespace}/${name}`;
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}`;
    throw conflict({ group: "", plural: "pods" }, name, why);
  }
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw conflict(bindings, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((pod.spec?.nodeName ?? "") !== "") {
    throw conflict(bindings, name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec?.nodeName)}`);
  }
  if ((pod.spec?.schedulingGates ?? []).length > 0) {
    throw conflict(bindings, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const { nominatedNodeName: _, ...status } = (pod.status ?? {}) as NonNullable<Pod["status"]>;
  const others = (status.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const before = (status.conditions ?? []).find(({ type }) => type === "PodScheduled");
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: before?.status === "True" ? before.lastTransitionTime : timestamp(api.clock.now()),
  };
  const annotations = joined(pod.metadata?.annotations, metadata.annotations);
  const topology = topologyLabels(api.store.collection("nodes").get(node));
  const labels = joined(joined(pod.metadata?.labels, metadata.labels), topology);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: { ...pod.spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  } as unknown as JsonObject;
}

/** What the binding says is added to what the pod has. */
function joined(own: Readonly<Record<string, string>> | undefined, added: unknown): Record<string, string> | undefined {
  if (own === undefined && added === undefined) return undefined;
  return { ...own, ...(added as Record<string, string> | undefined) };
}
