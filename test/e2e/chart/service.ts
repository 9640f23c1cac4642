import type { Progress } from "../../../scripts/lab/binaries.ts";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import { chartFolder, crdChartFolder, permissionsOf, readRules } from "../../chart/chart-files.ts";
import { ApiClient } from "../controller/api-client.ts";
import { nodeClass } from "../controller/manifests.ts";
import { Scene, type Story } from "../controller/scene.ts";
import { bindStory } from "../controller/stories/bind-story.ts";
import { growStory } from "../controller/stories/grow-story.ts";
import { poolStory } from "../controller/stories/pool-story.ts";
import { terminateStory } from "../controller/stories/terminate-story.ts";
import { tellStory } from "../controller/tell-story.ts";
import { Troupe } from "../controller/troupe.ts";
import { mustRun } from "../karpenter-stage.ts";
import { runCommand } from "../kubectl/kubectl.ts";
import type { SuiteContext } from "../suite.ts";
import type { Audit } from "./audit.ts";
import type { Findings } from "./findings.ts";
import type { Helm } from "./helm.ts";
import { environmentOf } from "./rendering.ts";
import { rightsStory } from "./rights-story.ts";
import { kubeconfigOf } from "./service-account.ts";

/** Where the stories of the controller look for its Lease, and where many install it. */
export const namespace = "kube-system";
export const account = `system:serviceaccount:${namespace}:karpenter`;
const stories: readonly Story[] = [growStory, terminateStory, poolStory, bindStory, rightsStory];

export interface Parts {
  readonly helm: Helm;
  readonly controlPlane: ControlPlane;
  readonly audit: Audit;
  readonly findings: Findings;
  readonly progress: Progress;
  readonly took: SuiteContext["took"];
}

/** The controller with the token and the settings that the chart gives it: it grows and shrinks, and may do all it does. */
export async function tryService({ helm, controlPlane, audit, findings, progress, took }: Parts): Promise<void> {
  const { kubeconfigPath } = controlPlane;
  const place = ["--namespace", namespace];
  await helm.must(
    ["install", "karpenter", chartFolder, ...place, "--set", "settings.cloudProvider=kwok"],
    kubeconfigPath,
  );
  const own = await kubeconfigOf({ namespace, name: "karpenter" }, controlPlane, helm.folder);
  const api = new ApiClient(controlPlane);
  const environment = await controllerEnvironment(api);
  const troupe = new Troupe({ controlPlane: { ...controlPlane, kubeconfigPath: own }, api, environment, progress });
  try {
    await api.create("/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses", nodeClass);
    await troupe.add();
    for (const story of stories) {
      const scene = new Scene(story.name, { api, controlPlane, troupe });
      await tellStory(story, scene, { progress, took });
      findings.problems.push(...scene.problems);
    }
    findings.same(await audit.forbidden(), [], "what the API server has forbidden the controller");
    const { output } = await runCommand({ line: "auth can-i list secrets --all-namespaces" }, own);
    findings.same(output.trim().split("\n").at(-1), "no", "whether the service account may read secrets");
    // The kinds came with the chart. From now on they are another's, and nothing of theirs is lost.
    await helm.must(["install", "karpenter-crd", crdChartFolder, ...place, "--take-ownership"], kubeconfigPath);
    findings.check(
      (await mustRun("get nodepools,kwoknodeclasses -o name", kubeconfigPath)).includes("kwoknodeclass"),
      "objects are lost when another chart takes over their kinds",
    );
    if (findings.problems.length > 0) progress(`the controllers' logs are ${(await troupe.keepLogs()).join(", ")}`);
  } finally {
    await troupe.stop();
    api.close();
  }
}

/** What the chart has set; but for the ports, which are those of a pod, while here everything shares one network. */
export async function controllerEnvironment(api: ApiClient): Promise<Readonly<Record<string, string>>> {
  const deployment = await api.find<object>(`/apis/apps/v1/namespaces/${namespace}/deployments/karpenter`);
  const { METRICS_PORT: _, HEALTH_PROBE_PORT: __, ...environment } = environmentOf(deployment ?? {});
  return environment;
}

/** Permissions that the stories do not need: whoever doubts one knows where to look. */
export async function tellUnused(audit: Audit, progress: Progress): Promise<void> {
  const used = await audit.used();
  const granted = permissionsOf([...(["core", "aws", "kwok", "lease", "dns"] as const).flatMap(readRules)]);
  const unused = granted.filter((permission) => !used.has(permission));
  progress(`of ${granted.length} permissions, the stories have used all but ${unused.join(", ") || "none"}`);
}
