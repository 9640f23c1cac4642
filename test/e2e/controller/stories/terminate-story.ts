import { isRunning, type Scene, type Story } from "../scene.ts";

const deadlineAnnotation = "karpenter.sh/nodeclaim-termination-timestamp";

/** Nodes and claims that are deleted by hand, and pods that mind. */
export const terminateStory: Story = {
  name: "terminate",
  about: "deleted nodes and claims are drained under a budget, their pods come back, and nothing of them stays",
  async play(scene) {
    await Promise.all([drainUnderBudget(scene), drainHeldPod(scene)]);
  },
};

async function drainUnderBudget(scene: Scene): Promise<void> {
  const pool = "terminate-web";
  await scene.addPool(pool);
  await scene.api.create(`/apis/policy/v1/namespaces/${scene.namespace}/poddisruptionbudgets`, {
    metadata: { name: "web" },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } },
  });
  await scene.addDeployment("web", 6, { pool });
  await scene.untilRunning("web", 6);
  const [first, second] = await scene.until("both claims are ready", async () => {
    const claims = await scene.claims(pool);
    return (
      claims.length === 2 &&
      claims.every(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
      ) &&
      claims
    );
  });
  const old = [first?.status?.nodeName ?? "", second?.status?.nodeName ?? ""];
  // Without pods that something else has deleted: on a slow machine kube-controller-manager evicts pods that came to a
  // node before it heard that the taint of an unregistered node is gone.
  const before = (await scene.untilRunning("web", 6)).map(({ metadata }) => metadata?.name ?? "");
  await scene.kubectl(`delete node ${old[0]} --wait=false`);
  await scene.kubectl(`delete nodeclaim ${second?.metadata.name} --wait=false`);
  const cordoned = new Set<string>();
  let fewest = 6;
  await scene.until("the old nodes and claims are gone", async () => {
    const [nodes, claims, pods] = await Promise.all([scene.nodes(pool), scene.claims(pool), scene.pods("web")]);
    fewest = Math.min(fewest, pods.filter(isRunning).length);
    const left = nodes.filter(({ metadata }) => old.includes(metadata?.name ?? ""));
    for (const { metadata, spec } of left) {
      const isTainted = spec?.taints?.some(
        ({ key, effect }) => key === "karpenter.sh/disrupted" && effect === "NoSchedule",
      );
      const isOut = metadata?.labels?.["node.kubernetes.io/exclude-from-external-load-balancers"] === "karpenter";
      if (isTainted && isOut) cordoned.add(metadata?.name ?? "");
    }
    const names = [first, second].map((claim) => claim?.metadata.name);
    return left.length === 0 && claims.every(({ metadata }) => !names.includes(metadata.name));
  });
  scene.same(
    [...cordoned].sort(),
    [...old].sort(),
    "nodes that were seen with the disrupted taint and out of load balancers",
  );
  scene.check(fewest >= 5, `with a budget of one, only ${fewest} of 6 pods ran at some moment`);
  const pods = await scene.untilRunning("web", 6);
  for (const { metadata, spec } of pods) {
    scene.check(!old.includes(spec?.nodeName ?? ""), `pod ${metadata?.name} still runs on an old node`);
    scene.check(!before.includes(metadata?.name ?? ""), `pod ${metadata?.name} was never evicted`);
  }
  for (const name of before) await scene.untilEvent(["Pod", name], "Evicted", /^Evicted pod: /);
}

async function drainHeldPod(scene: Scene): Promise<void> {
  const pool = "terminate-held";
  const annotations = { "karpenter.sh/do-not-disrupt": "true" };
  await scene.addPool(pool, { spec: { terminationGracePeriod: "12s" } });
  await scene.addDeployment("held", 1, { pool, annotations, spec: { terminationGracePeriodSeconds: 2 } });
  const [pod] = await scene.untilRunning("held", 1);
  const [claim] = await scene.until("the claim of the held pod has its node", async () => {
    const claims = await scene.claims(pool);
    return claims[0]?.status?.nodeName !== undefined && claims;
  });
  const claimName = claim?.metadata.name ?? "";
  const podPath = `/api/v1/namespaces/${scene.namespace}/pods/${pod?.metadata?.name}`;
  await scene.kubectl(`delete nodeclaim ${claimName} --wait=false`);
  const deleted = performance.now();
  const deadline = await scene.until("the claim says by when its node is gone", async () => {
    const [found] = await scene.claims(pool);
    return found?.metadata.annotations?.[deadlineAnnotation];
  });
  scene.check(Math.abs(Date.parse(deadline) - Date.now() - 12_000) < 4_000, `the deadline is ${deadline}`);
  await scene.untilEvent(["Node", claim?.status?.nodeName ?? ""], "FailedDraining", /karpenter\.sh\/do-not-disrupt/);
  await scene.until("the held pod is deleted", async () => {
    const found = await scene.api.find<{ metadata: { uid: string; deletionTimestamp?: string } }>(podPath);
    return found === undefined || found.metadata.deletionTimestamp !== undefined;
  });
  const seconds = (performance.now() - deleted) / 1000;
  scene.check(seconds > 8 && seconds < 14, `the held pod was deleted after ${seconds.toFixed(1)} s of 12 s`);
  await scene.untilEvent(["Pod", pod?.metadata?.name ?? ""], "Disrupted", /whatever budgets and annotations say/);
  await scene.until("the claim of the held pod is gone", async () =>
    (await scene.claims(pool)).every(({ metadata }) => metadata.name !== claimName),
  );
}
