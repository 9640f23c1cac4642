import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import { isWithinWindow } from "../../core/model/cron-schedule.ts";
import { instanceTypeLabel, isRestrictedLabel, wellKnownLabels, zoneLabel } from "../../core/model/labels.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { DisruptionReason, NodeBudget, PoolDisruption } from "../../core/model/pool-disruption.ts";
import { formatAmount } from "../../core/model/quantity.ts";
import { describeRequirement } from "../../core/model/requirement-entries.ts";
import { catalogueOf, type Row } from "../../core/scheduling/catalogue.ts";
import { type Finding, nearestWord } from "./finding.ts";

export interface PoolToLint {
  readonly object: string;
  /** With what can be bought for it. */
  readonly pool: NodePool;
  readonly disruption: PoolDisruption;
  /** Where the pool requires something of a label. */
  readonly pathOf: (key: string) => string;
  /** Labels that the cloud sets. */
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly now: number;
}

const requirementsPath = "spec.template.spec.requirements";
const cloudDomains = ["karpenter.k8s.aws", "karpenter.kwok.sh"];
const kubernetesDomains = new Set(["kubernetes.io", "k8s.io"]);

/** What is wrong with a pool that can be read. */
export function lintPool(question: PoolToLint): readonly Finding[] {
  const labels = lintLabels(question);
  // Where a label is misspelt, nothing is known of what was meant.
  const launches = labels.some(({ severity }) => severity === "error") ? [] : lintLaunch(question);
  return [...labels, ...launches, ...lintBudgets(question)];
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

function lintLaunch({ object, pool, pathOf }: PoolToLint): readonly Finding[] {
  const error = (path: string, message: string, fix: string): Finding => ({
    severity: "error",
    object,
    path,
    message,
    fix,
  });
  if (pool.instanceTypes.length === 0) return [];
  const unknown = unknownTypes(pool);
  const isOnEc2 = pool.nodeClassRef.group === ec2NodeClasses.group;
  // Which zones a node class reaches, only its cloud knows.
  const judged = isOnEc2 ? without(pool, zoneLabel) : pool;
  const rows = catalogueOf(judged).rows;
  const named = unknown.map((name) => {
    const meant = nearestWord(
      name,
      pool.instanceTypes.map((type) => type.name),
    );
    const fix = meant === undefined ? "remove it, or correct it" : `did you mean ${meant}?`;
    const severity = rows.length === 0 ? ("error" as const) : ("warning" as const);
    return {
      severity,
      object,
      path: pathOf(instanceTypeLabel),
      message: `names the instance type ${name}, which is not known`,
      fix,
    };
  });
  if (rows.length === 0) {
    if (named.length > 0) return named;
    return [error(requirementsPath, `leave no machine of ${pool.instanceTypes.length} types`, culpritOf(judged))];
  }
  return [...named, ...lintLimits({ object, pool }, rows)];
}

/** What it would take to have machines: the requirement without which there are some. */
function culpritOf(pool: NodePool): string {
  const single = [...pool.requirements].find(([key]) => catalogueOf(without(pool, key)).rows.length > 0);
  if (single !== undefined) {
    const [key, requirement] = single;
    const values = new Set(
      pool.instanceTypes.flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])]),
    );
    const meant = [...requirement.values].flatMap((value) => nearestWord(value, values) ?? []);
    if (meant.length > 0 && ![...requirement.values].some((value) => values.has(value))) {
      return `did you mean ${meant.join(", ")} for ${key}?`;
    }
    const count = new Set(catalogueOf(without(pool, key)).rows.map(({ type }) => type.name)).size;
    return `loosen ${describeRequirement(key, requirement)}: without it ${count} instance types would do`;
  }
  const [label] = pool.labels.keys();
  return label === undefined
    ? "loosen several of them: no single one is at fault"
    : `see that template labels such as ${label} do not contradict them`;
}

function lintLimits({ object, pool }: Pick<PoolToLint, "object" | "pool">, rows: readonly Row[]): readonly Finding[] {
  return [...pool.limits].flatMap(([resource, limit]): Finding[] => {
    if (resource === "nodes" ? limit > 0 : !["cpu", "memory"].includes(resource)) return [];
    const smallest = rows.reduce((least, row) => (amount(row, resource) < amount(least, resource) ? row : least));
    if (limit >= amount(smallest, resource)) return [];
    const least = `${formatAmount(resource, amount(smallest, resource))} of ${smallest.type.name}`;
    const message = `is ${formatAmount(resource, limit)}, less than the smallest machine has (${least}), so nothing is ever launched`;
    return [{ severity: "error", object, path: `spec.limits.${resource}`, message, fix: "raise the limit" }];
  });
}

function amount({ type }: Row, resource: string): number {
  return resource === "nodes" ? 1 : (type.capacity.get(resource) ?? 0);
}

function unknownTypes({ requirements, instanceTypes }: NodePool): readonly string[] {
  const wanted = requirements.get(instanceTypeLabel);
  if (wanted === undefined || wanted.isComplement) return [];
  const known = new Set(instanceTypes.map(({ name }) => name));
  return [...wanted.values].filter((name) => !known.has(name));
}

function without(pool: NodePool, key: string): NodePool {
  return { ...pool, requirements: new Map([...pool.requirements].filter(([other]) => other !== key)) };
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
