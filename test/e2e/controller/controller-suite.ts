import { applyDefinitions, startCluster } from "../karpenter-stage.ts";
import type { Suite } from "../suite.ts";
import { ApiClient } from "./api-client.ts";
import { nodeClass } from "./manifests.ts";
import { Scene, type Story } from "./scene.ts";
import { apiserverStory } from "./stories/apiserver-story.ts";
import { bindStory } from "./stories/bind-story.ts";
import { growStory } from "./stories/grow-story.ts";
import { killStory } from "./stories/kill-story.ts";
import { leaseStory } from "./stories/lease-story.ts";
import { leaveStory } from "./stories/leave-story.ts";
import { operateStory } from "./stories/operate-story.ts";
import { poolStory } from "./stories/pool-story.ts";
import { refuseStory } from "./stories/refuse-story.ts";
import { suggestStory } from "./stories/suggest-story.ts";
import { terminateStory } from "./stories/terminate-story.ts";
import { tellStory } from "./tell-story.ts";
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
  suggestStory,
  bindStory,
  leaveStory,
];

/** Our controller on a real control plane, one story after the other. `--focus` picks some by name. */
export const controllerSuite: Suite = {
  name: "controller",
  async run({ progress, took, focus }) {
    const controlPlane = await startCluster({ progress });
    const api = new ApiClient(controlPlane);
    const troupe = new Troupe({ controlPlane, api, progress });
    try {
      await applyDefinitions("ours", controlPlane.kubeconfigPath);
      await api.create("/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses", nodeClass);
      await troupe.add();
      const problems: string[] = [];
      for (const story of stories.filter(({ name }) => focus?.test(name) ?? true)) {
        const scene = new Scene(story.name, { api, controlPlane, troupe });
        await tellStory(story, scene, { progress, took });
        problems.push(...scene.problems);
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
