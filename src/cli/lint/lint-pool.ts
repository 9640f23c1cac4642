import { isWithinWindow } from "../../core/model/cron-schedule.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { isRestrictedLabel, wellKnownLabels } from "../../core/model/labels.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { DisruptionReason, NodeBudget, PoolDisruption } from "../../core/model/pool-disruption.ts";
import { type Finding, nearestWord } from "./finding.ts";
import { lintLaunch } from "./lint-launch.ts";
import { lintLimitNames } from "./lint-limits.ts";

/** What can be bought for a pool, whoever owns it. */
export interface PoolTypes {
  readonly instanceTypes: readonly InstanceType[];
  /** Labels of which only the cloud knows what they can be. */
  readonly unjudged: ReadonlySet<string>;
  /** For people. */
  readonly named: string;
}

export interface PoolToLint {
  readonly object: string;
  /** With what can be bought for it. */
  readonly pool: NodePool;
  readonly types: PoolTypes;
  readonly disruption: PoolDisruption;
  /** Where the pool requires something of a label. */
  readonly pathOf: (key: string) => string;
  /** Labels that the cloud sets. */
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly now: number;
}

const cloudDomains = ["karpenter.k8s.aws", "karpenter.kwok.sh"];
const kubernetesDomains = new Set(["kubernetes.io", "k8s.io"]);

/** What is wrong with a pool that can be read. */
export function lintPool(question: PoolToLint): readonly Finding[] {
  const labels = lintLabels(question);
  // Where a label is misspelt, nothing is known of what was meant.
  const launches = labels.some(({ severity }) => severity === "error") ? [] : lintLaunch(question);
  return [...labels, ...launches, ...lintLimitNames(question), ...lintBudgets(question)];
}

function lintLabels({ object, pool, pathOf, wellKnownLabels: cloudLabels }: PoolToLint): readonly Finding[] {
  const known = new Set([...wellKnownLabels, ...cloudLabels]);
  const restricted = new Set([...cloudDomains, "karpenter.sh"]);
  const places = [
    ...Array.from(pool.requirements.keys(), (key) => ({ key, path: pathOf(key) })),
    ...Array.from(pool.labels.keys(), (key) => ({ key, path: "spec.template.metadata.labels" })),
  ];
  return places.flatMap(({ key, path }): Finding[] => {
    const meant = nearestWord(key, known);
    const fix = meant === undefined ? "remove it, or use a domain of your own" : `did you mean ${meant}?`;
    if (isRestrictedLabel(key, known, restricted)) {
      return [{ severity: "error", object, path, message: `names ${key}, a label that no cloud sets`, fix }];
    }
    if (known.has(key) || !isRestrictedLabel(key, known, kubernetesDomains) || key.startsWith("node-role.")) return [];
    const message = `names ${key}, which is in a domain of Kubernetes and not known here`;
    return [{ severity: "warning", object, path, message, fix }];
  });
}

const reasons: readonly DisruptionReason[] = ["Underutilized", "Empty", "Drifted"];
const quarterHour = 900_000;
const twoWeeks = 14 * 86_400_000;

function lintBudgets({ object, disruption, now }: PoolToLint): readonly Finding[] {
  const isNothing = ({ nodes, problem }: NodeBudget): boolean =>
    problem === undefined && (nodes.kind === "count" ? nodes.count === 0 : nodes.percent === 0);
  const closed = reasons.filter((reason) => {
    const budgets = disruption.budgets.filter(
      (budget) => isNothing(budget) && (budget.reasons === undefined || budget.reasons.has(reason)),
    );
    if (budgets.length === 0) return false;
    for (let at = now; at < now + twoWeeks; at += quarterHour) {
      if (!budgets.some(({ window }) => window === undefined || isWithinWindow(window, at))) return false;
    }
    return true;
  });
  if (closed.length === 0) return [];
  const what = closed.length === reasons.length ? "for any reason" : `for ${closed.join(", ")}`;
  return [
    {
      severity: "warning",
      object,
      path: "spec.disruption.budgets",
      message: `never let a node go ${what}`,
      fix: "allow some at some time, with a schedule and a duration for the budget of 0, or nodes: 10%",
    },
  ];
}
