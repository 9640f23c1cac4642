import type { Resources } from "../core/model/resources.ts";
import { describeRefusal } from "../core/scheduling/describe-refusal.ts";
import type { PlannedNode, ProvisioningPlan } from "../core/scheduling/plan.ts";
import { tellingBound } from "../core/scheduling/telling-bound.ts";
import { type Style, styleFor } from "./style.ts";
import { formatTable } from "./table.ts";

/** Shows a plan to people: what is bought, how well it is filled, what it costs, and who got nothing and why. */
export function printPlan(out: NodeJS.WriteStream, name: string, plan: ProvisioningPlan, seconds: number): void {
  const style = styleFor(out);
  out.write(`${style.bold(name)}\n\n`);
  if (plan.nodes.length > 0) out.write(`${nodeTable(plan.nodes, style)}\n`);
  for (const { node, pods } of plan.placements)
    out.write(`${style.dim(`${node.name} takes ${counted(pods.length, "pod")} more`)}\n`);
  out.write(`${totals(plan, seconds, style)}\n`);
  if (plan.refusals.length > 0) out.write(`\n${refusalLines(plan, style)}\n`);
}

/** Nodes that are alike are one line. */
function nodeTable(nodes: readonly PlannedNode[], style: Style): string {
  const kinds = Map.groupBy(nodes, ({ pool, instanceType, zone, capacityType }) =>
    [pool.name, instanceType, zone, capacityType].join("\n"),
  );
  const rows = [...kinds.values()].map((alike) => {
    const { pool, instanceType, zone, capacityType, price } = alike[0] as PlannedNode;
    return {
      total: price * alike.length,
      cells: [
        `${alike.length} ×`,
        instanceType,
        zone,
        capacityType === "spot" ? style.green(capacityType) : style.yellow(capacityType),
        pool.name,
        range(alike.map(({ pods }) => pods.length)),
        fill(alike, "cpu", style),
        fill(alike, "memory", style),
        String(Math.min(...alike.map(({ instanceTypes }) => instanceTypes.length - 1))),
        `$${(price * alike.length).toFixed(4)}`,
      ],
    };
  });
  rows.sort((a, b) => b.total - a.total);
  const head = ["", "instance type", "zone", "capacity", "pool", "pods", "cpu", "memory", "alternatives", "$/h"].map(
    style.dim,
  );
  return formatTable([head, ...rows.map(({ cells }) => cells)], new Set([0, 5, 8, 9]));
}

/** How much of the nodes' allocatable amount is asked for, as a bar and a number. */
function fill(nodes: readonly PlannedNode[], resource: string, style: Style): string {
  let used = 0;
  let whole = 0;
  for (const { pool, instanceType, requests } of nodes) {
    const type = pool.instanceTypes.find(({ name }) => name === instanceType);
    used += amountOf(requests, resource);
    whole += amountOf(type?.allocatable, resource);
  }
  const share = whole > 0 ? used / whole : 0;
  const cells = 8;
  const full = Math.round(share * cells);
  return `${style.cyan("█".repeat(full))}${style.dim("░".repeat(cells - full))} ${String(Math.round(share * 100)).padStart(3)}%`;
}

function amountOf(resources: Resources | undefined, resource: string): number {
  return resources?.get(resource) ?? 0;
}

function totals(plan: ProvisioningPlan, seconds: number, style: Style): string {
  const placed = plan.nodes.reduce((sum, { pods }) => sum + pods.length, 0);
  const parts = [
    `${counted(placed, "pod")} on ${counted(plan.nodes.length, "new node")}`,
    style.bold(`$${plan.costPerHour.toFixed(4)} an hour`),
  ];
  const bound = tellingBound(plan.costPerHour, plan.boundPerHour());
  if (bound !== undefined) {
    parts.push(`at most ${(Math.max(0, plan.costPerHour / bound - 1) * 100).toFixed(1)}% above the cheapest possible`);
  }
  parts.push(style.dim(`planned in ${(seconds * 1000).toFixed(0)} ms`));
  return parts.join(", ");
}

/** Pods with the same reason are told together. */
function refusalLines({ refusals }: ProvisioningPlan, style: Style): string {
  const byReason = Map.groupBy(refusals, ({ refusal }) => describeRefusal(refusal));
  return [...byReason]
    .map(([reason, refused]) => {
      const names = refused.slice(0, 3).map(({ pod }) => `${pod.namespace}/${pod.name}`);
      const more = refused.length > names.length ? ` and ${refused.length - names.length} more` : "";
      return `${style.red("no node for")} ${names.join(", ")}${more}\n  ${reason}`;
    })
    .join("\n");
}

function range(numbers: readonly number[]): string {
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  return least === most ? String(least) : `${least}–${most}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
