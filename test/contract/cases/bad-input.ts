import type { ContractCase, Recorder } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { configMap, pod } from "./samples.ts";

function send(api: Recorder, type: string, body: string) {
  const { path } = resource(api, "configmaps");
  return api.request({ method: "POST", path, headers: { "content-type": type }, body });
}

const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: '1'\n";

export const badInputCases: readonly ContractCase[] = [
  inNamespace("bad-json", "bodies that are not what they say", async (api) => {
    const bodies = [
      ...[
        "{",
        "{}",
        "",
        "null",
        "[]",
        "5",
        '"text"',
        "{'a':1}",
        '{"a":1,}',
        '{"a" 1}',
        '{"metadata":{"name":"x"}',
        "tru",
      ],
      ...[
        '{"metadata":{"name":"x"}} trailing',
        '{"metadata":{"name":"u","labels":{"a":"\\ud800"}}}',
        '{"a":01}',
        "{\u0000}",
      ],
      ...[
        '[{"metadata":{"name":"x"}}]',
        '{"kind":"ConfigMap"}',
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":[]}',
      ],
      ...[
        '{"apiVersion":1}',
        '{"kind":{}}',
        '{"metadata":null}',
        '{"metadata":{"name":null}}',
        '{"metadata":{"name":5}}',
      ],
    ];
    const { path } = resource(api, "configmaps");
    for (const body of bodies) await api.request({ method: "POST", path, body });
  }),
  inNamespace("bad-types", "a field of a wrong type is named", async (api) => {
    const maps = resource(api, "configmaps");
    const pods = resource(api, "pods");
    await maps.create({ metadata: { name: "one" }, data: [] });
    await maps.create({ metadata: { name: "one" }, data: { a: 1 } });
    await maps.create({ metadata: { name: "one" }, data: { a: { b: 1 } } });
    await maps.create({ metadata: { name: "one" }, data: { a: null } });
    await maps.create({ metadata: { name: "one2" }, immutable: "yes" });
    await pods.create({ metadata: { name: "one" }, spec: [] });
    await pods.create(pod("one", { containers: {} }));
    await pods.create(pod("one", { containers: ["main"] }));
    await pods.create(pod("one", { containers: [{ name: "a", image: 5 }] }));
    await pods.create(pod("one", { containers: [{ name: "a", image: "i", ports: [{ containerPort: "80" }] }] }));
    await pods.create(
      pod("one", { containers: [{ name: "a", image: "i", resources: { requests: { cpu: "lots" } } }] }),
    );
    await pods.create(pod("one", { containers: [{ name: "a", image: "i", resources: { requests: { cpu: true } } }] }));
    await pods.create(pod("one", { terminationGracePeriodSeconds: 1.5 }));
    await pods.create(pod("one", { terminationGracePeriodSeconds: 1e19 }));
    await pods.create(pod("one", { hostNetwork: 1 }));
    await pods.create(pod("one", { nodeSelector: "a=b" }));
    await pods.create(pod("one", { tolerations: [{ key: 5 }] }));
    await resource(api, "apps/v1/deployments").create({ metadata: { name: "one" }, spec: { replicas: 1e10 } });
    await resource(api, "policy/v1/poddisruptionbudgets").create({
      metadata: { name: "one" },
      spec: { minAvailable: true },
    });
    await resource(api, "coordination.k8s.io/v1/leases").create({ metadata: { name: "one" }, spec: { renewTime: 5 } });
  }),
  inNamespace("bad-kind", "body and path must agree", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create({ ...configMap("one"), kind: "Secret" });
    await maps.create({ ...configMap("one"), kind: "Nothing" });
    await maps.create({ ...configMap("one"), apiVersion: "v2" });
    await maps.create({ ...configMap("one"), apiVersion: "apps/v1" });
    await maps.create({ ...configMap("one"), apiVersion: "" });
    await maps.create({ ...configMap("one"), apiVersion: "a/b/c" });
    await maps.create({ ...configMap("two"), kind: "" });
    await maps.create({ ...configMap("three"), kind: "configmap" });
    await maps.create({ ...configMap("three"), metadata: { name: "three", namespace: "default" } });
    await maps.replace("one", configMap("other"));
    await maps.replace("one", { apiVersion: "v1", kind: "ConfigMap" });
    await maps.replace("one", { ...configMap("one"), kind: "Secret" });
    await maps.replace("one", { ...configMap("one"), metadata: { name: "one", namespace: "default" } });
    await maps.create({ kind: "List", apiVersion: "v1", items: [] });
    await resource(api, "apps/v1/deployments").create({
      apiVersion: "extensions/v1beta1",
      kind: "Deployment",
      metadata: { name: "x" },
    });
  }),
  {
    name: "bad-paths",
    about: "paths that lead nowhere, or try to",
    async run(api) {
      const paths = [
        ...[
          "/api/v1/unknowns",
          "/api/v2/pods",
          "/apis/apps/v1/unknowns",
          "/apis/unknown/v1/things",
          "/apis/apps/v9/deployments",
        ],
        ...[
          "/api/v1/namespaces/default/unknowns",
          "/api/v1/namespaces/default/pods/x/unknown",
          "/api/v1/nodes/x/unknown",
        ],
        ...["/api/v1/namespaces/default/nodes", "/api/v1/namespaces/default/nodes/x", "/api/v1/pods/x"],
        ...["/api/v1/../../version", "/api/v1/namespaces/default/../kube-system/configmaps/none", "/api/v1/./pods/x"],
        ...[
          "/api/v1/namespaces/%2e%2e/pods",
          "/api/v1/namespaces/default/configmaps/%2e%2e",
          "/api/v1/namespaces/..%2f/pods",
        ],
        ...[
          "//api/v1/nodes/none",
          "/api//v1/nodes/none",
          "/api/v1//nodes/none",
          "/api/v1/nodes//none",
          "/api/v1/nodes/none/",
        ],
        ...[
          "/api/v1/nodes/a%2Fb",
          "/api/v1/namespaces/default/configmaps/a%2fb",
          "/api/v1/nodes/%00",
          "/api/v1/nodes/%zz",
        ],
        ...[
          "/api/v1/nodes/a%20b",
          "/api/v1/nodes/%C3%A9",
          "/api/v1/nodes/none?",
          "/api/v1/nodes/none?a=%zz",
          "/API/v1/nodes/none",
        ],
        ...[
          "/api/v1/nodes/none#x",
          "/api/v1/nodes/none;x",
          "/api/v1/namespaces//pods/x",
          "/apis/",
          "/apis/apps/",
          "/x/..%5c",
        ],
      ];
      for (const path of paths)
        await api.request({ path, select: ({ kind, groupVersion }) => ({ kind, groupVersion }) });
    },
  },
  inNamespace("bad-methods", "methods that a path does not know", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one"));
    const ask = (method: string, path: string, body?: unknown) => api.request({ method, path, body });
    await ask("PUT", maps.path, configMap("one"));
    await ask("PATCH", maps.path, {});
    await ask("POST", `${maps.path}/one`, configMap("one"));
    await ask("OPTIONS", `${maps.path}/one`);
    await ask("TRACE", `${maps.path}/one`);
    await ask("PROPFIND", `${maps.path}/one`);
    await ask("POST", "/api", {});
    await ask("DELETE", "/api/v1");
    await ask("POST", `/api/v1/namespaces/${api.namespace}/pods/x/log`, {});
    await ask("DELETE", `/apis/apps/v1/namespaces/${api.namespace}/deployments/x/scale`);
    await ask("GET", `/api/v1/namespaces/${api.namespace}/pods/x/eviction`);
    await ask("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  }),
  inNamespace("bad-content-types", "types of bodies that the server reads, and those it does not", async (api) => {
    await send(api, "application/yaml", yaml);
    await send(api, "application/json; charset=utf-8", '{"metadata":{"name":"charset"}}');
    await send(api, "text/plain", '{"metadata":{"name":"plain"}}');
    await send(api, "application/xml", "<a/>");
    await send(api, "application/x-www-form-urlencoded", '{"metadata":{"name":"form"}}');
    await send(api, "nonsense", '{"metadata":{"name":"nonsense"}}');
    await send(api, "", '{"metadata":{"name":"empty"}}');
    await send(api, "application/vnd.kubernetes.protobuf", "k8s");
    await send(api, "application/merge-patch+json", "{}");
  }),
  inNamespace("bad-yaml", "YAML bodies, right and wrong", async (api) => {
    await send(api, "application/yaml", yaml);
    await send(api, "application/yaml", "a: b: c");
    await send(api, "application/yaml", "metadata:\n  name: two\ndata:\n  a: 1\n");
    await send(api, "application/yaml", "- a\n- b\n");
    await send(api, "application/yaml", "metadata: {name: three}\nmetadata: {name: four}\n");
    await send(api, "application/yaml", "metadata: {name: five}\ndata: {a: yes, b: null, c: 2026-01-01}\n");
    await send(api, "application/yaml", "metadata: {name: six}\ndata: &x {a: '1'}\n");
    await send(api, "application/yaml", "");
    await send(api, "application/yaml", "{}");
    await send(api, "application/yaml", "\tmetadata: tab");
    await send(api, "application/yaml", '{"metadata":{"name":"json-as-yaml"}}');
  }),
  inNamespace("bad-accept", "answers that the server cannot give", async (api) => {
    const { path } = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one"));
    const accepts = [
      ...["text/html", "application/xml", "application/json;as=Nothing;v=v1;g=meta.k8s.io", "*/*", "application/*", ""],
      ...["application/json;q=0.5, text/html", "application/json;as=Table;v=v9;g=meta.k8s.io", "nonsense"],
      "application/json;as=Table;v=v1;g=meta.k8s.io;q=0.1",
    ];
    for (const accept of accepts)
      await api.request({ path: `${path}/one`, headers: { accept }, select: ({ kind }) => ({ kind }) });
    await api.request({ path: `${path}/one`, headers: { accept: "application/yaml" } });
    await api.request({ path: `${path}?watch=true&timeoutSeconds=1`, headers: { accept: "text/html" } });
    await api.request({ method: "POST", path, headers: { accept: "text/html" }, body: configMap("two") });
    await api.request({ path: "/api", headers: { accept: "text/html" } });
    await api.request({ path: "/version", headers: { accept: "text/html" }, select: ({ major }) => major });
  }),
  inNamespace("bad-size", "bodies that are too large", async (api) => {
    const maps = resource(api, "configmaps");
    const { path } = maps;
    await maps.create(configMap("big", { a: "x".repeat(1024 * 1024) }));
    await maps.create(configMap("fits", { a: "x".repeat(1024 * 1024 - 1) }), "?dryRun=All&fieldManager=x");
    await api.request({ method: "POST", path, body: configMap("huge", { a: "x".repeat(3 * 1024 * 1024 + 1) }) });
    await maps.merge("huge", { data: { a: "x".repeat(3 * 1024 * 1024 + 1) } });
    await maps.delete("huge", `"${"x".repeat(3 * 1024 * 1024 + 1)}"`);
  }),
  inNamespace("bad-depth", "deeply nested and long input", async (api) => {
    const { path } = resource(api, "configmaps");
    await api.request({ method: "POST", path, body: `{"metadata":${"[".repeat(20000)}` });
    await api.request({ method: "POST", path, body: `{"x":${"[".repeat(20000)}${"]".repeat(20000)}}` });
    await resource(stage(api), "configmaps").create(configMap("one"));
    const operations = Array.from({ length: 10001 }, () => ({ op: "test", path: "/data", value: null }));
    await resource(api, "configmaps").jsonPatch("one", operations);
  }),
  {
    name: "bad-query",
    about: "parameters that cannot be read",
    async run(api) {
      const nodes = clusterResource(api, "nodes");
      const name = ({ kind }: { kind: string }) => ({ kind });
      for (const query of [
        "?watch=maybe&timeoutSeconds=1",
        "?timeoutSeconds=soon",
        "?limit=1e3",
        "?allowWatchBookmarks=x",
      ])
        await api.request({ path: `${nodes.path}${query}`, select: name });
      await api.request({ path: `${nodes.path}?limit=1&limit=2`, select: name });
      await api.request({
        path: `${nodes.path}?labelSelector=a%3Db&labelSelector=c%3Dd`,
        select: ({ items }) => items,
      });
      await api.request({ method: "DELETE", path: `${nodes.path}/none?gracePeriodSeconds=x` });
      await api.request({ method: "DELETE", path: `${nodes.path}/none?propagationPolicy=Nowhere` });
    },
  },
];
