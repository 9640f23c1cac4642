import { podTemplate } from "../controller/manifests.ts";
import type { Scene, Story } from "../controller/scene.ts";

const pool = "rights";
const surge = { "karpenter.sh/drain-strategy": "surge" };
const nowhere = { maxSkew: 1, topologyKey: "example.com/nowhere", whenUnsatisfiable: "ScheduleAnyway" };

/** What takes permissions that the stories of the controller do not need. */
export const rightsStory: Story = {
  name: pool,
  about: "workloads are restarted for others to stand in, spread by default, and unsupported kinds say so",
  environment: { SCHEDULER_CONFIG: JSON.stringify({ podTopologySpread: { defaultConstraints: [nowhere] } }) },
  async play(scene) {
    await scene.addPool(pool);
    await scene.addDeployment("web", 2, { pool, annotations: surge });
    await addStatefulSet(scene, "store");
    await scene.untilRunning("web", 2);
    await scene.untilRunning("store", 1);
    await scene.kubectl(`delete nodeclaims --selector karpenter.sh/nodepool=${pool} --wait=false`);
    for (const [kind, name] of [
      ["Deployment", "web"],
      ["StatefulSet", "store"],
    ] as const) {
      await scene.until(`${kind} ${name} is restarted`, async () => {
        const path = `/apis/apps/v1/namespaces/${scene.namespace}/${kind.toLowerCase()}s/${name}`;
        return JSON.stringify(await scene.api.find(path)).includes("restartedAt");
      });
    }
    await sayUnsupported(scene);
  },
};

async function addStatefulSet(scene: Scene, app: string): Promise<void> {
  await scene.api.create(`/apis/apps/v1/namespaces/${scene.namespace}/statefulsets`, {
    metadata: { name: app },
    spec: {
      replicas: 1,
      serviceName: app,
      selector: { matchLabels: { app } },
      template: podTemplate(app, { pool, annotations: surge }),
    },
  });
}

async function sayUnsupported(scene: Scene): Promise<void> {
  const overlays = "/apis/karpenter.sh/v1alpha1/nodeoverlays";
  const buffers = `/apis/autoscaling.x-k8s.io/v1beta1/namespaces/${scene.namespace}/capacitybuffers`;
  const objects = [
    { collection: overlays, apiVersion: "karpenter.sh/v1alpha1", kind: "NodeOverlay", spec: { requirements: [] } },
    { collection: buffers, apiVersion: "autoscaling.x-k8s.io/v1beta1", kind: "CapacityBuffer", spec: {} },
  ];
  for (const { collection, ...object } of objects) {
    await scene.api.create(collection, { ...object, metadata: { name: pool } });
    await scene.until(`${object.kind} says something of itself`, async () => {
      const found = await scene.api.find<{ status?: { conditions?: unknown[] } }>(`${collection}/${pool}`);
      return (found?.status?.conditions ?? []).length > 0;
    });
    await scene.api.remove(`${collection}/${pool}`);
  }
}
