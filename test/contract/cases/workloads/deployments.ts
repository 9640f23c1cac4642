import type { ContractCase, Json, Recorder } from "../../contract-case.ts";
import { resource, stage } from "../../resource.ts";
import { areReady, onNode, podOutlines, statusOf, template } from "./workload-stage.ts";

const selector = { matchLabels: { app: "web" } };

async function createDeployment(api: Recorder, spec: object = {}): Promise<void> {
  await resource(stage(api), "apps/v1/deployments").create({
    metadata: { name: "web" },
    spec: { replicas: 3, selector, template: template(api), ...spec },
  });
}

async function showAll(api: Recorder, isWanted: (pods: Json[]) => boolean): Promise<void> {
  await api.settle({ path: resource(api, "pods").path, select: podOutlines }, isWanted);
  await api.settle({ path: `${resource(api, "apps/v1/deployments").path}/web`, select: statusOf }, () => true);
  const sets = ({ items }: Json) =>
    items.map(setOutline).toSorted((left: Json, right: Json) => revision(left) - revision(right));
  await api.settle({ path: resource(api, "apps/v1/replicasets").path, select: sets }, () => true);
}

/** How often a set was scaled on the way depends on how fast its pods became ready. */
function setOutline(set: Json): Json {
  const { generation: _, status, ...outline } = statusOf(set);
  const { observedGeneration: __, ...counts } = status;
  return { ...outline, status: counts, labels: set.metadata.labels, owners: set.metadata.ownerReferences };
}

function revision({ annotations }: Json): number {
  return Number(annotations["deployment.kubernetes.io/revision"]);
}

export const deploymentCases: readonly ContractCase[] = [
  onNode("deployment-rollout", "a deployment makes a replica set, which makes pods", async (api) => {
    await createDeployment(api);
    await showAll(api, areReady(3));
  }),
  onNode("deployment-scale", "replicas are added and taken away", async (api) => {
    await createDeployment(api, { replicas: 1 });
    const deployments = resource(stage(api), "apps/v1/deployments");
    await deployments.merge("web/scale", { spec: { replicas: 4 } });
    await showAll(api, areReady(4));
    await deployments.merge("web/scale", { spec: { replicas: 0 } });
    await showAll(api, ({ length }) => length === 0);
  }),
  onNode("deployment-update", "a new template replaces all pods", async (api) => {
    await createDeployment(api);
    await showAll(api, areReady(3));
    const containers = [{ name: "main", image: "example.com/main:2" }];
    await resource(stage(api), "apps/v1/deployments").strategic("web", {
      spec: { template: { spec: { containers } } },
    });
    const isNew = (pods: Json[]) => areReady(3)(pods) && pods.every(({ image }) => image.endsWith(":2"));
    await showAll(api, isNew);
    // Going back to the old template is what "kubectl rollout undo" does.
    const old = [{ name: "main", image: "example.com/main:1" }];
    await resource(stage(api), "apps/v1/deployments").strategic("web", {
      spec: { template: { spec: { containers: old } } },
    });
    await showAll(api, (pods) => areReady(3)(pods) && pods.every(({ image }) => image.endsWith(":1")));
  }),
  onNode("deployment-restart", "a restart is an annotation of the template", async (api) => {
    await createDeployment(api, { replicas: 2 });
    await showAll(api, areReady(2));
    const metadata = { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" } };
    await resource(stage(api), "apps/v1/deployments").strategic("web", { spec: { template: { metadata } } });
    const isRestarted = ({ status }: Json) => status.observedGeneration === 2 && status.updatedReplicas === 2;
    await api.settle({ path: `${resource(api, "apps/v1/deployments").path}/web`, select: statusOf }, isRestarted);
    await showAll(api, areReady(2));
  }),
  onNode("deployment-recreate", "with Recreate, the old pods go first", async (api) => {
    await createDeployment(api, { replicas: 2, strategy: { type: "Recreate" } });
    await showAll(api, areReady(2));
    const containers = [{ name: "main", image: "example.com/main:2" }];
    await resource(stage(api), "apps/v1/deployments").strategic("web", {
      spec: { template: { spec: { containers } } },
    });
    await showAll(api, (pods) => areReady(2)(pods) && pods.every(({ image }) => image.endsWith(":2")));
  }),
  onNode("deployment-paused", "a paused deployment scales and does not roll", async (api) => {
    await createDeployment(api, { replicas: 1 });
    await showAll(api, areReady(1));
    const containers = [{ name: "main", image: "example.com/main:2" }];
    const deployments = resource(stage(api), "apps/v1/deployments");
    await deployments.strategic("web", { spec: { paused: true, replicas: 2, template: { spec: { containers } } } });
    await showAll(api, areReady(2));
  }),
  onNode("deployment-history", "only so many old replica sets are kept", async (api) => {
    await createDeployment(api, { replicas: 1, revisionHistoryLimit: 1 });
    for (const version of [1, 2, 3]) {
      const containers = [{ name: "main", image: `example.com/main:${version}` }];
      await resource(stage(api), "apps/v1/deployments").strategic("web", {
        spec: { template: { spec: { containers } } },
      });
      const isNew = (pods: Json[]) => areReady(1)(pods) && pods[0]?.image.endsWith(`:${version}`);
      await showAll(api, isNew);
    }
  }),
  onNode("deployment-unschedulable", "pods that fit nowhere wait", async (api) => {
    await createDeployment(api, { replicas: 1, template: template(api, { nodeSelector: { case: "nowhere" } }) });
    await showAll(api, (pods) => pods[0]?.scheduled === "False");
    const message = ({ items }: Json) => items[0].status.conditions;
    await api.settle(
      { path: resource(api, "pods").path, select: (list) => message(list).map(withoutOthers) },
      () => true,
    );
  }),
  onNode("replica-set-adopts", "a replica set takes pods that match, and replaces those that go", async (api) => {
    const pods = resource(stage(api), "pods");
    await pods.create({ metadata: { name: "own", labels: { app: "web" } }, spec: template(api).spec });
    await resource(stage(api), "apps/v1/replicasets").create({
      metadata: { name: "web" },
      spec: { replicas: 2, selector, template: template(api) },
    });
    const call = { path: resource(api, "pods").path, select: podOutlines };
    await api.settle(call, areReady(2));
    await pods.merge("own", { metadata: { labels: { app: "other" } } });
    await api.settle(call, areReady(3));
    await pods.delete("own");
    await api.settle(call, areReady(2));
  }),
];

/** How many nodes there are, and what else is the matter with some of them, depends on the other cases. */
function withoutOthers({ message, lastTransitionTime: _, ...condition }: Json): Json {
  return { ...condition, message: /node\(s\) didn't match [^.,]*/.exec(message)?.[0] };
}
