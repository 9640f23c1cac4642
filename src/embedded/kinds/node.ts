import type { Node, NodeSpec } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { roundResources } from "./resource-list.ts";
import { warnAboutCidr } from "./validation/validate-address.ts";
import { validateNode, validateNodeUpdate } from "./validation/validate-node.ts";

export const nodeResource: ResourceDefinition = defineResource({
  group: "",
  kind: "Node",
  plural: "nodes",
  shortNames: ["no"],
  isNamespaced: false,
  hasStatus: true,
  keepsStatusOnCreate: true,
  columns: [
    nameColumn,
    textColumn("Status", "Whether the node is ready and open for pods.", cellOf(statusOf)),
    textColumn("Roles", "What the node is for.", cellOf(rolesOf)),
    ageColumn,
    textColumn(
      "Version",
      "Version of the kubelet.",
      cellOf(({ status }: Node) => status?.nodeInfo?.kubeletVersion ?? ""),
    ),
    wideColumn(
      "Internal-IP",
      "Address inside the cluster.",
      cellOf((node: Node) => addressOf(node, "InternalIP")),
    ),
    wideColumn(
      "External-IP",
      "Address outside the cluster.",
      cellOf((node: Node) => addressOf(node, "ExternalIP")),
    ),
    wideColumn(
      "OS-Image",
      "Operating system.",
      cellOf(({ status }: Node) => status?.nodeInfo?.osImage || "<unknown>"),
    ),
    wideColumn("Kernel-Version", "Kernel and architecture.", cellOf(kernelOf)),
    wideColumn(
      "Container-Runtime",
      "Container runtime.",
      cellOf(({ status }: Node) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>"),
    ),
  ],
  selectableFields: (object) => ({
    "spec.unschedulable": String((object as unknown as Node).spec?.unschedulable ?? false),
  }),
  setDefaults,
  validate: validateNode,
  validateUpdate: (draft, old) => [...validateNode(draft), ...validateNodeUpdate(draft, old)],
  validateStatus: validateNodeUpdate,
  warn: warnAboutNode,
});

function statusOf({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesOf({ metadata }: Node): string {
  const roles = Object.entries(metadata?.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  const named = [...new Set(roles.filter((role) => role !== ""))].sort();
  return named.length === 0 ? "<none>" : named.join(",");
}

function addressOf({ status }: Node, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? "<none>";
}

function kernelOf({ status }: Node): string {
  const { kernelVersion, architecture } = status?.nodeInfo ?? {};
  return `${kernelVersion || "<unknown>"}${architecture ? ` (${architecture})` : ""}`;
}

interface NodeStatusDraft {
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  daemonEndpoints?: { kubeletEndpoint?: object };
  nodeInfo?: object;
  conditions?: { lastHeartbeatTime?: string | null; lastTransitionTime?: string | null }[];
}

/** Fields that are on the wire although they say nothing. */
const noInfo = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  containerRuntimeVersion: "",
  kubeletVersion: "",
  kubeProxyVersion: "",
  operatingSystem: "",
  architecture: "",
};

function setDefaults(draft: Draft): void {
  const { spec } = draft as unknown as Node;
  if (spec !== undefined) setSpecDefaults(spec);
  draft.status ??= {};
  const status = draft.status as NodeStatusDraft;
  status.daemonEndpoints = { kubeletEndpoint: { Port: 0, ...status.daemonEndpoints?.kubeletEndpoint } };
  status.nodeInfo = { ...noInfo, ...status.nodeInfo };
  for (const condition of status.conditions ?? []) {
    condition.lastHeartbeatTime ??= null;
    condition.lastTransitionTime ??= null;
  }
  roundResources(status.capacity);
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
  roundResources(status.allocatable);
}

/** The pods of a node had one range of addresses before they could have two; older writers know only that one. */
function setSpecDefaults(spec: NodeSpec): void {
  const [first = ""] = spec.podCIDRs ?? [];
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (first !== "") spec.podCIDR = first;
  // A feature of the past, which the server drops.
  delete spec.configSource;
}

function warnAboutNode(draft: Draft): string[] {
  const { externalID, podCIDRs = [] } = (draft as unknown as Node).spec ?? {};
  return [
    ...(externalID ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : []),
    ...podCIDRs.flatMap((cidr, index) => warnAboutCidr(cidr, `spec.podCIDRs[${index}]`)),
  ];
}
