import type { DisruptionBudget } from "../../src/core/model/disruption-budget.ts";
import { zoneLabel } from "../../src/core/model/labels.ts";
import type { Owner, Pod, PodSpec, TopologySpread } from "../../src/core/model/pod.ts";
import { noResources } from "../../src/core/model/resources.ts";

/** What a test says of a pod; the annotation is that of do-not-disrupt. */
export interface ModelPodFields extends Partial<Omit<Pod, "spec" | "labels" | "annotations">> {
  readonly doNotDisrupt?: string;
  readonly app?: string;
  readonly spec?: Partial<PodSpec>;
}

/** A ready pod that runs on a node with half a minute to end. */
export function modelPod(name: string, { doNotDisrupt, app, spec, ...fields }: ModelPodFields = {}): Pod {
  return {
    namespace: "default",
    name,
    uid: `uid-${name}`,
    labels: new Map(app === undefined ? [] : [["app", app]]),
    annotations: new Map(doNotDisrupt === undefined ? [] : [["karpenter.sh/do-not-disrupt", doNotDisrupt]]),
    createdAt: 0,
    startedAt: 0,
    readyAt: 0,
    isDeleting: fields.deletesAt !== undefined,
    deletesAt: undefined,
    graceSeconds: 30,
    priorityClassName: "",
    serviceAccountName: "default",
    phase: "Running",
    scheduledReason: "",
    scheduledAt: 0,
    isGated: false,
    isEdited: false,
    isUncounted: false,
    nodeName: "node",
    nominatedNodeName: "",
    owners: [],
    limits: noResources,
    ...fields,
    spec: {
      requests: new Map(),
      priority: 0,
      nodeSelector: new Map(),
      requiredNodeTerms: [],
      preferredNodeTerms: [],
      podAffinity: [],
      podAntiAffinity: [],
      preferredPodAffinity: [],
      preferredPodAntiAffinity: [],
      topologySpread: [],
      tolerations: [],
      hostPorts: [],
      volumeClaims: [],
      usesResourceClaims: false,
      ...spec,
    },
  };
}

/** Over zones, as most pods ask for that must spread. */
export function modelSpread(fields: Partial<TopologySpread> = {}): TopologySpread {
  return {
    topologyKey: zoneLabel,
    maxSkew: 1,
    minDomains: undefined,
    isRequired: true,
    selector: undefined,
    matchLabelKeys: [],
    honorsNodeAffinity: true,
    honorsNodeTaints: false,
    ...fields,
  };
}

export const daemonSetOwner: Owner = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  name: "agent",
  uid: "",
  isController: true,
};
export const nodeOwner: Owner = { apiVersion: "v1", kind: "Node", name: "node", uid: "", isController: true };

/** A budget for the pods of an app. */
export function modelBudget(app: string, fields: Partial<DisruptionBudget> = {}): DisruptionBudget {
  return {
    namespace: "default",
    name: app,
    selector: { expressions: [{ key: "app", operator: "In", values: [app] }] },
    disruptionsAllowed: 0,
    alwaysAllowsUnhealthy: false,
    neverAllows: false,
    ...fields,
  };
}
