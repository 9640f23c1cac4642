import type { ContractCase } from "../contract-case.ts";
import { inNamespace, resource, stage } from "../resource.ts";
import { configMap, deployment, pod } from "./samples.ts";

const twoContainers = {
  containers: [
    { name: "main", image: "example.com/main:1", env: [{ name: "A", value: "1" }] },
    { name: "side", image: "example.com/side:1", ports: [{ containerPort: 80 }] },
  ],
};

/** The same pod again for each patch, so that one mistake shows once. */
function onDeployments(name: string, about: string, patches: readonly unknown[]): ContractCase {
  return inNamespace(name, about, async (api) => {
    for (const [index, patch] of patches.entries()) {
      const one = deployment(`d${index}`);
      await resource(stage(api), "apps/v1/deployments").create({
        ...one,
        spec: { ...one.spec, template: { ...one.spec.template, spec: twoContainers } },
      });
      await resource(api, "apps/v1/deployments").strategic(`d${index}`, patch);
    }
  });
}

function inContainers(containers: unknown, spec: object = {}) {
  return { spec: { template: { spec: { ...spec, containers } } } };
}

export const patchCases: readonly ContractCase[] = [
  inNamespace("patch-json", "each operation of a JSON patch", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(
      configMap("one", { a: "1", b: "2" }, { annotations: { "x.io/y": "3" } }),
    );
    await maps.jsonPatch("one", [{ op: "add", path: "/data/c", value: "3" }]);
    await maps.jsonPatch("one", [{ op: "replace", path: "/data/a", value: "9" }]);
    await maps.jsonPatch("one", [{ op: "remove", path: "/data/b" }]);
    await maps.jsonPatch("one", [{ op: "move", from: "/data/c", path: "/data/d" }]);
    await maps.jsonPatch("one", [{ op: "copy", from: "/data/d", path: "/data/e" }]);
    await maps.jsonPatch("one", [
      { op: "add", path: "/metadata/annotations/a.io~1b", value: "1" },
      { op: "remove", path: "/metadata/annotations/x.io~1y" },
    ]);
    await maps.jsonPatch("one", [
      { op: "test", path: "/data/a", value: "9" },
      { op: "replace", path: "/data", value: { only: "this" } },
    ]);
    await maps.jsonPatch("one", []);
  }),
  inNamespace("patch-json-fails", "a JSON patch that does not apply", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1" }));
    await maps.jsonPatch("one", [{ op: "test", path: "/data/a", value: "2" }]);
    await maps.jsonPatch("one", [{ op: "test", path: "/data/z", value: "2" }]);
    await maps.jsonPatch("one", [{ op: "remove", path: "/data/z" }]);
    await maps.jsonPatch("one", [{ op: "replace", path: "/data/z", value: "1" }]);
    await maps.jsonPatch("one", [{ op: "add", path: "/nowhere/z", value: "1" }]);
    await maps.jsonPatch("one", [{ op: "add", path: "data/z", value: "1" }]);
    await maps.jsonPatch("one", [{ op: "copy", from: "/data/z", path: "/data/y" }]);
    await maps.jsonPatch("one", [{ op: "move", from: "/data/z", path: "/data/y" }]);
    await maps.jsonPatch("one", [{ op: "frob", path: "/data/a" }]);
    await maps.jsonPatch("one", [{ op: "add", path: "/data/a" }]);
    await maps.jsonPatch("one", { op: "add", path: "/data/a", value: "1" });
    await maps.jsonPatch("one", "not json");
    await maps.jsonPatch("one", [{ op: "add", path: "/data/a", value: 1 }]);
    await maps.jsonPatch("one", [{ op: "replace", path: "/metadata/name", value: "two" }]);
    await maps.jsonPatch("one", [{ op: "replace", path: "/kind", value: "Secret" }]);
    await maps.get("one");
  }),
  inNamespace("patch-json-lists", "places in lists", async (api) => {
    const pods = resource(api, "pods");
    const finalizers = ["a.example.com/x", "b.example.com/y"];
    await resource(stage(api), "pods").create(pod("one", {}, { finalizers }));
    await pods.jsonPatch("one", [{ op: "add", path: "/metadata/finalizers/-", value: "c.example.com/z" }]);
    await pods.jsonPatch("one", [{ op: "add", path: "/metadata/finalizers/0", value: "d.example.com/z" }]);
    await pods.jsonPatch("one", [{ op: "remove", path: "/metadata/finalizers/1" }]);
    await pods.jsonPatch("one", [{ op: "remove", path: "/metadata/finalizers/9" }]);
    await pods.jsonPatch("one", [{ op: "add", path: "/metadata/finalizers/9", value: "e.example.com/z" }]);
    await pods.jsonPatch("one", [{ op: "replace", path: "/spec/containers/0/image", value: "example.com/new:2" }]);
    await pods.jsonPatch("one", [{ op: "replace", path: "/spec/containers/x/image", value: "example.com/new:2" }]);
    await pods.jsonPatch("one", [{ op: "remove", path: "/metadata/finalizers" }]);
  }),
  inNamespace("patch-merge", "a merge patch adds, replaces, and removes with null", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1", b: "2" }, { labels: { x: "1" } }));
    await maps.merge("one", { data: { a: "9", c: "3" } });
    await maps.merge("one", { data: { b: null }, metadata: { labels: null, annotations: { n: "1" } } });
    await maps.merge("one", { data: null });
    await maps.merge("one", { data: { a: 1 } });
    await maps.merge("one", { data: "text" });
    await maps.merge("one", { metadata: { name: "two" } });
    await maps.merge("one", { metadata: { namespace: "other" } });
    await maps.merge("one", { kind: "Secret" });
    await maps.merge("one", { apiVersion: "v2" });
    await maps.merge("one", []);
    await maps.merge("one", "null");
    await maps.merge("one", "{");
    await maps.merge("one", "");
    await maps.merge("one", { unknown: "field" });
    await maps.get("one");
  }),
  inNamespace("patch-merge-list", "a merge patch replaces lists as a whole", async (api) => {
    const deployments = resource(api, "apps/v1/deployments");
    await resource(stage(api), "apps/v1/deployments").create(deployment("one"));
    await deployments.merge("one", inContainers([{ name: "other", image: "example.com/other" }]));
    await deployments.merge("one", inContainers([]));
    await deployments.merge("one", { spec: { replicas: "three" } });
    await deployments.merge("one", { spec: { replicas: -1 } });
  }),
  onDeployments("patch-strategic-merge-key", "lists are merged by the name of their items", [
    inContainers([{ name: "main", image: "example.com/main:2" }]),
    inContainers([{ name: "third", image: "example.com/third:1" }]),
    inContainers([
      {
        name: "main",
        env: [
          { name: "A", value: "2" },
          { name: "B", value: "3" },
        ],
      },
    ]),
    inContainers([{ name: "side", ports: [{ containerPort: 80, name: "web" }, { containerPort: 81 }] }]),
    inContainers([{ image: "example.com/nameless" }]),
    { metadata: { labels: { a: "1" }, finalizers: ["x.example.com/y"] } },
  ]),
  onDeployments("patch-strategic-directives", "$patch deletes, replaces and merges", [
    inContainers([{ name: "side", $patch: "delete" }]),
    inContainers([{ $patch: "replace" }, { name: "only", image: "example.com/only" }]),
    inContainers([{ name: "main", env: [{ $patch: "delete", name: "A" }] }]),
    inContainers([{ name: "main", $patch: "replace", image: "example.com/fresh" }]),
    inContainers([{ name: "main", $patch: "frob" }]),
    { spec: { template: { metadata: { $patch: "replace", labels: { app: "web", fresh: "yes" } } } } },
    { spec: { strategy: { $patch: "replace", type: "Recreate" } } },
    { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    { spec: { strategy: { $retainKeys: ["rollingUpdate"], type: "Recreate" } } },
    { spec: { strategy: { $patch: "delete" } } },
  ]),
  onDeployments("patch-strategic-order", "$setElementOrder and $deleteFromPrimitiveList", [
    inContainers([{ name: "main", image: "example.com/main:2" }], {
      "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
    }),
    inContainers([{ name: "new", image: "example.com/new" }], {
      "$setElementOrder/containers": [{ name: "new" }, { name: "main" }, { name: "side" }],
    }),
    inContainers([{ name: "new", image: "example.com/new" }], { "$setElementOrder/containers": [{ name: "main" }] }),
    { metadata: { finalizers: ["a.example.com/x"], "$setElementOrder/finalizers": ["a.example.com/x"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.example.com/x"] } },
  ]),
  inNamespace("patch-strategic-primitives", "finalizers are merged as a set", async (api) => {
    const maps = resource(api, "configmaps");
    const finalizers = ["a.example.com/x", "b.example.com/x"];
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1" }, { finalizers }));
    await maps.strategic("one", { metadata: { finalizers: ["c.example.com/x", "a.example.com/x"] } });
    await maps.strategic("one", { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.example.com/x"] } });
    await maps.strategic("one", { metadata: { finalizers: null } });
    await maps.strategic("one", { data: { a: null, b: "2" } });
    await maps.strategic("one", { data: { $patch: "replace", c: "3" } });
    await maps.strategic("one", { data: null });
    await maps.strategic("one", [1]);
    await maps.strategic("one", "{");
    await maps.strategic("one", { data: { a: 7 } });
    await maps.strategic("one", { nothing: 1 });
  }),
  inNamespace("patch-strategic-pod", "tolerations, owners and volumes of a pod", async (api) => {
    const pods = resource(api, "pods");
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1" }];
    await resource(stage(api), "pods").create(pod("one", {}, { ownerReferences }));
    await pods.strategic("one", { metadata: { ownerReferences: [{ uid: "u1", controller: true }] } });
    await pods.strategic("one", { metadata: { ownerReferences: [{ uid: "u1", $patch: "delete" }] } });
    await pods.strategic("one", { spec: { tolerations: [{ key: "k", operator: "Exists" }] } });
    await pods.strategic("one", { spec: { containers: [{ name: "main", image: "example.com/main:2" }] } });
    await pods.strategic("one", { spec: { activeDeadlineSeconds: 5 } });
    await pods.strategic("one", { spec: { activeDeadlineSeconds: 9 } });
    await pods.strategic("one", { spec: { nodeName: "n1" } });
  }),
  inNamespace("patch-content-types", "a patch names its kind in the content type", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one"));
    for (const type of ["application/json", "text/plain", "application/xml", "application/yaml"]) {
      await api.request({
        method: "PATCH",
        path: `${maps.path}/one`,
        headers: { "content-type": type },
        body: { data: { a: "1" } },
      });
    }
    await api.request({
      method: "PATCH",
      path: `${maps.path}/one`,
      headers: { "content-type": "application/merge-patch+json; charset=utf-8" },
      body: { data: { a: "1" } },
    });
  }),
  inNamespace("patch-missing", "nothing can be patched that is not there, except by apply", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.jsonPatch("one", [{ op: "add", path: "/data", value: {} }]);
    await maps.merge("one", {});
    await maps.strategic("one", {});
    await maps.apply("one", configMap("one"), "?fieldManager=me");
  }),
  inNamespace("patch-yaml", "patches can be written as YAML only for apply", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one"));
    await maps.merge("one", "data:\n  a: '1'\n");
    await maps.strategic("one", "data:\n  a: '1'\n");
    await maps.jsonPatch("one", "- op: add\n  path: /data\n  value: {}\n");
  }),
];
