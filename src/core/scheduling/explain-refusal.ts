import type { BudgetBook } from "./budgets.ts";
import type { Refusal } from "./refusal.ts";
import type { StagedClass, World } from "./world.ts";

export function explainRefusal(_staged: StagedClass, _world: World, _budgets: BudgetBook): Refusal {
  return { kind: "no-fit", pools: [] };
}
