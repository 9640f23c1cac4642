import type { Answer, ContractCase, Json, Recorder } from "../../contract-case.ts";
import { clusterResource, resource, stage } from "../../resource.ts";
import { areReady, onNode, outlineConditions, podOutlines, template } from "./workload-stage.ts";

const selector = { matchLabels: { app: "web" } };

async function createDeployment(api: Recorder, replicas: number): Promise<void> {
  const spec = { replicas, selector, template: template(api) };
  await resource(stage(api), "apps/v1/deployments").create({ metadata: { name: "web" }, spec });
  await waitForPods(api, replicas);
}

async function waitForPods(api: Recorder, count: number): Promise<void> {
  const { path } = resource(api, "pods");
  for (let tries = 0; tries < 1000; tries++) {
    if (areReady(count)(podOutlines((await api.quietly({ path })).body))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no ${count} pods are ready`);
}

const outlines = ({ items }: Json) =>
  items.map(({ metadata }: Json) => ({
    owners: metadata.ownerReferences,
    finalizers: metadata.finalizers,
    isEnding: metadata.deletionTimestamp !== undefined,
  }));
const isEmpty = (list: Json[]) => list.length === 0;
const budgetOutline = ({ metadata, status }: Json) => {
  const { conditions, ...rest } = status;
  return { generation: metadata.generation, conditions: outlineConditions(conditions ?? []), status: rest };
};

async function evictFirst(api: Recorder): Promise<Answer> {
  const pods = resource(api, "pods");
  const { body } = await api.quietly({ path: pods.path });
  const alive = body.items.find(({ metadata }: Json) => metadata.deletionTimestamp === undefined);
  const { name } = alive.metadata;
  return await api.quietly({ method: "POST", path: `${pods.path}/${name}/eviction`, body: { metadata: { name } } });
}

export const cleanUpCases: readonly ContractCase[] = [
  onNode("collect-background", "dependents go after their owner", async (api) => {
    await createDeployment(api, 2);
    await resource(api, "apps/v1/deployments").delete("web", { propagationPolicy: "Background" });
    await api.settle({ path: resource(api, "apps/v1/replicasets").path, select: outlines }, isEmpty);
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, isEmpty);
  }),
  onNode("collect-foreground", "dependents go before their owner", async (api) => {
    await createDeployment(api, 2);
    await resource(stage(api), "apps/v1/deployments").delete("web", { propagationPolicy: "Foreground" });
    await api.settle({ path: resource(api, "apps/v1/deployments").path, select: outlines }, isEmpty);
    await api.settle({ path: resource(api, "apps/v1/replicasets").path, select: outlines }, isEmpty);
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, isEmpty);
  }),
  onNode("collect-orphan", "orphans stay, without their owner", async (api) => {
    await createDeployment(api, 2);
    await resource(stage(api), "apps/v1/deployments").delete("web", { propagationPolicy: "Orphan" });
    await api.settle({ path: resource(api, "apps/v1/deployments").path, select: outlines }, isEmpty);
    await api.settle(
      { path: resource(api, "apps/v1/replicasets").path, select: outlines },
      ([set]) => set.owners === undefined,
    );
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(2));
  }),
  onNode("collect-chain", "what has no owner left goes, and what has one left stays", async (api) => {
    const maps = resource(stage(api), "configmaps");
    const make = async (name: string, owners: readonly Json[], more: object = {}) => {
      const ownerReferences = owners.map(({ metadata }) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: metadata.name,
        uid: metadata.uid,
      }));
      return (await maps.create({ metadata: { name, ownerReferences, ...more } })).body;
    };
    const first = await make("first", []);
    const second = await make("second", []);
    const middle = await make("middle", [first]);
    await make("leaf", [middle]);
    await make("shared", [first, second]);
    await make("held", [first], { finalizers: ["example.com/hold"] });
    const gone = { metadata: { name: "never", uid: "11111111-2222-4333-8444-555555555555" } };
    await make("stray", [gone]);
    await maps.delete("first", { propagationPolicy: "Background" });
    const named = ({ items }: Json) =>
      items
        .filter(({ metadata }: Json) => metadata.name !== "kube-root-ca.crt")
        .map(({ metadata }: Json) => ({
          name: metadata.name,
          owners: metadata.ownerReferences?.map(({ name }: Json) => name),
          isEnding: metadata.deletionTimestamp !== undefined,
        }));
    const call = { path: maps.path, select: named };
    await api.settle(call, ({ length }) => length === 3);
    await maps.merge("held", { metadata: { finalizers: null } });
    await api.settle(call, ({ length }) => length === 2);
  }),
  onNode("namespace-deletion", "all that is in a namespace goes before it", async (api) => {
    await createDeployment(api, 2);
    const namespaces = clusterResource(api, "namespaces");
    const maps = resource(stage(api), "configmaps");
    await maps.create({ metadata: { name: "held", finalizers: ["example.com/hold"] } });
    await clusterResource(stage(api), "namespaces").delete(api.namespace);
    const outline = ({ status, spec }: Json) => ({
      spec,
      phase: status.phase,
      conditions: outlineConditions(status.conditions ?? []),
    });
    const path = `${namespaces.path}/${api.namespace}`;
    const hasRemaining = ({ conditions }: Json) =>
      conditions.some(({ type, status }: Json) => type === "NamespaceFinalizersRemaining" && status === "True") &&
      !JSON.stringify(conditions).includes("pods. has");
    await api.settle({ path, select: outline }, hasRemaining);
    await maps.merge("held", { metadata: { finalizers: null } });
    await api.until({ path }, ({ status }) => status === 404);
  }),
  onNode("budget-status", "the status of a budget counts pods", async (api) => {
    const budgets = resource(stage(api), "policy/v1/poddisruptionbudgets");
    await budgets.create({ metadata: { name: "web" }, spec: { minAvailable: 2, selector } });
    await createDeployment(api, 3);
    const call = { path: `${budgets.path}/web`, select: budgetOutline };
    await api.settle(call, ({ status }) => status.currentHealthy === 3);
    await budgets.merge("web", { spec: { minAvailable: "50%" } });
    await api.settle(call, ({ status }) => status.observedGeneration === 2);
    await budgets.merge("web", { spec: { minAvailable: null, maxUnavailable: 3 } });
    await api.settle(call, ({ status }) => status.observedGeneration === 3);
    await resource(stage(api), "apps/v1/deployments").merge("web/scale", { spec: { replicas: 1 } });
    await api.settle(call, ({ status }) => status.expectedPods === 1 && status.currentHealthy === 1);
  }),
  onNode("budget-lonely", "a budget counts pods that nobody owns too", async (api) => {
    const pods = resource(stage(api), "pods");
    for (const name of ["a", "b"])
      await pods.create({ metadata: { name, labels: { app: "web" } }, spec: template(api).spec });
    await waitForPods(api, 2);
    const budgets = resource(stage(api), "policy/v1/poddisruptionbudgets");
    await budgets.create({ metadata: { name: "web" }, spec: { minAvailable: 1, selector } });
    await budgets.create({
      metadata: { name: "none" },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: "none" } } },
    });
    await api.settle(
      { path: `${budgets.path}/web`, select: budgetOutline },
      ({ status }) => status.observedGeneration === 1,
    );
    await api.settle(
      { path: `${budgets.path}/none`, select: budgetOutline },
      ({ status }) => status.observedGeneration === 1,
    );
  }),
  onNode("drain", "evictions go on as far as the budget allows, and the rest when others have come", async (api) => {
    const budgets = resource(stage(api), "policy/v1/poddisruptionbudgets");
    await budgets.create({ metadata: { name: "web" }, spec: { maxUnavailable: 1, selector } });
    await createDeployment(api, 2);
    const call = { path: `${budgets.path}/web`, select: budgetOutline };
    await api.settle(call, ({ status }) => status.disruptionsAllowed === 1);
    await clusterResource(stage(api), "nodes").merge(`${api.prefix}-1`, { spec: { unschedulable: true } });
    await evictFirst(api);
    const isWaiting = (pods: Json[]) => pods.length === 2 && pods.some(({ scheduled }) => scheduled === "False");
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, isWaiting);
    await api.settle(call, ({ status }) => status.disruptionsAllowed === 0);
    await clusterResource(stage(api), "nodes").merge(`${api.prefix}-1`, { spec: { unschedulable: false } });
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(2));
    await api.settle(call, ({ status }) => status.disruptionsAllowed === 1);
  }),
  onNode("node-ready", "a new node becomes ready and loses its taint", async (api) => {
    const outline = ({ spec, status }: Json) => ({
      taints: spec.taints,
      ready: status.conditions?.find(({ type }: Json) => type === "Ready")?.status,
    });
    const path = `${clusterResource(api, "nodes").path}/${api.prefix}-1`;
    await api.settle({ path, select: outline }, ({ ready, taints }) => ready === "True" && taints === undefined);
    await clusterResource(stage(api), "nodes").merge(`${api.prefix}-1`, { spec: { unschedulable: true } });
    await api.settle({ path, select: outline }, ({ taints }) => taints?.length === 1);
    await clusterResource(stage(api), "nodes").merge(`${api.prefix}-1`, { spec: { unschedulable: null } });
    await api.settle({ path, select: outline }, ({ taints }) => taints === undefined);
    const lease = ({ metadata, spec }: Json) => ({
      owners: metadata.ownerReferences,
      seconds: spec.leaseDurationSeconds,
    });
    const leasePath = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${api.prefix}-1`;
    await api.settle({ path: leasePath, select: lease }, () => true);
  }),
  onNode("no-execute", "a NoExecute taint drives pods away", async (api) => {
    const pods = resource(stage(api), "pods");
    const tolerations = [{ key: "leave", operator: "Exists", effect: "NoExecute" }];
    await pods.create({ metadata: { name: "goes", labels: { app: "web" } }, spec: template(api).spec });
    await pods.create({
      metadata: { name: "stays", labels: { app: "web" } },
      spec: { ...template(api).spec, tolerations },
    });
    await waitForPods(api, 2);
    const taints = [{ key: "leave", effect: "NoExecute" }];
    await clusterResource(stage(api), "nodes").merge(`${api.prefix}-1`, { spec: { taints } });
    await api.settle({ path: pods.path, select: podOutlines }, ({ length }) => length === 1);
  }),
];
