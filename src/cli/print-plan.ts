import type { ProvisioningPlan } from "../core/scheduling/plan.ts";

export function printPlan(out: NodeJS.WriteStream, name: string, plan: ProvisioningPlan, seconds: number): void {
  out.write(`${name}: ${plan.nodes.length} nodes, $${plan.costPerHour.toFixed(3)} an hour, ${seconds.toFixed(3)} s\n`);
}
