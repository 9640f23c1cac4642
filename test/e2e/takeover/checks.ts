import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Node } from "kubernetes-types/core/v1.js";
import { type Census, compareCensus, takeCensus } from "./census.ts";
import { lateApp, names } from "./fleet.ts";
import type { Side } from "./side.ts";
import { isTrue, type Town } from "./town.ts";

/** Several rounds of disruption, and the time for which either waits before it does what it has decided. */
const calmSeconds = 30;
const { pools } = names;

interface Handover {
  readonly from: Side;
  readonly to: Side;
  /** What is done while nobody leads. */
  change(): Promise<void>;
}

/** Whoever takes over finds everything as it is, and leaves it so. */
export async function checkCalm(town: Town, { from, to, change }: Handover): Promise<void> {
  await from.stop();
  const before = await takeCensus(town.api, { pool: pools.slow });
  const accounts = await town.accounts();
  await change();
  await to.start();
  const started = performance.now();
  const told = new Set<string>();
  while (performance.now() - started < calmSeconds * 1000) {
    to.controller.check();
    await compareNow(town, before, told);
    await sleep(500);
  }
  for (const difference of told) town.findings.check(false, `${to.name} took over, and ${difference}`);
  const looks = await to.readMetric("karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count");
  town.findings.check(looks > 0, `${to.name} has not looked for what it could disrupt`);
  for (const act of ["created", "disrupted", "terminated"] as const) {
    town.findings.same(await countClaims(to, act), 0, `claims that were ${act} by ${to.name}, which had nothing to do`);
  }
  town.findings.same(await town.accounts(), accounts, `what ${to.name} says that the pools have`);
  for (const claim of await town.claims()) {
    const { name, labels, deletionTimestamp } = claim.metadata;
    const mayDrift = labels?.["karpenter.sh/nodepool"] === pools.outdated;
    town.findings.same(isTrue(claim, "Drifted"), mayDrift, `whether the claim ${name} has drifted for ${to.name}`);
    if (deletionTimestamp === undefined)
      town.findings.same(isTrue(claim, "Ready"), true, `whether the claim ${name} is ready`);
  }
  checkLog(town, to);
}

function countClaims(side: Side, act: "created" | "disrupted" | "terminated"): Promise<number> {
  return side.readMetric(`karpenter_nodeclaims_${act}_total`);
}

async function compareNow(town: Town, before: Census, told: Set<string>): Promise<void> {
  const now = await takeCensus(town.api, { pool: pools.slow });
  for (const difference of compareCensus(before, now)) told.add(difference);
}

/** Ours logs every failure of a controller; there is nothing that could fail. */
function checkLog(town: Town, side: Side): void {
  if (side.name !== "ours") return;
  for (const line of readFileSync(side.controller.logFile, "utf8").split("\n")) {
    town.findings.check(!line.includes('"Reconciler error"'), `a controller failed: ${line}`);
  }
}

const hash = "karpenter.sh/nodepool-hash";
const hashVersion = "karpenter.sh/nodepool-hash-version";

/** Every pool and claim bears the hash of who leads, and only the claim of an old template another one than its pool. */
export async function checkStamps(town: Town, version: string): Promise<void> {
  for (const pool of await town.pools()) {
    const { name, annotations } = pool.metadata;
    town.findings.same(annotations?.[hashVersion], version, `the version of the hash of the pool ${name}`);
    for (const claim of await town.claims(name)) {
      const stamp = claim.metadata.annotations;
      town.findings.same(stamp?.[hashVersion], version, `the version of the hash of the claim ${claim.metadata.name}`);
      const isSame = stamp?.[hash] === annotations?.[hash];
      town.findings.same(isSame, name !== pools.outdated, `whether ${claim.metadata.name} has the hash of its pool`);
    }
  }
}

/** It buys what is missing, and takes away what somebody deletes. */
export async function checkCharge(town: Town, side: Side): Promise<void> {
  // The newest first, which are those that the other has made.
  const adopted = (await town.nodes(pools.plain)).sort((left, right) => bornAt(right).localeCompare(bornAt(left)));
  const late = `late-${side.name}`;
  await town.addApp(late, lateApp(late));
  await town.until(`${side.name} buys a machine for a pod that fits on none`, async () =>
    (await town.pods(late)).every(({ status }) => status?.phase === "Running"),
  );
  await town.untilSettled();
  const web = new Set((await town.pods("web")).map(({ spec }) => spec?.nodeName));
  const node = adopted.find(({ metadata }) => web.has(metadata?.name));
  if (node === undefined) throw new Error("no pod of web is on a node that was there before");
  await town.kubectl(`delete node ${node.metadata?.name} --wait=false`);
  await town.until(`${side.name} ends a node that somebody deletes, and its claim`, async () => {
    const [nodes, claims] = await Promise.all([town.nodes(pools.plain), town.claims(pools.plain)]);
    const isThere = nodes.some(({ metadata }) => metadata?.uid === node.metadata?.uid);
    return !isThere && !claims.some(({ status }) => status?.providerID === node.spec?.providerID);
  });
  await town.untilSettled();
  for (const act of ["created", "terminated"] as const) {
    town.findings.check((await countClaims(side, act)) > 0, `${side.name} does not count claims that were ${act}`);
  }
}

function bornAt({ metadata }: Node): string {
  return metadata?.creationTimestamp ?? "";
}
