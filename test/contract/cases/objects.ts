import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { configMap, node, pod } from "./samples.ts";

export const objectCases: readonly ContractCase[] = [
  inNamespace("objects-of-a-namespace", "a config map is created, read, listed, replaced and deleted", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create(configMap("one", { a: "1" }));
    await maps.create(configMap("one", { a: "2" }));
    await maps.get("one");
    await maps.list();
    await maps.replace("one", configMap("one", { b: "2" }));
    const watch = await api.watch(`${maps.path}?watch=true`);
    await watch.take(1);
    await maps.delete("one");
    await watch.take(1);
    await maps.get("one");
    await maps.delete("one");
  }),
  {
    name: "objects-of-the-cluster",
    about: "a node is created, read, listed, replaced and deleted",
    async run(api) {
      const nodes = clusterResource(api, "nodes");
      const name = `${api.prefix}-1`;
      api.afterwards({ method: "DELETE", path: `${nodes.path}/${name}` });
      await nodes.create(node(name, { metadata: { name, labels: { test: api.prefix } } }));
      await nodes.create(node(name));
      await nodes.get(name);
      await nodes.list(`?labelSelector=test%3D${api.prefix}`);
      await nodes.replace(name, node(name, { spec: { unschedulable: true } }));
      await nodes.delete(name);
      await nodes.get(name);
    },
  },
  inNamespace("objects-of-all-namespaces", "a namespaced resource is listed across namespaces", async (api) => {
    await resource(stage(api), "configmaps").create(configMap("one", {}, { labels: { test: api.prefix } }));
    await clusterResource(api, "configmaps").list(`?labelSelector=test%3D${api.prefix}`);
    await clusterResource(api, "configmaps").get("one");
    await clusterResource(api, "configmaps").create(configMap("two"));
    await clusterResource(api, "configmaps").create(configMap("two", {}, { namespace: api.namespace }));
  }),
  inNamespace("objects-generate-name", "the server ends a name that begins with generateName", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create({ metadata: { generateName: "some-" } });
    await maps.create({ metadata: { generateName: "some-" } });
    await maps.create({ metadata: { generateName: "some-", name: "given" } });
    await maps.create({ metadata: { generateName: "x".repeat(70) }, data: {} });
    await maps.create({ metadata: {} });
    await maps.create({ metadata: { generateName: "some-" } }, "?dryRun=All");
  }),
  inNamespace("objects-stale-version", "who writes on old knowledge gets a conflict", async (api) => {
    const maps = resource(api, "configmaps");
    const { body: first } = await maps.create(configMap("one"));
    await maps.replace("one", { ...first, data: { a: "1" } });
    await maps.replace("one", { ...first, data: { a: "2" } });
    await maps.merge("one", { metadata: { resourceVersion: first.metadata.resourceVersion }, data: { a: "3" } });
    await maps.merge("one", { metadata: { resourceVersion: "0" }, data: { a: "4" } });
    await maps.merge("one", { metadata: { resourceVersion: "" }, data: { a: "5" } });
    await maps.merge("one", { metadata: { resourceVersion: "abc" }, data: { a: "6" } });
    await maps.replace("one", { ...first, metadata: { ...first.metadata, resourceVersion: "999999999" } });
    await maps.get("one");
  }),
  inNamespace("objects-uid", "an update of an object that was replaced meanwhile is refused", async (api) => {
    const maps = resource(api, "configmaps");
    const { body: first } = await maps.create(configMap("one"));
    const other = "11111111-2222-4333-8444-555555555555";
    await maps.replace("one", { ...first, metadata: { name: "one", uid: other } });
    await maps.merge("one", { metadata: { uid: other } });
    await maps.create(configMap("two", {}, { uid: other, resourceVersion: "1" }));
    await maps.create(configMap("two", {}, { uid: other, generation: 7, selfLink: "/x" }));
  }),
  inNamespace("objects-same-again", "writing what is there makes no new version", async (api) => {
    const maps = resource(api, "configmaps");
    const { body } = await maps.create(configMap("one", { a: "1" }));
    await maps.replace("one", body);
    await maps.merge("one", { data: { a: "1" } });
    await maps.merge("one", {});
    await maps.get("one");
  }),
  inNamespace("objects-generation", "the generation counts changes of the spec alone", async (api) => {
    const pods = resource(api, "pods");
    const deployments = resource(api, "apps/v1/deployments");
    await pods.create(pod("one"));
    await pods.merge("one", { metadata: { labels: { a: "b" } } });
    await deployments.create({
      metadata: { name: "one" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await deployments.merge("one", { metadata: { annotations: { a: "b" } } });
    await deployments.merge("one", { spec: { replicas: 3 } });
    await deployments.merge("one", { metadata: { generation: 9 } });
  }),
  inNamespace("objects-put-missing", "a replacement of something that is not there", async (api) => {
    await resource(api, "configmaps").replace("one", configMap("one"));
    await resource(api, "pods").replace("one", pod("one"));
    await resource(api, "coordination.k8s.io/v1/leases").replace("one", { metadata: { name: "one" } });
    await resource(api, "apps/v1/deployments").replace("one", { metadata: { name: "one" } });
    await resource(api, "configmaps").merge("two", { data: {} });
    await resource(api, "configmaps").delete("two");
  }),
  inNamespace("objects-secret", "text of a secret is stored as data", async (api) => {
    const secrets = resource(api, "secrets");
    await secrets.create({ metadata: { name: "one" }, stringData: { a: "hello" }, data: { b: "Ynll" } });
    await secrets.merge("one", { stringData: { b: "new" } });
    await secrets.create({ metadata: { name: "two" }, data: { b: "?" } });
    await secrets.create({ metadata: { name: "two" }, immutable: true, data: { b: "Ynll" } });
    await secrets.merge("two", { data: { b: "YQ==" } });
    await secrets.merge("two", { type: "Other" });
  }),
  inNamespace("objects-config-map-binary", "config maps hold text and bytes, and can be sealed", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create({ ...configMap("one", { a: "1" }), binaryData: { b: "AAE=" } });
    await maps.create({ ...configMap("two", { a: "1" }), binaryData: { a: "AAE=" } });
    await maps.create({ ...configMap("two", { "bad key": "1" }) });
    await maps.create({ ...configMap("two", { a: "1" }), immutable: true });
    await maps.merge("two", { data: { a: "2" } });
    await maps.merge("two", { immutable: false });
  }),
];
