import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { configMap, deployment, node, pod } from "./samples.ts";

const strict = "?fieldValidation=Strict";
const warn = "?fieldValidation=Warn";
const ignore = "?fieldValidation=Ignore";

const duplicate = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}`;

export const writeOptionCases: readonly ContractCase[] = [
  inNamespace("dry-run-create", "a dry run answers as if, and stores nothing", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create(configMap("one", { a: "1" }), "?dryRun=All");
    await maps.get("one");
    await maps.create(configMap("Bad Name"), "?dryRun=All");
    await maps.create(configMap("one"), "?dryRun=Some");
    await maps.create(configMap("one"), "?dryRun=All&dryRun=All");
    await maps.create(configMap("one"), "?dryRun=");
    await maps.create(configMap("one"), "?dryRun=All");
  }),
  inNamespace("dry-run-change", "a dry run of an update, patch or delete changes nothing", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1" }));
    await maps.replace("one", configMap("one", { a: "2" }), "?dryRun=All");
    await maps.merge("one", { data: { b: "2" } }, "?dryRun=All");
    await maps.jsonPatch("one", [{ op: "remove", path: "/data/a" }], "?dryRun=All");
    await maps.delete("one", undefined, "?dryRun=All");
    await maps.delete("one", { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"] });
    await maps.delete("one", { dryRun: ["Some"] });
    await maps.deleteAll("?dryRun=All");
    await maps.get("one");
  }),
  inNamespace("dry-run-pod", "a dry run of deleting a pod, of its binding and of its eviction", async (api) => {
    const pods = resource(api, "pods");
    await resource(stage(api), "pods").create(pod("one"));
    await resource(stage(api), "pods").create(pod("bound", { nodeName: "somewhere" }));
    await pods.create(pod("two"), "?dryRun=All");
    await pods.delete("bound", undefined, "?dryRun=All");
    const binding = { target: { kind: "Node", name: "somewhere" } };
    const write = (path: string, body: unknown) => api.request({ method: "POST", path: `${pods.path}/${path}`, body });
    await write("one/binding?dryRun=All", { metadata: { name: "one" }, ...binding });
    await write("one/eviction?dryRun=All", { metadata: { name: "one" } });
    await write("one/eviction", { metadata: { name: "one" }, deleteOptions: { dryRun: ["All"] } });
    await pods.merge("one/status", { status: { phase: "Running" } }, "?dryRun=All");
    await pods.get("one");
    await pods.get("bound");
  }),
  inNamespace("dry-run-scale", "a dry run of a scale", async (api) => {
    const deployments = resource(api, "apps/v1/deployments");
    await resource(stage(api), "apps/v1/deployments").create(deployment("one"));
    await deployments.merge("one/scale", { spec: { replicas: 9 } }, "?dryRun=All");
    await deployments.get("one/scale");
  }),
  inNamespace("field-validation-strict", "strict validation refuses what it does not know", async (api) => {
    const maps = resource(api, "configmaps");
    const pods = resource(api, "pods");
    await maps.create({ ...configMap("one"), extra: 1, more: {} }, strict);
    await maps.create(duplicate, strict);
    await pods.create(
      { ...pod("one", { containers: [{ name: "a", image: "i", imgae: "typo" }], nodeNmae: "x" }), status: { what: 1 } },
      strict,
    );
    await pods.create({ ...pod("one"), metadata: { name: "one", lables: {} } }, strict);
    await resource(stage(api), "configmaps").create(configMap("two"));
    await maps.replace("two", { ...configMap("two"), extra: 1 }, strict);
    await maps.merge("two", { extra: 1, data: { a: "1" } }, strict);
    await maps.merge("two", `{"data":{"a":"1","a":"2"}}`, strict);
    await maps.strategic("two", { extra: 1 }, strict);
    await maps.jsonPatch("two", [{ op: "add", path: "/extra", value: 1 }], strict);
    await maps.jsonPatch("two", [{ op: "add", path: "/data", value: {}, extra: 1 }], strict);
    await maps.apply("two", { ...configMap("two"), extra: 1 }, "?fieldManager=me&fieldValidation=Strict");
    await maps.create({ metadata: { name: "three" }, DATA: { a: "1" } }, strict);
  }),
  inNamespace("field-validation-warn", "by default unknown fields go, with a warning", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create({ ...configMap("one"), extra: 1, more: {} }, warn);
    await maps.create({ ...configMap("one-more"), extra: 1 });
    await maps.create(duplicate, warn);
    await maps.merge("one", { extra: 1, data: { a: "1" } });
    await maps.replace("one", { ...configMap("one"), extra: 1 }, warn);
    await maps.jsonPatch("one", [{ op: "add", path: "/extra", value: 1 }], warn);
    await maps.strategic("one", { extra: 1 }, warn);
  }),
  inNamespace("field-validation-ignore", "unknown fields go in silence on request", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create({ ...configMap("one"), extra: 1 }, ignore);
    await maps.create(duplicate, ignore);
    await maps.merge("one", { extra: 1 }, ignore);
    await maps.create(configMap("two"), "?fieldValidation=Perhaps");
    await maps.replace("one", configMap("one"), "?fieldValidation=Perhaps");
    await maps.merge("one", {}, "?fieldValidation=Perhaps");
  }),
  inNamespace("field-manager", "the name of a field manager is printable and short", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create(configMap("one"), `?fieldManager=${"x".repeat(129)}`);
    await maps.create(configMap("one"), "?fieldManager=a%01b");
    await maps.create(configMap("one"), "?fieldManager=fine");
    await maps.create(configMap("two"), "?pretty=true&timeout=5s&unknown=parameter");
  }),
  inNamespace("warnings", "objects that are odd but accepted come with warnings", async (api) => {
    const pods = resource(api, "pods");
    const container = { name: "main", image: "example.com/main:1" };
    await pods.create(pod("one", { nodeSelector: { "beta.kubernetes.io/arch": "amd64" } }));
    await pods.create(
      pod("two", {
        containers: [
          {
            ...container,
            env: [
              { name: "A", value: "1" },
              { name: "A", value: "2" },
            ],
          },
        ],
      }),
    );
    await pods.create(
      pod("three", { containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 80 }] }] }),
    );
    await pods.create(pod("four", { imagePullSecrets: [{}], hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }] }));
    await pods.create(
      pod("six", {
        containers: [{ ...container, resources: { requests: { memory: "1m" } } }],
      }),
    );
    await pods.create(pod("with.dots", { hostname: "a" }));
    await pods.create(pod("seven", {}, { finalizers: ["short"] }));
    await resource(api, "configmaps").create(configMap("eight", {}, { finalizers: ["short"] }));
    const nodes = clusterResource(api, "nodes");
    api.afterwards({ method: "DELETE", path: `${nodes.path}/${api.prefix}` });
    await nodes.create(node(api.prefix, { spec: { externalID: "old", podCIDR: "10.9.0.0/24" } }));
    await resource(api, "endpoints").create({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "old" } });
  }),
];
