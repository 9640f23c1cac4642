import type { Story } from "../scene.ts";

const pool = "suggest";
const apps = [
  { app: "web", count: 40, cpu: "1", spec: {} },
  { app: "small", count: 20, cpu: "200m", spec: {} },
  { app: "apart", count: 9, cpu: "500m", spec: { topologySpreadConstraints: [overZones("apart")] } },
];

/** kube-scheduler decides, also with the policy that this one has taken the place of. */
export const suggestStory: Story = {
  name: pool,
  about: "kube-scheduler places a burst of several kinds, no pod is nominated, and the old policy warns",
  environment: { PLACEMENT_POLICY: "Nominate" },
  async play(scene) {
    await scene.addPool(pool);
    await Promise.all(apps.map(({ app, count, cpu, spec }) => scene.addDeployment(app, count, { pool, cpu, spec })));
    for (const { app, count } of apps) {
      const pods = await scene.untilRunning(app, count);
      const nominated = pods.filter(({ status }) => (status?.nominatedNodeName ?? "") !== "");
      scene.same(nominated.length, 0, `pods of ${app} that are nominated`);
    }
    const warnings = scene.logLines().filter(({ level, message }) => level === "WARN" && /Nominate/.test(`${message}`));
    scene.same(warnings.length, 1, "warnings about the policy Nominate");
  },
};

function overZones(app: string): object {
  return {
    topologyKey: "topology.kubernetes.io/zone",
    maxSkew: 1,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app } },
  };
}
