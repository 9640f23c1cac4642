import { readFidelity } from "../../read-fidelity.ts";
import type { Story } from "../scene.ts";

const pool = "nominate";
const apps = [
  { app: "web", count: 40, cpu: "1", spec: {} },
  { app: "small", count: 20, cpu: "200m", spec: {} },
  { app: "apart", count: 9, cpu: "500m", spec: { topologySpreadConstraints: [overZones("apart")] } },
];

/** In a small burst those weigh more that are tried while nodes are opened; `burst` asks for 95 % of a large one. */
const mostlyAsPlanned = 0.85;

/** kube-scheduler follows the plan. */
export const nominateStory: Story = {
  name: pool,
  about: "a burst of several kinds lands where the plan put it, without a second wave of nodes",
  environment: { PLACEMENT_POLICY: "Nominate" },
  async play(scene) {
    await scene.addPool(pool);
    await Promise.all(apps.map(({ app, count, cpu, spec }) => scene.addDeployment(app, count, { pool, cpu, spec })));
    for (const { app, count } of apps) await scene.untilRunning(app, count);
    const { pods, shareAsPlanned = 0, secondWaveNodes } = await readFidelity(scene.controller.metricsUrl);
    const all = apps.reduce((sum, { count }) => sum + count, 0);
    scene.same([pods, secondWaveNodes], [all, 0], "pods that were planned, and nodes that nobody had foreseen");
    scene.check(shareAsPlanned >= mostlyAsPlanned, `${shareAsPlanned * 100} % of the pods are where planned`);
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
