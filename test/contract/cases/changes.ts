import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { budget, configMap, deployment, node, pod, podTemplate } from "./samples.ts";

const selector = { matchLabels: { app: "web" } };
const jobTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/main" }] } };

export const changeCases: readonly ContractCase[] = [
  inNamespace("immutable-fields", "what cannot be changed later", async (api) => {
    const make = async (kind: string, object: unknown) => void (await resource(stage(api), kind).create(object));
    await make("apps/v1/deployments", deployment("x"));
    await resource(api, "apps/v1/deployments").merge("x", { spec: { selector: { matchLabels: { app: "other" } } } });
    await make("apps/v1/statefulsets", {
      metadata: { name: "x" },
      spec: { selector, serviceName: "s", template: podTemplate() },
    });
    await resource(api, "apps/v1/statefulsets").merge("x", {
      spec: { serviceName: "t", podManagementPolicy: "Parallel" },
    });
    await resource(api, "apps/v1/statefulsets").merge("x", {
      spec: { replicas: 3, template: podTemplate({ hostNetwork: true }) },
    });
    await make("apps/v1/daemonsets", { metadata: { name: "x" }, spec: { selector, template: podTemplate() } });
    await resource(api, "apps/v1/daemonsets").merge("x", { spec: { selector: { matchLabels: { app: "x" } } } });
    await make("batch/v1/jobs", { metadata: { name: "x" }, spec: { template: jobTemplate } });
    await resource(api, "batch/v1/jobs").merge("x", { spec: { completions: 5 } });
    await resource(api, "batch/v1/jobs").merge("x", { spec: { parallelism: 5 } });
    await make("pods", pod("x"));
    await resource(api, "pods").merge("x", { spec: { containers: [] } });
    await resource(api, "pods").merge("x", { spec: { schedulingGates: [{ name: "a.b/c" }] } });
    await resource(api, "pods").merge("x", { spec: { terminationGracePeriodSeconds: 7 } }, "?fieldManager=x");
    await make("persistentvolumeclaims", {
      metadata: { name: "x" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await resource(api, "persistentvolumeclaims").merge("x", { spec: { resources: { requests: { storage: "2Gi" } } } });
    await make("services", { metadata: { name: "x" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } });
    await resource(api, "services").merge("x", { spec: { clusterIP: "10.0.200.1", clusterIPs: ["10.0.200.1"] } });
    await make("policy/v1/poddisruptionbudgets", budget("x", { minAvailable: 1 }));
    await resource(api, "policy/v1/poddisruptionbudgets").merge("x", { spec: { minAvailable: 2 } });
    await make("rbac.authorization.k8s.io/v1/rolebindings", {
      metadata: { name: "x" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    });
    await resource(api, "rbac.authorization.k8s.io/v1/rolebindings").merge("x", { roleRef: { name: "other" } });
    await make("apps/v1/controllerrevisions", { metadata: { name: "x" }, revision: 1, data: { a: 1 } });
    await resource(api, "apps/v1/controllerrevisions").merge("x", { data: { a: 2 } });
  }),
  inNamespace("gated-pod", "gates are lifted, and a gated pod may get narrower", async (api) => {
    const affinity = (key: string) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "Exists" }] }],
        },
      },
    });
    await resource(stage(api), "pods").create(pod("x", { schedulingGates: [{ name: "a.b/c" }, { name: "a.b/d" }] }));
    const gated = resource(api, "pods");
    await gated.merge("x", { spec: { nodeSelector: { a: "b" } } });
    await gated.merge("x", { spec: { nodeSelector: { a: "c" } } });
    await gated.merge("x", { spec: { affinity: affinity("k") } });
    await gated.merge("x", { spec: { schedulingGates: [{ name: "a.b/c" }] } });
    await gated.merge("x", { spec: { schedulingGates: [{ name: "a.b/e" }] } });
    await gated.merge("x", { spec: { schedulingGates: [] } });
    await gated.merge("x", { spec: { nodeSelector: { a: "b", c: "d" } } });
  }),
  {
    name: "node-changes",
    about: "labels, taints and cordon of a node, and what stays",
    async run(api) {
      const nodes = clusterResource(api, "nodes");
      api.afterwards({ method: "DELETE", path: `${nodes.path}/${api.prefix}` });
      await clusterResource(stage(api), "nodes").create(
        node(api.prefix, { spec: { podCIDR: "10.8.0.0/24", providerID: "a" } }),
      );
      await nodes.strategic(api.prefix, { metadata: { labels: { a: "b" } } });
      await nodes.strategic(api.prefix, { spec: { unschedulable: true } });
      await nodes.strategic(api.prefix, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } });
      await nodes.strategic(api.prefix, { spec: { unschedulable: null, taints: null } });
      await nodes.merge(api.prefix, { spec: { podCIDR: "10.9.0.0/24" } });
      await nodes.merge(api.prefix, { spec: { providerID: "b" } });
      await nodes.merge(api.prefix, { metadata: { labels: { "bad key!": "x" } } });
    },
  },
  inNamespace("large-map", "how large a config map may be", async (api) => {
    const half = "x".repeat(600 * 1024);
    await resource(api, "configmaps").create(configMap("x", { a: half, b: half }));
  }),
];
