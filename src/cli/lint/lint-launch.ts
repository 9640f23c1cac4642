import { recordedOn } from "../../adapters/aws/instance-types/recorded-types.ts";
import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import { capacityTypeLabel, osLabel } from "../../core/model/labels.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import { describeRequirement } from "../../core/model/requirement-entries.ts";
import type { Requirement } from "../../core/model/requirements.ts";
import { catalogueOf, type Row } from "../../core/scheduling/catalogue.ts";
import { isDoubtful } from "./doubtful-values.ts";
import { type Finding, nearestWord } from "./finding.ts";
import { lintLimits } from "./lint-limits.ts";
import type { PoolToLint } from "./lint-pool.ts";

const requirementsPath = "spec.template.spec.requirements";

/** Why a pool can never launch anything, or less than it says. */
export function lintLaunch(question: PoolToLint): readonly Finding[] {
  const { object, pool, types } = question;
  if (pool.instanceTypes.length === 0) return [];
  const judged = without(pool, types.unjudged);
  const rows = purchasesOf(judged);
  const values = lintValues({ ...question, pool: judged }, rows.length === 0);
  if (rows.length > 0) return [...values, ...lintLimits({ object, pool }, rows)];
  if (values.length > 0) return values;
  const message = `leave no machine of ${types.named}`;
  return [{ severity: "error", object, path: requirementsPath, message, fix: culpritOf(judged) }];
}

/** The pool as if it said nothing of these labels. */
export function without(pool: NodePool, keys: ReadonlySet<string>): NodePool {
  const isLeft = ([key]: readonly [string, unknown]): boolean => !keys.has(key);
  return {
    ...pool,
    requirements: new Map([...pool.requirements].filter(isLeft)),
    labels: new Map([...pool.labels].filter(isLeft)),
  };
}

export function purchasesOf(pool: NodePool): readonly Row[] {
  return catalogueOf(pool).rows.filter(({ isAvailable }) => isAvailable);
}

/** Values that no machine has, among those that a pool lists. */
function lintValues({ object, pool, pathOf }: PoolToLint, isFatal: boolean): readonly Finding[] {
  const isOnEc2 = pool.nodeClassRef.group === ec2NodeClasses.group;
  return [...pool.requirements].flatMap(([key, { isComplement, values }]) => {
    const known = valuesOf(pool, key);
    if (isComplement || known.size === 0) return [];
    const strange = [...values].filter((value) => !known.has(value));
    const isLost = isFatal && strange.length === values.size;
    // What is partly ignored is told of where capacity types are read.
    if (key === capacityTypeLabel && !isLost) return [];
    return strange.map((value): Finding => {
      const isUncertain = isOnEc2 && isDoubtful(key, value, known);
      return {
        severity: isLost && !isUncertain ? "error" : "warning",
        object,
        path: pathOf(key),
        message: `lists the ${key.split("/").at(-1)} ${value}, which no machine has${isUncertain ? " that is known here" : ""}`,
        fix: isUncertain
          ? `see that EC2 has it: the list here is of ${recordedOn}`
          : key === osLabel && isOnEc2
            ? `use ${[...known].join(" or ")}, which its node class has images of`
            : fixFor(value, known),
      };
    });
  });
}

function fixFor(value: string, known: ReadonlySet<string>): string {
  const numbers = Array.from(known, Number);
  if (!numbers.some(Number.isNaN) && !Number.isNaN(Number(value))) {
    const below = Math.max(...numbers.filter((one) => one < Number(value)));
    const above = Math.min(...numbers.filter((one) => one > Number(value)));
    return `the nearest are ${[below, above].filter(Number.isFinite).join(" and ")}`;
  }
  const meant = nearestWord(value, known);
  if (meant !== undefined) return `did you mean ${meant}?`;
  const some = [...known].filter((one) => one !== "").sort();
  return some.length <= 12 ? `use one of ${some.join(", ")}` : "remove it, or correct it";
}

/** All that machines have. */
function valuesOf({ instanceTypes }: NodePool, key: string): ReadonlySet<string> {
  return new Set(instanceTypes.flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])]));
}

/** What it would take to have machines: the requirement without which there are some. */
function culpritOf(pool: NodePool): string {
  const counts = Array.from(pool.requirements, ([key, requirement]) => {
    const rows = purchasesOf(without(pool, new Set([key])));
    return { key, requirement, count: new Set(rows.map(({ type }) => type.name)).size };
  });
  const culprits = counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  if (culprits.length > 0) {
    const told = culprits.map(
      ({ key, requirement, count }) =>
        `${describeRequirement(key, requirement)} (${rangeOf(pool, key, requirement)}without it ${counted(count)} would do)`,
    );
    return `loosen ${told.join(", or ")}`;
  }
  const [label] = pool.labels.keys();
  return label === undefined
    ? "loosen several of them: no single one is at fault"
    : `see that template labels such as ${label} do not contradict them`;
}

/** What machines have, where the requirement is one of more or less. */
function rangeOf(pool: NodePool, key: string, { atLeast, atMost }: Requirement): string {
  const numbers = Array.from(valuesOf(pool, key), Number).filter((value) => !Number.isNaN(value));
  if ((atLeast === undefined && atMost === undefined) || numbers.length === 0) return "";
  return `machines have ${Math.min(...numbers)} to ${Math.max(...numbers)}; `;
}

function counted(count: number): string {
  return count === 1 ? "one type" : `${count} types`;
}
