import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { configMap, deployment, node, pod } from "./samples.ts";

const finalizers = ["example.com/wait"];

export const deletionCases: readonly ContractCase[] = [
  inNamespace("delete-preconditions", "a delete may insist on uid and version", async (api) => {
    const maps = resource(api, "configmaps");
    const { body } = await resource(stage(api), "configmaps").create(configMap("one"));
    const { uid, resourceVersion } = body.metadata;
    await maps.get("one");
    const other = "11111111-2222-4333-8444-555555555555";
    await maps.delete("one", { preconditions: { uid: other } });
    await maps.delete("one", { preconditions: { uid, resourceVersion: "1" } });
    await maps.delete("one", { preconditions: { uid, resourceVersion } });
    await maps.get("one");
  }),
  inNamespace("delete-finalizers", "an object with finalizers waits until the last one is gone", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create(configMap("one", {}, { finalizers: ["example.com/a", "example.com/b"] }));
    const watch = await api.watch(`${maps.path}?watch=true`);
    await maps.delete("one");
    await maps.delete("one");
    await maps.merge("one", { data: { still: "writable" } });
    await maps.merge("one", { metadata: { finalizers: ["example.com/a", "example.com/new"] } });
    await maps.merge("one", { metadata: { finalizers: ["example.com/a"] } });
    await maps.merge("one", { metadata: { deletionTimestamp: null } });
    await maps.create(configMap("one"));
    await maps.merge("one", { metadata: { finalizers: null } });
    await watch.take(5);
    await maps.get("one");
  }),
  inNamespace("delete-finalizers-by-put", "removing the finalizer by an update deletes too", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one", {}, { finalizers }));
    await resource(stage(api), "configmaps").delete("one");
    const { body } = await maps.get("one");
    await maps.replace("one", { ...body, metadata: { ...body.metadata, finalizers: [] } });
    await maps.get("one");
  }),
  inNamespace("delete-propagation", "what becomes of dependents is noted as a finalizer", async (api) => {
    const maps = resource(api, "configmaps");
    for (const propagationPolicy of ["Foreground", "Orphan", "Background", "Nowhere"]) {
      const name = propagationPolicy.toLowerCase();
      await resource(stage(api), "configmaps").create(configMap(name));
      await maps.delete(name, { propagationPolicy });
    }
    await resource(stage(api), "configmaps").create(configMap("old"));
    await maps.delete("old", { orphanDependents: true, propagationPolicy: "Orphan" });
    await maps.delete("old", { orphanDependents: true });
    await resource(stage(api), "configmaps").create(configMap("query"));
    await maps.delete("query", undefined, "?propagationPolicy=Foreground");
    await maps.delete("query", undefined, "?propagationPolicy=Background");
    await maps.list();
  }),
  inNamespace("delete-defaults", "what becomes of the pods of a workload by default", async (api) => {
    const deployments = resource(api, "apps/v1/deployments");
    const { create } = resource(stage(api), "apps/v1/deployments");
    for (const name of ["none", "foreground", "orphan"]) await create(deployment(name));
    await deployments.delete("none");
    await deployments.delete("foreground", { propagationPolicy: "Foreground" });
    await deployments.delete("orphan", { propagationPolicy: "Orphan" });
    const jobs = resource(api, "batch/v1/jobs");
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } };
    await resource(stage(api), "batch/v1/jobs").create({ metadata: { name: "job" }, spec: { template } });
    await jobs.delete("job");
    await jobs.list();
  }),
  inNamespace("delete-options", "options that make no sense are refused", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one"));
    await maps.delete("one", { gracePeriodSeconds: "soon" });
    await maps.delete("one", { gracePeriodSeconds: -1 });
    await maps.delete("one", undefined, "?gracePeriodSeconds=soon");
    await maps.delete("one", { kind: "Pod", apiVersion: "v1" });
    await maps.delete("one", { preconditions: "none" });
    await maps.delete("one", "{");
    await maps.delete("one", []);
    await maps.delete("one", { unknown: 1 });
  }),
  inNamespace("delete-pod-pending", "a pod that nobody runs goes at once", async (api) => {
    const pods = resource(api, "pods");
    await resource(stage(api), "pods").create(pod("one"));
    await pods.delete("one");
    await resource(stage(api), "pods").create(pod("two"));
    await pods.delete("two", { gracePeriodSeconds: 30 });
    await pods.list();
  }),
  inNamespace("delete-pod-bound", "a pod on a node gets time to end", async (api) => {
    const pods = resource(api, "pods");
    await pods.create(pod("one", { nodeName: "somewhere" }));
    const watch = await api.watch(`${pods.path}?watch=true`);
    await watch.take(1);
    await pods.delete("one");
    await pods.delete("one");
    await pods.delete("one", { gracePeriodSeconds: 60 });
    await pods.delete("one", { gracePeriodSeconds: 5 });
    await pods.delete("one", { gracePeriodSeconds: 0 });
    await watch.take(3);
    await pods.get("one");
  }),
  inNamespace("delete-pod-grace", "the grace period comes from the pod or from the delete", async (api) => {
    const pods = resource(api, "pods");
    const { create, replace } = resource(stage(api), "pods");
    await create(pod("a", { nodeName: "somewhere", terminationGracePeriodSeconds: 7 }));
    await pods.delete("a");
    await create(pod("b", { nodeName: "somewhere" }));
    await pods.delete("b", { gracePeriodSeconds: 3 });
    await create(pod("c", { nodeName: "somewhere" }));
    await pods.delete("c", { gracePeriodSeconds: 0 });
    await pods.get("c");
    const { body } = await create(pod("d", { nodeName: "somewhere" }));
    await replace("d/status", { ...body, status: { phase: "Succeeded" } });
    await pods.delete("d");
    await create(pod("e", { nodeName: "somewhere" }, { finalizers }));
    await pods.delete("e", { gracePeriodSeconds: 0 });
    await pods.merge("e", { metadata: { finalizers: null } });
    await create(pod("f", { nodeName: "somewhere" }, { finalizers }));
    await pods.delete("f");
    await pods.merge("f", { metadata: { finalizers: null } });
    await pods.delete("f", undefined, "?gracePeriodSeconds=0");
  }),
  {
    name: "delete-node",
    about: "a node with a finalizer waits for it",
    async run(api) {
      const nodes = clusterResource(api, "nodes");
      const metadata = { name: api.prefix, finalizers: ["karpenter.sh/termination"] };
      api.afterwards({
        method: "PATCH",
        path: `${nodes.path}/${api.prefix}`,
        body: { metadata: { finalizers: null } },
      });
      await nodes.create(node(api.prefix, { metadata }));
      await nodes.delete(api.prefix);
      await nodes.merge(api.prefix, { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } });
      await nodes.merge(api.prefix, { metadata: { finalizers: null } });
      await nodes.get(api.prefix);
    },
  },
  inNamespace("delete-collection", "many objects go at once, by selector", async (api) => {
    const maps = resource(api, "configmaps");
    const { create } = resource(stage(api), "configmaps");
    for (const [name, color] of Object.entries({ a: "red", b: "red", c: "blue", d: "green" }))
      await create(configMap(name, {}, { labels: { color } }));
    await create(configMap("waits", {}, { labels: { color: "red" }, finalizers }));
    await maps.deleteAll("?labelSelector=color%3Dred");
    await maps.list();
    await maps.deleteAll("?fieldSelector=metadata.name%3Dc");
    await maps.deleteAll("?labelSelector=a%3D%3D%3Db");
    await maps.deleteAll("?labelSelector=color%3Dnone");
    await maps.deleteAll("", { propagationPolicy: "Background" });
    await maps.list();
    await maps.merge("waits", { metadata: { finalizers: null } });
  }),
  inNamespace("delete-collection-pods", "pods of a collection get their grace", async (api) => {
    const pods = resource(api, "pods");
    await resource(stage(api), "pods").create(pod("bound", { nodeName: "somewhere" }));
    await resource(stage(api), "pods").create(pod("free"));
    await pods.deleteAll("", { gracePeriodSeconds: 4 });
    await pods.list();
    await api.request({ method: "DELETE", path: "/api/v1/pods" });
    await api.request({ method: "DELETE", path: "/api/v1/namespaces" });
  }),
];
