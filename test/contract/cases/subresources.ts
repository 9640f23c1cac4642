import type { ContractCase, Recorder } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { budget, deployment, node, pod, podTemplate } from "./samples.ts";

function post(api: Recorder, path: string, body: unknown) {
  return api.request({ method: "POST", path: `${resource(api, "pods").path}/${path}`, body });
}

const evict = (name: string, more: object = {}) => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name },
  ...more,
});

async function createBudget(api: Recorder, name: string, disruptionsAllowed: number) {
  const budgets = resource(stage(api), "policy/v1/poddisruptionbudgets");
  await budgets.create(budget(name, { minAvailable: 1 }));
  const status = { disruptionsAllowed, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 };
  await budgets.merge(`${name}/status`, { status });
}

async function createRunningPod(api: Recorder, name: string) {
  const pods = resource(stage(api), "pods");
  await pods.create(pod(name, { nodeName: "somewhere" }));
  const conditions = [{ type: "Ready", status: "True" }];
  await pods.merge(`${name}/status`, { status: { phase: "Running", conditions } });
}

export const subresourceCases: readonly ContractCase[] = [
  inNamespace("status-of-a-deployment", "spec and status are written apart", async (api) => {
    const deployments = resource(api, "apps/v1/deployments");
    const { body } = await deployments.create({ ...deployment("one"), status: { replicas: 5 } });
    await deployments.replace("one/status", { ...body, spec: { ...body.spec, replicas: 9 }, status: { replicas: 1 } });
    await deployments.merge("one", { status: { replicas: 7 }, spec: { replicas: 3 } });
    await deployments.merge("one/status", {
      status: { observedGeneration: 2 },
      metadata: { labels: { by: "status" } },
    });
    await deployments.merge("one/status", { status: { replicas: -1, readyReplicas: 5 } });
    await deployments.get("one/status");
    await deployments.merge("none/status", { status: {} });
    await deployments.create({}, "/one/status");
    await deployments.delete("one/status");
  }),
  inNamespace("status-of-a-pod", "the kubelet writes what a pod does", async (api) => {
    const pods = resource(api, "pods");
    await resource(stage(api), "pods").create(pod("one", { nodeName: "somewhere" }));
    await pods.strategic("one/status", {
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime: null }] },
    });
    await pods.strategic("one/status", { status: { conditions: [{ type: "PodScheduled", status: "True" }] } });
    await pods.strategic("one/status", { status: { conditions: [{ type: "Ready", $patch: "delete" }] } });
    await pods.merge("one/status", { spec: { nodeName: "elsewhere" } });
    await pods.merge("one/status", { status: { qosClass: "Guaranteed" } });
    await pods.merge("one/status", { status: { nominatedNodeName: "n3", phase: "Odd" } });
  }),
  {
    name: "status-of-a-node",
    about: "capacity and conditions of a node",
    async run(api) {
      const nodes = { ...api, namespace: "" };
      const path = `/api/v1/nodes/${api.prefix}`;
      await stage(nodes).request({ method: "POST", path: "/api/v1/nodes", body: node(api.prefix) });
      api.afterwards({ method: "DELETE", path });
      const patch = (where: string, body: unknown) =>
        api.request({
          method: "PATCH",
          path: `${path}${where}`,
          headers: { "content-type": "application/strategic-merge-patch+json" },
          body,
        });
      await patch("/status", { status: { capacity: { cpu: "4", memory: "8192Mi" }, phase: "Running" } });
      await patch("/status", { status: { conditions: [{ type: "Ready", status: "True" }] } });
      await patch("/status", { status: { conditions: [{ type: "DiskPressure", status: "False" }] } });
      await patch("/status", { spec: { unschedulable: true }, metadata: { labels: { a: "b" } } });
      await patch("", { status: { capacity: { cpu: "9" } }, spec: { unschedulable: true } });
      await patch("", {
        spec: {
          taints: [
            { key: "a", effect: "NoSchedule" },
            { key: "a", effect: "NoSchedule" },
          ],
        },
      });
      await patch("", { spec: { providerID: "kwok://1" } });
      await patch("", { spec: { providerID: "kwok://2" } });
      await patch("/status", { status: { capacity: { cpu: "-1" } } });
    },
  },
  inNamespace("scale-of-a-deployment", "replicas are read and written through scale", async (api) => {
    const deployments = resource(api, "apps/v1/deployments");
    await resource(stage(api), "apps/v1/deployments").create(deployment("one"));
    const { body } = await deployments.get("one/scale");
    await deployments.replace("one/scale", { ...body, spec: { replicas: 5 } });
    await deployments.replace("one/scale", { ...body, spec: { replicas: 6 } });
    await deployments.replace("one/scale", { metadata: { name: "one" }, spec: { replicas: 0 } });
    await deployments.merge("one/scale", { spec: { replicas: 4 } });
    await deployments.merge("one/scale", { spec: { replicas: -4 } });
    await deployments.merge("one/scale", { spec: { replicas: "four" } });
    await deployments.jsonPatch("one/scale", [{ op: "replace", path: "/spec/replicas", value: 3 }]);
    await deployments.replace("one/scale", { metadata: { name: "two" }, spec: { replicas: 0 } });
    await deployments.replace("one/scale", { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "one" } });
    await deployments.get("none/scale");
    await deployments.merge("none/scale", { spec: { replicas: 4 } });
    await deployments.get("one");
  }),
  inNamespace("scale-of-others", "replica sets, stateful sets and controllers scale too", async (api) => {
    const selector = { matchLabels: { app: "web" } };
    const template = podTemplate();
    const kinds: readonly (readonly [string, object])[] = [
      ["apps/v1/replicasets", { selector, template }],
      ["apps/v1/statefulsets", { selector, template, serviceName: "s" }],
      ["replicationcontrollers", { selector: { app: "web" }, template }],
    ];
    for (const [kind, spec] of kinds) {
      await resource(stage(api), kind).create({ metadata: { name: "one" }, spec });
      await resource(api, kind).merge("one/scale", { spec: { replicas: 2 } });
    }
    await resource(api, "apps/v1/daemonsets").get("one/scale");
  }),
  inNamespace("binding", "a scheduler binds a pod to a node once", async (api) => {
    await resource(stage(api), "pods").create(pod("one"));
    const bind = (name: string, target: object, metadata: object = {}) => ({
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, ...metadata },
      target,
    });
    await post(api, "one/binding", bind("one", { kind: "Service", name: "n1" }));
    await post(api, "one/binding", bind("one", { kind: "Node" }));
    await post(api, "one/binding", bind("two", { kind: "Node", name: "n1" }));
    await post(
      api,
      "one/binding",
      bind("one", { kind: "Node", name: "n1" }, { uid: "11111111-2222-4333-8444-555555555555" }),
    );
    await post(
      api,
      "one/binding",
      bind("one", { kind: "Node", name: "n1" }, { annotations: { a: "b" }, labels: { c: "d" } }),
    );
    await post(api, "one/binding", bind("one", { kind: "Node", name: "n2" }));
    await post(api, "none/binding", bind("none", { kind: "Node", name: "n1" }));
    await resource(api, "pods").get("one");
    await api.request({
      method: "POST",
      path: `/api/v1/namespaces/${api.namespace}/bindings`,
      body: bind("one", { kind: "Node", name: "n2" }),
    });
    await resource(stage(api), "pods").create(pod("gated", { schedulingGates: [{ name: "a.b/c" }] }));
    await post(api, "gated/binding", bind("gated", { kind: "Node", name: "n1" }));
    await api.request({ path: `${resource(api, "pods").path}/one/binding` });
  }),
  inNamespace("binding-topology", "a pod gets the zone and the region of its node as labels", async (api) => {
    const labels = { "topology.kubernetes.io/zone": "z1", "topology.kubernetes.io/region": "r1", other: "o1" };
    const nodes = clusterResource(stage(api), "nodes");
    await nodes.create(node("topology", { metadata: { name: "topology", labels } }));
    await resource(stage(api), "pods").create(pod("one"));
    const metadata = { name: "one", labels: { "topology.kubernetes.io/zone": "z2" } };
    const target = { kind: "Node", name: "topology" };
    await post(api, "one/binding", { apiVersion: "v1", kind: "Binding", metadata, target });
    await resource(api, "pods").get("one");
    await resource(api, "pods").create(pod("two", { nodeName: "topology" }));
    await nodes.delete("topology");
  }),
  inNamespace("eviction-allowed", "a pod without a budget is deleted", async (api) => {
    await createRunningPod(api, "one");
    await post(api, "one/eviction", evict("one"));
    await resource(api, "pods").get("one");
    await createRunningPod(api, "two");
    await post(api, "two/eviction", evict("two", { deleteOptions: { gracePeriodSeconds: 0 } }));
    await resource(api, "pods").get("two");
    await post(api, "none/eviction", evict("none"));
    await createRunningPod(api, "three");
    await post(api, "three/eviction", evict("other"));
    await post(api, "three/eviction", { metadata: { name: "three" } });
    await createRunningPod(api, "four");
    await post(api, "four/eviction", { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: "four" } });
    await post(api, "four/eviction", evict("four", { deleteOptions: { preconditions: { resourceVersion: "1" } } }));
    await post(api, "four/eviction", { apiVersion: "policy/v1", kind: "Eviction" });
  }),
  inNamespace("eviction-blocked", "a budget with nothing left refuses", async (api) => {
    await createBudget(api, "budget", 0);
    await createRunningPod(api, "one");
    await post(api, "one/eviction", evict("one"));
    await post(api, "one/eviction?dryRun=All", evict("one"));
    await resource(api, "pods").get("one");
    await resource(api, "policy/v1/poddisruptionbudgets").get("budget");
  }),
  inNamespace("eviction-counted", "an eviction takes one off the budget", async (api) => {
    await createBudget(api, "budget", 1);
    await createRunningPod(api, "one");
    await createRunningPod(api, "two");
    await post(api, "one/eviction?dryRun=All", evict("one"));
    await post(api, "one/eviction", evict("one"));
    await resource(api, "policy/v1/poddisruptionbudgets").get("budget");
    await post(api, "two/eviction", evict("two"));
    await post(api, "one/eviction", evict("one"));
  }),
  inNamespace("eviction-two-budgets", "a pod with two budgets cannot be evicted", async (api) => {
    await createBudget(api, "first", 5);
    await createBudget(api, "second", 5);
    await createRunningPod(api, "one");
    await post(api, "one/eviction", evict("one"));
  }),
  inNamespace("eviction-not-running", "a pod that does not run is no disruption", async (api) => {
    await createBudget(api, "budget", 0);
    const pods = resource(stage(api), "pods");
    await pods.create(pod("pending"));
    await post(api, "pending/eviction", evict("pending"));
    await createRunningPod(api, "done");
    await pods.merge("done/status", { status: { phase: "Succeeded" } });
    await post(api, "done/eviction", evict("done"));
    await createRunningPod(api, "sick");
    await pods.merge("sick/status", { status: { conditions: [{ type: "Ready", status: "False" }] } });
    await post(api, "sick/eviction", evict("sick"));
  }),
  inNamespace("eviction-unready-policy", "a budget may let unready pods go always", async (api) => {
    const budgets = resource(stage(api), "policy/v1/poddisruptionbudgets");
    await budgets.create(budget("budget", { minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" }));
    await createRunningPod(api, "sick");
    await resource(stage(api), "pods").merge("sick/status", {
      status: { conditions: [{ type: "Ready", status: "False" }] },
    });
    await post(api, "sick/eviction", evict("sick"));
    await createRunningPod(api, "well");
    await post(api, "well/eviction", evict("well"));
  }),
  inNamespace("eviction-stale-budget", "a budget that was not looked at yet refuses", async (api) => {
    const budgets = resource(stage(api), "policy/v1/poddisruptionbudgets");
    await createBudget(api, "budget", 3);
    await budgets.merge("budget", { spec: { minAvailable: 2 } });
    await createRunningPod(api, "one");
    await post(api, "one/eviction", evict("one"));
  }),
  inNamespace("pod-log", "logs of pods that do not run", async (api) => {
    const pods = resource(api, "pods");
    await resource(stage(api), "pods").create(pod("one"));
    await resource(stage(api), "pods").create(
      pod("two", {
        containers: [
          { name: "a", image: "i" },
          { name: "b", image: "i" },
        ],
      }),
    );
    await pods.get("none/log");
    await pods.get("one/log");
    await pods.get("one/log?container=other");
    await pods.get("two/log");
    await pods.get("one/log?tailLines=-1");
    await pods.get("one/log?tailLines=many");
    await pods.get("one/log?sinceSeconds=0");
    await pods.get("one/log?limitBytes=0");
    await pods.get("one/log?sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z");
    await pods.get("one/nothing");
  }),
];
