import type { Node } from "kubernetes-types/core/v1.js";
import type { Condition, NodeClaim, NodePool } from "../manifests.ts";
import type { Scene, Story } from "../scene.ts";

const pool = "grow";
const own = { key: "example.com/own", value: "grow", effect: "NoSchedule" };
const starting = { key: "example.com/starting", effect: "NoSchedule" };
const toleration = { key: own.key, operator: "Exists" };

/** The way of a pod that has no node, with everything that others may read of it. */
export const growStory: Story = {
  name: pool,
  about: "pending pods get claims, nodes and a place, and all objects say what the API promises",
  async play(scene) {
    await scene.addPool(pool, {
      limits: { cpu: "100" },
      labels: { team: "red" },
      annotations: { "example.com/note": "from the pool" },
      spec: { taints: [own], startupTaints: [starting], expireAfter: "24h", terminationGracePeriod: "1h" },
    });
    await scene.addDeployment("web", 5, { pool, spec: { tolerations: [toleration] } });
    const waiting = await scene.until("both nodes are registered and wait for the startup taint to go", async () => {
      const claims = await scene.claims(pool);
      return (
        claims.length === 2 && claims.every((claim) => conditionOf(claim, "Registered")?.status === "True") && claims
      );
    });
    for (const claim of waiting) {
      await scene.until(
        `claim ${claim.metadata.name} says that the startup taint keeps it from being ready`,
        async () => {
          const found = (await scene.claims(pool)).find(({ metadata }) => metadata.name === claim.metadata.name);
          return found && conditionOf(found, "Initialized")?.reason === "StartupTaintsExist";
        },
      );
      await scene.kubectl(`taint node ${claim.status?.nodeName} ${starting.key}-`);
    }
    const pods = await scene.untilRunning("web", 5);
    const claims = await scene.until("all claims are ready", async () => {
      const found = await scene.claims(pool);
      return found.every((claim) => conditionOf(claim, "Ready")?.status === "True") && found;
    });
    const nodes = await scene.nodes(pool);
    const owner = await scene.until("the pool counts its nodes", async () => {
      const found = await scene.pool(pool);
      return found?.status?.nodes === 2 && found;
    });
    for (const claim of claims) checkClaim(scene, claim, owner);
    for (const node of nodes) checkNode(scene, node, claims);
    checkPool(scene, owner);
    for (const { metadata } of pods) {
      await scene.untilEvent(["Pod", metadata?.name ?? ""], "Nominated", /^Pod should schedule on: nodeclaim\/grow-/);
    }
    await checkColumns(scene);
  },
};

function conditionOf(object: { status?: { conditions?: readonly Condition[] } }, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

function pick(keys: readonly string[], map: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  return Object.fromEntries(keys.map((key) => [key, map[key]]));
}

const sharedLabels = {
  "karpenter.sh/nodepool": pool,
  "karpenter.kwok.sh/kwoknodeclass": "default",
  "node.kubernetes.io/instance-type": "c-4x-amd64-linux",
  "karpenter.sh/capacity-type": "spot",
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/os": "linux",
  team: "red",
};

function checkClaim(scene: Scene, claim: NodeClaim, owner: NodePool): void {
  const { metadata, spec, status } = claim;
  const of = `of claim ${metadata.name}`;
  scene.check(metadata.name.startsWith(`${pool}-`), `the name ${of} does not tell its pool`);
  scene.same(pick(Object.keys(sharedLabels), metadata.labels), sharedLabels, `labels ${of}`);
  scene.check(/^test-zone-[a-d]$/.test(metadata.labels?.["topology.kubernetes.io/zone"] ?? ""), `no zone label ${of}`);
  scene.same(metadata.finalizers, ["karpenter.sh/termination"], `finalizers ${of}`);
  const reference = { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: pool, uid: owner.metadata.uid };
  scene.same(metadata.ownerReferences, [{ ...reference, blockOwnerDeletion: true }], `owners ${of}`);
  scene.same(
    pick(["example.com/note", "karpenter.sh/nodeclaim-min-values-relaxed"], metadata.annotations),
    { "example.com/note": "from the pool", "karpenter.sh/nodeclaim-min-values-relaxed": "false" },
    `annotations ${of}`,
  );
  for (const key of ["karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"]) {
    scene.check(/^\w+$/.test(metadata.annotations?.[key] ?? ""), `no annotation ${key} ${of}`);
    scene.same(
      metadata.annotations?.[key],
      owner.metadata.annotations?.[key],
      `annotation ${key} ${of}, against the pool`,
    );
  }
  scene.same(spec.taints, [own], `taints ${of}`);
  scene.same(spec.startupTaints, [starting], `startup taints ${of}`);
  scene.same([spec.expireAfter, spec.terminationGracePeriod], ["24h", "1h"], `times ${of}`);
  scene.check((spec.resources?.requests?.cpu ?? "") !== "", `no requests ${of}`);
  scene.same(spec.nodeClassRef, { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" }, `class ${of}`);
  scene.same(status?.providerID, `kwok://${status?.nodeName}`, `provider id ${of}`);
  scene.same([status?.capacity?.cpu, status?.allocatable?.cpu], ["4", "3900m"], `cores ${of}`);
  for (const type of ["Launched", "Registered", "Initialized", "Ready"]) {
    scene.same(conditionOf(claim, type)?.status, "True", `condition ${type} ${of}`);
  }
}

function checkNode(scene: Scene, node: Node, claims: readonly NodeClaim[]): void {
  const { metadata, spec } = node;
  const of = `of node ${metadata?.name}`;
  const claim = claims.find(({ status }) => status?.nodeName === metadata?.name);
  if (claim === undefined) {
    scene.check(false, `no claim ${of}`);
    return;
  }
  const labels = { ...sharedLabels, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" };
  scene.same(pick(Object.keys(labels), metadata?.labels), labels, `labels ${of}`);
  scene.same(metadata?.finalizers, ["karpenter.sh/termination"], `finalizers ${of}`);
  const { name, uid } = claim.metadata;
  const reference = { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", name, uid, blockOwnerDeletion: true };
  scene.same(metadata?.ownerReferences, [reference], `owners ${of}`);
  const annotations = ["example.com/note", "karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"];
  scene.same(
    pick(annotations, metadata?.annotations),
    pick(annotations, claim.metadata.annotations),
    `annotations ${of}, against those of its claim`,
  );
  scene.same(spec?.taints, [own], `taints ${of}`);
  scene.same(spec?.providerID, claim.status?.providerID, `provider id ${of}`);
}

function checkPool(scene: Scene, { metadata, status }: NodePool): void {
  const resources = ["cpu", "memory", "pods", "ephemeral-storage", "nodes"];
  scene.same(Object.keys(status?.resources ?? {}).sort(), [...resources].sort(), "resources of the pool");
  scene.same(
    pick(["cpu", "nodes", "memory"], status?.resources),
    { cpu: "8", nodes: "2", memory: "16Gi" },
    "use of the pool",
  );
  for (const type of ["ValidationSucceeded", "NodeClassReady", "NodeRegistrationHealthy", "Ready"]) {
    scene.same(conditionOf({ status: status ?? {} }, type)?.status, "True", `condition ${type} of the pool`);
  }
  scene.check(metadata.annotations?.["karpenter.sh/nodepool-hash"] !== undefined, "the pool has no hash");
}

async function checkColumns(scene: Scene): Promise<void> {
  const pools = await scene.kubectl(`get nodepools ${pool} -o wide`);
  const [poolHeader = "", poolRow = ""] = pools.split("\n");
  scene.same(
    words(poolHeader),
    ["NAME", "NODECLASS", "NODES", "READY", "AGE", "WEIGHT", "CPU", "MEMORY"],
    "columns of pools",
  );
  scene.same(words(poolRow).slice(0, 4), [pool, "default", "2", "True"], "the row of the pool");
  const claims = await scene.kubectl(`get nodeclaims -l karpenter.sh/nodepool=${pool} -o wide`);
  const [header = "", row = ""] = claims.split("\n");
  const columns = [
    "NAME",
    "TYPE",
    "CAPACITY",
    "ZONE",
    "NODE",
    "READY",
    "AGE",
    "IMAGEID",
    "ID",
    "NODEPOOL",
    "NODECLASS",
    "DRIFTED",
  ];
  scene.same(words(header), columns, "columns of claims");
  scene.check(
    /^grow-\S+ +c-4x-amd64-linux +spot +test-zone-[a-d] +kwok-\S+ +True +\d+s +kwok:\/\/\S+ +grow +default/.test(row),
    `the row of a claim is: ${row}`,
  );
}

function words(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== "");
}
