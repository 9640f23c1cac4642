import type { Pod } from "kubernetes-types/core/v1.js";
import { isJsonObject, type JsonObject } from "../../kube-object.ts";
import { timestamp } from "../../timestamp.ts";
import { badRequest, conflict, invalid } from "../api-error.ts";
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
  if (typeof metadata.name === "string" && metadata.name !== address.name) {
    throw badRequest(`name in URL does not match name in Binding object`);
  }
  const node = target.name;
  if (target.kind !== undefined && target.kind !== "" && target.kind !== "Node") {
    throw invalid({ kind: "Binding", group: "" }, address.name, [
      {
        type: "notSupported",
        field: "target.kind",
        value: JSON.stringify(target.kind),
        detail: 'supported values: "Node", "<empty>"',
      },
    ]);
  }
  if (typeof node !== "string" || node === "") {
    throw invalid({ kind: "Binding", group: "" }, address.name, [
      { type: "required", field: "target.name", detail: "" },
    ]);
  }
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

const bindings = { group: "", plural: "pods/binding" };

function bound(pod: Pod, { node, metadata, api }: Place): JsonObject {
  const name = pod.metadata?.name ?? "";
  if (typeof metadata.uid === "string" && metadata.uid !== pod.metadata?.uid) {
    throw conflict(
      bindings,
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${pod.metadata?.uid}`,
    );
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
  const annotations = { ...pod.metadata?.annotations, ...(metadata.annotations as Record<string, string> | undefined) };
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { ...pod.spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  } as unknown as JsonObject;
}
