import type { ContractCase, Json } from "../../contract-case.ts";
import { resource, stage } from "../../resource.ts";
import { areReady, createNode, onNode, podOutlines, statusOf, template } from "./workload-stage.ts";

const selector = { matchLabels: { app: "web" } };

export const otherWorkloadCases: readonly ContractCase[] = [
  onNode("stateful-set-order", "pods of a stateful set come one after the other, and go backwards", async (api) => {
    const pods = resource(api, "pods");
    const watch = await api.watch(`${pods.path}?watch=true&labelSelector=app%3Dweb`, {
      select: ({ metadata }) => metadata.name,
      types: ["ADDED", "DELETED"],
    });
    const sets = resource(stage(api), "apps/v1/statefulsets");
    await sets.create({
      metadata: { name: "web" },
      spec: { replicas: 3, serviceName: "s", selector, template: template(api) },
    });
    await watch.take(3);
    await api.settle({ path: pods.path, select: podOutlines }, areReady(3));
    await api.settle({ path: `${resource(api, "apps/v1/statefulsets").path}/web`, select: statusOf }, () => true);
    await sets.merge("web/scale", { spec: { replicas: 1 } });
    await watch.take(2);
    await api.settle({ path: pods.path, select: podOutlines }, areReady(1));
  }),
  onNode("stateful-set-update", "a stateful set replaces its pods under the same names", async (api) => {
    const sets = resource(stage(api), "apps/v1/statefulsets");
    await sets.create({
      metadata: { name: "web" },
      spec: { replicas: 2, selector, serviceName: "s", template: template(api) },
    });
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(2));
    const containers = [{ name: "main", image: "example.com/main:2" }];
    await sets.strategic("web", { spec: { template: { spec: { containers } } } });
    const isNew = (pods: Json[]) => areReady(2)(pods) && pods.every(({ image }) => image.endsWith(":2"));
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, isNew);
    await api.settle({ path: `${resource(api, "apps/v1/statefulsets").path}/web`, select: statusOf }, () => true);
  }),
  onNode("stateful-set-parallel", "with Parallel nobody waits", async (api) => {
    await resource(stage(api), "apps/v1/statefulsets").create({
      metadata: { name: "web" },
      spec: { replicas: 3, selector, serviceName: "s", podManagementPolicy: "Parallel", template: template(api) },
    });
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(3));
  }),
  onNode("daemon-set-new-node", "a daemon set runs on every node that fits, also on new ones", async (api) => {
    await resource(stage(api), "apps/v1/daemonsets").create({
      metadata: { name: "web" },
      spec: { selector, template: template(api) },
    });
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(1));
    await createNode(api, `${api.prefix}-2`);
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(2));
    await api.settle({ path: `${resource(api, "apps/v1/daemonsets").path}/web`, select: statusOf }, () => true);
    const affinity = ({ items }: Json) => items.map(({ spec }: Json) => [spec.affinity, spec.tolerations]);
    await api.request({
      path: `${resource(api, "pods").path}?fieldSelector=spec.nodeName%3D${api.prefix}-1`,
      select: affinity,
    });
  }),
  onNode("daemon-set-update", "a daemon set replaces its pods", async (api) => {
    const sets = resource(stage(api), "apps/v1/daemonsets");
    await sets.create({ metadata: { name: "web" }, spec: { selector, template: template(api) } });
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, areReady(1));
    const containers = [{ name: "main", image: "example.com/main:2" }];
    await sets.strategic("web", { spec: { template: { spec: { containers } } } });
    const isNew = (pods: Json[]) => areReady(1)(pods) && pods[0]?.image.endsWith(":2");
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, isNew);
    await api.settle({ path: `${resource(api, "apps/v1/daemonsets").path}/web`, select: statusOf }, () => true);
  }),
  onNode("job-completion", "a job is complete when its pods are", async (api) => {
    await resource(stage(api), "batch/v1/jobs").create({
      metadata: { name: "web" },
      spec: { completions: 3, parallelism: 2, template: template(api, { restartPolicy: "Never" }) },
    });
    const isComplete = ({ conditions }: Json) => conditions?.some(({ type }: Json) => type === "Complete") === true;
    await api.settle({ path: `${resource(api, "batch/v1/jobs").path}/web`, select: jobOutline }, isComplete);
    await api.settle({ path: resource(api, "pods").path, select: podOutlines }, ({ length }) => length === 3);
  }),
  onNode("job-suspended", "a suspended job has no pods until it is resumed", async (api) => {
    const jobs = resource(stage(api), "batch/v1/jobs");
    await jobs.create({
      metadata: { name: "web" },
      spec: { suspend: true, template: template(api, { restartPolicy: "Never" }) },
    });
    const call = { path: `${resource(api, "batch/v1/jobs").path}/web`, select: jobOutline };
    await api.settle(call, ({ conditions }) => conditions !== undefined);
    await jobs.merge("web", { spec: { suspend: false } });
    await api.settle(call, ({ conditions }) => conditions?.some(({ type }: Json) => type === "Complete") === true);
  }),
];

function jobOutline(job: Json): Json {
  const { status, ...outline } = statusOf(job);
  const { startTime, completionTime, ...counts } = status;
  return {
    ...outline,
    status: { ...counts, hasStarted: startTime !== undefined, hasEnded: completionTime !== undefined },
  };
}
