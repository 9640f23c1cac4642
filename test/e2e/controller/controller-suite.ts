import { applyDefinitions, startCluster } from "../karpenter-stage.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { ApiClient } from "./api-client.ts";
import { nodeClass } from "./manifests.ts";
import { checkCalm, Scene, type Story } from "./scene.ts";
import { apiserverStory } from "./stories/apiserver-story.ts";
import { bindStory } from "./stories/bind-story.ts";
import { growStory } from "./stories/grow-story.ts";
import { killStory } from "./stories/kill-story.ts";
import { leaseStory } from "./stories/lease-story.ts";
import { leaveStory } from "./stories/leave-story.ts";
import { nominateStory } from "./stories/nominate-story.ts";
import { operateStory } from "./stories/operate-story.ts";
import { poolStory } from "./stories/pool-story.ts";
import { refuseStory } from "./stories/refuse-story.ts";
import { terminateStory } from "./stories/terminate-story.ts";
import { Troupe } from "./troupe.ts";

const stories: readonly Story[] = [
  growStory,
  terminateStory,
  poolStory,
  refuseStory,
  operateStory,
  leaseStory,
  apiserverStory,
  killStory,
  nominateStory,
  bindStory,
  leaveStory,
];

/** Our controller on a real control plane, one story after the other. `--focus` picks some by name. */
export const controllerSuite: Suite = {
  name: "controller",
  async run({ progress, focus }) {
    const controlPlane = await startCluster({ progress });
    const api = new ApiClient(controlPlane);
    const troupe = new Troupe({ controlPlane, api, progress });
    try {
      await applyDefinitions("ours", controlPlane.kubeconfigPath);
      await api.create("/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses", nodeClass);
      await troupe.add();
      const problems: string[] = [];
      for (const story of stories.filter(({ name }) => focus?.test(name) ?? true)) {
        problems.push(...(await tell(story, new Scene(story.name, { api, controlPlane, troupe }), progress)));
      }
      if (problems.length > 0) progress(`the controllers' logs are ${(await troupe.keepLogs()).join(", ")}`);
      return problems;
    } finally {
      await troupe.stop();
      api.close();
      await controlPlane.stop();
    }
  },
};

async function tell(story: Story, scene: Scene, progress: SuiteContext["progress"]): Promise<string[]> {
  const started = performance.now();
  const since = Date.now();
  const { problems } = scene;
  try {
    await scene.open();
    if (story.environment !== undefined) await scene.troupe.replace(story.environment);
    await story.play(scene);
    scene.troupe.check();
    if (!story.hasFaults) checkCalm(scene, since);
  } catch (cause) {
    problems.push(`${story.name}: ${cause instanceof Error ? cause.message : String(cause)}`);
  } finally {
    await scene.close();
  }
  const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(7);
  progress(`${problems.length === 0 ? "holds" : "fails"} ${seconds}  ${story.name}: ${story.about}`);
  return problems;
}
