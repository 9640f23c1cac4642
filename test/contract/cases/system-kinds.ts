import type { ContractCase, Recorder } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { runtimeClassCases } from "./runtime-classes.ts";
import { configMap, pod } from "./samples.ts";

const newEvents = "events.k8s.io/v1/events";
const leases = "coordination.k8s.io/v1/leases";
const moment = "2026-03-04T05:06:07.000000Z";

function involved(api: Recorder) {
  return { apiVersion: "v1", kind: "Pod", name: "one", namespace: api.namespace };
}

export const systemKindCases: readonly ContractCase[] = [
  inNamespace("event-old", "an event of the core group is seen through both groups", async (api) => {
    const events = resource(api, "events");
    await events.create({
      metadata: { name: "one" },
      involvedObject: involved(api),
      reason: "Failed",
      message: "It did not work",
      source: { component: "tester", host: "h" },
      firstTimestamp: "2026-03-04T05:06:07Z",
      lastTimestamp: "2026-03-04T05:06:08Z",
      count: 3,
      type: "Warning",
    });
    await events.get("one");
    await resource(api, newEvents).get("one");
    await events.merge("one", { count: 4 });
    await resource(api, newEvents).list();
    await events.list("?fieldSelector=involvedObject.name%3Done,reason%3DFailed");
    await events.list("", "application/json;as=Table;v=v1;g=meta.k8s.io");
    await resource(api, newEvents).delete("one");
    await events.get("one");
  }),
  inNamespace("event-new", "an event of the new group is seen through both groups", async (api) => {
    const events = resource(api, newEvents);
    const event = {
      metadata: { name: "one" },
      regarding: involved(api),
      reason: "Scheduled",
      action: "Binding",
      note: "Assigned",
      type: "Normal",
      reportingController: "example.com/tester",
      reportingInstance: "tester-1",
      eventTime: moment,
    };
    await events.create(event);
    await events.get("one");
    await resource(api, "events").get("one");
    await events.merge("one", { series: { count: 2, lastObservedTime: moment } });
    await events.merge("one", { note: "Other" });
    await events.create({ ...event, metadata: { name: "two" }, reportingController: "not valid!", action: "" });
    await events.create({ ...event, metadata: { name: "two" }, type: "Odd", reason: "" });
    await events.create({ ...event, metadata: { name: "two" }, eventTime: null });
    await resource(api, "events").create({ metadata: { name: "three" }, involvedObject: {} });
    await resource(api, "events").create({ metadata: { name: "three" }, involvedObject: { namespace: "elsewhere" } });
  }),
  inNamespace("lease", "leases are taken, renewed and lost", async (api) => {
    const resourceOfLeases = resource(api, leases);
    const spec = { holderIdentity: "a", leaseDurationSeconds: 15, acquireTime: moment, renewTime: moment };
    const { body } = await resourceOfLeases.create({ metadata: { name: "one" }, spec });
    await resourceOfLeases.replace("one", { ...body, spec: { ...spec, renewTime: "2026-03-04T05:06:09.123456Z" } });
    await resourceOfLeases.replace("one", { ...body, spec: { ...spec, holderIdentity: "b" } });
    await resourceOfLeases.merge("one", { spec: { holderIdentity: "b", leaseTransitions: 1 } });
    await resourceOfLeases.merge("one", { spec: { leaseDurationSeconds: 0 } });
    await resourceOfLeases.merge("one", { spec: { leaseTransitions: -1 } });
    await resourceOfLeases.merge("one", { spec: { renewTime: "yesterday" } });
    await resourceOfLeases.merge("one", { spec: { renewTime: "2026-03-04T05:06:09Z" } });
    await resourceOfLeases.merge("one", { spec: { preferredHolder: "x" } });
    await resourceOfLeases.delete("one");
  }),
  {
    name: "namespace-life",
    about: "a namespace is created, ends, and is finalized",
    async run(api) {
      const namespaces = clusterResource(api, "namespaces");
      const name = api.prefix;
      await namespaces.create({ metadata: { name } });
      await namespaces.create({ metadata: { name } });
      await namespaces.delete(name);
      await namespaces.delete(name);
      await resource(api, "configmaps").create(configMap("late"));
      await resource(api, "pods").create(pod("late"));
      const { body } = await namespaces.get(name);
      await namespaces.replace(`${name}/finalize`, { ...body, spec: { finalizers: ["other"] } });
      await namespaces.replace(`${name}/finalize`, { ...body, spec: { finalizers: [] } });
      await namespaces.replace(`${name}/finalize`, { metadata: { name }, spec: { finalizers: [] } });
      await namespaces.get(name);
    },
  },
  {
    name: "namespace-rules",
    about: "names and finalizers of namespaces, and those that stay",
    async run(api) {
      const namespaces = clusterResource(api, "namespaces");
      await namespaces.create({ metadata: { name: "Bad.Name" } });
      await namespaces.create({ metadata: { name: `${api.prefix}-${"x".repeat(60)}` } });
      await namespaces.delete("default");
      await namespaces.delete("kube-system");
      await namespaces.delete("not-there");
      await namespaces.merge("kube-public", { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } });
      await namespaces.merge("kube-public", { spec: { finalizers: [] } });
      await namespaces.merge("kube-public/status", { status: { phase: "Odd" } }, "?dryRun=All");
      await namespaces.get("kube-public", "?pretty=true");
    },
  },
  {
    name: "namespace-missing",
    about: "nothing is created in a namespace that is not there",
    async run(api) {
      await resource(api, "configmaps").create(configMap("one"));
      await resource(api, "pods").create(pod("one"));
      await resource(api, "configmaps").apply("one", configMap("one"), "?fieldManager=me");
      await resource(api, "configmaps").create(configMap("one"), "?dryRun=All");
      await resource(api, "pods").replace("one", pod("one"));
      await resource(api, "configmaps").list();
      await resource(api, "configmaps").deleteAll();
    },
  },
  inNamespace("priority-classes", "pods get the priority of their class", async (api) => {
    const classes = clusterResource(api, "scheduling.k8s.io/v1/priorityclasses");
    api.afterwards({ method: "DELETE", path: `${classes.path}/${api.prefix}` });
    await classes.create({ metadata: { name: api.prefix }, value: 7, preemptionPolicy: "Never" });
    await classes.merge(api.prefix, { value: 8 });
    await classes.create({ metadata: { name: `system-${api.prefix}` }, value: 8 });
    await classes.create({ metadata: { name: `${api.prefix}-2` }, value: 2000000000 });
    await resource(api, "pods").create(pod("one", { priorityClassName: api.prefix }));
    await resource(api, "pods").create(pod("two", { priorityClassName: "none" }));
    await resource(api, "pods").create(pod("three", { priorityClassName: api.prefix, priority: 3 }));
    await resource(api, "pods").create(pod("four", { priority: 3 }));
    await resource(api, "pods").create(pod("five", { priorityClassName: "system-node-critical" }));
    await resource(api, "pods").create(pod("six", { serviceAccountName: "none" }));
    await resource(stage(api), "pods").delete("one");
  }),
  ...runtimeClassCases,
];
