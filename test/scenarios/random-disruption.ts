import type { JsonObject } from "../../src/core/api/schema/json.ts";
import { annotate, editSpec, relabel } from "./disruption-stage.ts";
import { budget } from "./manifests.ts";
import type { Story } from "./story.ts";

type Deed = (story: Story) => void;

const hold = "karpenter.sh/do-not-disrupt";

/** What people do to have nodes go or stay, and what clouds do to it. */
export const disruptiveDeeds: readonly Deed[] = [
  scaleAll,
  relabelPool,
  relabelPool,
  changeDisruption,
  changeDisruption,
  pausePool,
  holdNode,
  holdPod,
  guardPods,
  changePrices,
  sellOut,
  ageNodes,
];

const dispositions: readonly JsonObject[] = [
  { consolidateAfter: "0s", budgets: [{ nodes: "100%" }] },
  { consolidateAfter: "20s", budgets: [{ nodes: "30%" }] },
  { consolidateAfter: "20s", consolidationPolicy: "Balanced", budgets: [{ nodes: "2" }] },
  { consolidateAfter: "10s", consolidationPolicy: "WhenEmpty", budgets: [{ nodes: "1" }] },
  { consolidateAfter: "Never", budgets: [{ nodes: "50%" }] },
  { consolidateAfter: "15s", budgets: [{ nodes: "1", reasons: ["Drifted"] }, { nodes: "40%" }] },
  { consolidateAfter: "15s", budgets: [{ nodes: "0", schedule: "*/5 * * * *", duration: "2m" }, { nodes: "2" }] },
  { consolidateAfter: "15s", budgets: [{ nodes: "0", reasons: ["Underutilized"] }] },
];

/** All of them become fewer or more at once, so that there is something to gain. */
function scaleAll(story: Story): void {
  const share = story.random() * 2;
  for (const object of story.whole.list("apps/v1", "Deployment")) {
    const { replicas = 0 } = object.spec as { replicas?: number };
    story.scale(object, Math.min(10, Math.round(replicas * share)));
  }
}

function relabelPool(story: Story): void {
  const pool = story.pick(story.whole.list("karpenter.sh/v1", "NodePool"));
  if (pool !== undefined) relabel(story, pool, `at-${story.whole.clock.now()}`);
}

function changeDisruption(story: Story): void {
  const pool = story.pick(story.whole.list("karpenter.sh/v1", "NodePool"));
  const disruption = story.pick(dispositions);
  if (pool === undefined || disruption === undefined || pool.metadata.name === "fixed") return;
  editSpec(story, pool, { disruption });
}

function pausePool(story: Story): void {
  const pool = story.pick(story.whole.list("karpenter.sh/v1", "NodePool"));
  if (pool === undefined) return;
  const isPaused = pool.metadata.annotations?.["karpenter.sh/paused"] !== undefined;
  annotate(story, pool, { "karpenter.sh/paused": isPaused ? null : "true" });
}

/** Those that are held, and those that were held before. */
function holdNode(story: Story): void {
  const node = story.pick(story.nodes);
  if (node === undefined) return;
  annotate(story, node, { [hold]: node.metadata.annotations?.[hold] === undefined ? "true" : null });
}

function holdPod(story: Story): void {
  const pod = story.pick(story.pods);
  const value = story.pick(["true", "2m", "10m"]);
  if (pod !== undefined && value !== undefined) annotate(story, pod, { [hold]: value });
}

function guardPods(story: Story): void {
  const app = story.pick(["plain", "zonal", "large"]);
  const spec = story.pick([{ maxUnavailable: 0 }, { maxUnavailable: 1 }, { minAvailable: "60%" }]);
  if (app === undefined || spec === undefined) return;
  const guard = budget(app, spec);
  const found = story.whole.list("policy/v1", "PodDisruptionBudget").some(({ metadata }) => metadata.name === app);
  story.note(`${found ? "no more guard" : "guard"} ${app}: ${JSON.stringify(spec)}`);
  if (found) story.whole.delete(guard);
  else story.whole.load(guard);
}

function changePrices(story: Story): void {
  const family = story.pick(["c-", "s-", "m-"]) ?? "c-";
  const factor = 0.4 + story.random() * 2;
  story.note(`prices of ${family} times ${factor}`);
  story.whole.market.reprice((type) => type.startsWith(family), factor);
}

function sellOut(story: Story): void {
  const { market, clock } = story.whole;
  const share = story.random();
  story.note(`the cloud refuses ${Math.round(share * 100)} %`);
  market.refuse = () => (story.random() < share ? "sold out" : undefined);
  clock.after(20_000 + story.random() * 100_000, () => {
    market.refuse = () => undefined;
    story.note("the cloud has capacity again");
  });
}

function ageNodes(story: Story): void {
  const pool = story.pick(story.whole.list("karpenter.sh/v1", "NodePool"));
  if (pool === undefined) return;
  const isOn = pool.metadata.annotations?.["karpenter.sh/soft-expire-after"] !== undefined;
  annotate(story, pool, { "karpenter.sh/soft-expire-after": isOn ? null : "200s" });
}

/** What is never done with is undone, so that the fleet can come to rest. */
export function makePeace(story: Story): void {
  story.whole.market.refuse = () => undefined;
  for (const pool of story.whole.list("karpenter.sh/v1", "NodePool")) {
    if (pool.metadata.annotations?.["karpenter.sh/soft-expire-after"] !== undefined)
      annotate(story, pool, { "karpenter.sh/soft-expire-after": null });
  }
}
