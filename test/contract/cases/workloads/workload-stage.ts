import type { ContractCase, Json, Recorder } from "../../contract-case.ts";
import { stage } from "../../resource.ts";

/** A node for this case alone: pods of other cases do not fit. */
export async function createNode(api: Recorder, name: string): Promise<void> {
  const path = "/api/v1/nodes";
  const capacity = { cpu: "8", memory: "32Gi", pods: "110" };
  const metadata = {
    name,
    labels: { case: api.namespace, "kubernetes.io/hostname": name },
    annotations: { "kwok.x-k8s.io/node": "fake" },
  };
  await stage(api).request({ method: "POST", path, body: { metadata, status: { capacity, allocatable: capacity } } });
  api.afterwards({ method: "DELETE", path: `${path}/${name}` });
}

/** A template whose pods go to the nodes of the case. */
export function template(api: Recorder, spec: object = {}, labels: object = { app: "web" }) {
  return {
    metadata: { labels },
    spec: {
      nodeSelector: { case: api.namespace },
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "example.com/main:1" }],
      ...spec,
    },
  };
}

/** A case with a namespace and a node. Its namespace has the service account that a controller makes. */
export function onNode(name: string, about: string, run: ContractCase["run"]): ContractCase {
  return {
    name,
    about,
    async run(api) {
      const path = "/api/v1/namespaces";
      await stage(api).request({ method: "POST", path, body: { metadata: { name: api.namespace } } });
      api.afterwards({ method: "DELETE", path: `${path}/${api.namespace}` });
      await waitForAccount(api);
      await createNode(api, `${api.prefix}-1`);
      await run(api);
    },
  };
}

async function waitForAccount(api: Recorder): Promise<void> {
  const path = `/api/v1/namespaces/${api.namespace}/serviceaccounts/default`;
  for (let tries = 0; tries < 400 && (await api.quietly({ path })).status !== 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** What of a pod does not depend on chance. */
export function podOutlines({ items }: Json): Json[] {
  const outlines = items.map(({ metadata, spec, status }: Json) => ({
    labels: metadata.labels,
    generateName: metadata.generateName,
    ...(metadata.generateName === undefined || metadata.labels?.["apps.kubernetes.io/pod-index"] !== undefined
      ? { name: metadata.name }
      : {}),
    owners: metadata.ownerReferences?.map(({ uid: _, ...owner }: Json) => owner),
    finalizers: metadata.finalizers,
    isEnding: metadata.deletionTimestamp !== undefined,
    image: spec.containers[0].image,
    phase: status.phase,
    ready: status.phase === "Running" && status.conditions?.find(({ type }: Json) => type === "Ready")?.status,
    // On a node, kwok and the scheduler may have overwritten each other's conditions.
    scheduled:
      spec.nodeName === undefined && status.conditions?.find(({ type }: Json) => type === "PodScheduled")?.status,
  }));
  const text = (outline: Json) => JSON.stringify(outline);
  return outlines.toSorted((left: Json, right: Json) => (text(left) < text(right) ? -1 : 1));
}

/** Without times, and with conditions in one order. */
export function statusOf({ metadata, status, spec }: Json): Json {
  const { conditions, ...rest } = status ?? {};
  return {
    generation: metadata.generation,
    replicas: spec?.replicas,
    annotations: metadata.annotations,
    ...(conditions === undefined ? {} : { conditions: outlineConditions(conditions) }),
    status: rest,
  };
}

/** Which replica set a message names depends on when the real controller last had a reason to write it. */
export function outlineConditions(conditions: Json): Json {
  const withoutName = (text: string | undefined) => text?.replace(/ReplicaSet "[^"]*"/, "ReplicaSet");
  return conditions
    .map(({ type, status, reason, message }: Json) => ({ type, status, reason, message: withoutName(message) }))
    .toSorted((left: Json, right: Json) => (left.type < right.type ? -1 : 1));
}

export const areReady = (count: number) => (pods: Json[]) =>
  pods.length === count && pods.every(({ ready, isEnding }) => ready === "True" && !isEnding);
