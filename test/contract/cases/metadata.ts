import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { configMap, node, pod } from "./samples.ts";

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };

export const metadataCases: readonly ContractCase[] = [
  inNamespace("metadata-names", "names that cannot be", async (api) => {
    const maps = resource(api, "configmaps");
    const names = [
      "UPPER",
      "with space",
      "-dash",
      "dot.",
      "a/b",
      "a%b",
      ".",
      "..",
      "x".repeat(254),
      "under_score",
      "é",
    ];
    for (const name of names) await maps.create(configMap(name));
    await maps.create(configMap("with.dots.is-fine"));
    await maps.create(configMap(""));
    await resource(api, "services").create({ metadata: { name: "1bad" }, spec: { ports: [{ port: 1 }] } });
    await resource(api, "services").create({ metadata: { name: "with.dots" }, spec: { ports: [{ port: 1 }] } });
    await clusterResource(api, "nodes").create(node("Not_A_Node"));
    await resource(api, "rbac.authorization.k8s.io/v1/roles").create({ metadata: { name: "a:B_c" } });
    await resource(api, "rbac.authorization.k8s.io/v1/roles").create({ metadata: { name: "a%c" } });
    await resource(api, "apps/v1/statefulsets").create({ metadata: { name: "x".repeat(64) } });
  }),
  inNamespace("metadata-labels", "labels that cannot be", async (api) => {
    const maps = resource(api, "configmaps");
    const labels = [
      ...[{ "": "a" }, { "a b": "c" }, { "a/b/c": "d" }, { "UPPER.example.com/x": "y" }, { "/x": "y" }, { "x/": "y" }],
      ...[
        { a: "b c" },
        { a: "-b" },
        { a: "x".repeat(64) },
        { ["x".repeat(64)]: "a" },
        { [`${"x".repeat(254)}/a`]: "b" },
      ],
      { a: "é" },
    ];
    for (const value of labels) await maps.create(configMap("one", {}, { labels: value }));
    await maps.create(configMap("one", {}, { labels: { a: 1 } }));
    await maps.create(configMap("one", {}, { labels: ["a"] }));
    await maps.create(configMap("one", {}, { labels: null, annotations: null }));
    await maps.merge("one", { metadata: { labels: { "not ok!": "x" } } });
  }),
  inNamespace("metadata-annotations", "annotations that cannot be", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create(configMap("one", {}, { annotations: { "a b": "c" } }));
    await maps.create(configMap("one", {}, { annotations: { "a/b/c": "c" } }));
    await maps.create(configMap("one", {}, { annotations: { UPPER: "any text is fine: é\n" } }));
    await maps.create(configMap("two", {}, { annotations: { a: "x".repeat(262145) } }));
    await maps.create(configMap("two", {}, { annotations: { a: true } }));
  }),
  inNamespace("metadata-owners", "owner references that cannot be", async (api) => {
    const maps = resource(api, "configmaps");
    const owners: readonly unknown[] = [
      [{}],
      [{ ...owner, apiVersion: "a/b/c" }],
      [{ ...owner, apiVersion: "" }],
      [{ ...owner, kind: "" }],
      [{ ...owner, name: "" }],
      [{ ...owner, uid: "" }],
      [{ ...owner, apiVersion: "v1", kind: "Event" }],
      [
        { ...owner, controller: true },
        { ...owner, uid: "v", controller: true },
      ],
      [owner, owner],
      "me",
    ];
    for (const ownerReferences of owners) await maps.create(configMap("one", {}, { ownerReferences }));
    await maps.create(
      configMap("two", {}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true, controller: true }] }),
    );
  }),
  inNamespace("metadata-finalizers", "finalizers that cannot be", async (api) => {
    const maps = resource(api, "configmaps");
    await maps.create(configMap("one", {}, { finalizers: ["not ok"] }));
    await maps.create(configMap("one", {}, { finalizers: ["short"] }));
    await maps.create(configMap("one", {}, { finalizers: ["orphan", "foregroundDeletion"] }));
    await maps.create(configMap("one", {}, { finalizers: ["a.example.com/b", "a.example.com/b"] }));
    await maps.create(configMap("two", {}, { finalizers: [""] }));
    await maps.create(configMap("two", {}, { finalizers: "a.example.com/b" }));
  }),
  inNamespace("metadata-system-fields", "what only the server writes", async (api) => {
    const maps = resource(api, "configmaps");
    const fields = {
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      generation: 3,
      selfLink: "/x",
      uid: "mine",
    };
    await maps.create(configMap("one", {}, fields));
    await maps.merge("one", { metadata: { creationTimestamp: "2001-01-01T00:00:00Z" } });
    await maps.merge("one", { metadata: { creationTimestamp: null } });
    await maps.merge("one", { metadata: { creationTimestamp: "yesterday" } });
    await maps.merge("one", { metadata: { deletionTimestamp: "2001-01-01T00:00:00Z" } });
    await maps.merge("one", { metadata: { generation: -1 } });
    await maps.merge("one", { metadata: { generateName: "new-" } });
    await maps.merge("one", { metadata: { selfLink: "/y" } });
    await maps.create(configMap("two", {}, { creationTimestamp: 5 }));
    await maps.get("one");
  }),
  inNamespace("metadata-pod-labels", "labels of templates and selectors are checked too", async (api) => {
    const pods = resource(api, "pods");
    await pods.create(pod("one", { nodeSelector: { "a b": "c" } }));
    await resource(api, "apps/v1/deployments").create({
      metadata: { name: "one" },
      spec: {
        selector: { matchLabels: { a: "not ok" }, matchExpressions: [{ key: "a", operator: "Near" }] },
        template: { metadata: { labels: { "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await resource(stage(api), "pods").create(pod("two"));
    await pods.merge("two", { metadata: { name: "three" } });
    await pods.merge("two", { metadata: { labels: { a: null, b: "c" } } });
  }),
];
