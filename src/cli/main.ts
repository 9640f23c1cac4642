import { Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "./cli-error.ts";
import { runDemo } from "./demo.ts";
import { type PlanOptions, runPlan } from "./plan-command.ts";
import { version } from "./version.ts";

const program = new Command("karpenter")
  .description(
    "Buys the cheapest set of machines for the pods that wait, and takes away those that are not worth their price.",
  )
  .version(version())
  .showHelpAfterError();

program
  .command("plan")
  .description("plans a scenario file, with no cluster")
  .requiredOption("--scenario <file>", "scenario to plan: pools, pods and other objects as JSON")
  .addOption(
    new Option("--effort <effort>", "fast: the first good plan; full: cheaper plans while they pay")
      .choices(["fast", "full"])
      .default("full"),
  )
  .option("--runs <count>", "measure this many warm runs and report their median", positiveInteger)
  .option("--out <file>", "write the plan to a file")
  .option("--json", "print one JSON line")
  .addOption(
    new Option("--preference-policy <policy>", "whether what pods prefer counts")
      .choices(["Respect", "Ignore"])
      .default("Respect")
      .env("PREFERENCE_POLICY"),
  )
  .addOption(
    new Option("--min-values-policy <policy>", "whether minValues of pools may be lowered to what there is")
      .choices(["Strict", "BestEffort"])
      .default("Strict")
      .env("MIN_VALUES_POLICY"),
  )
  .option("--price-per-node <dollars>", "what every new node is thought to cost an hour on top of its price", amount, 0)
  .action((options: PlanOptions) => {
    process.exitCode = runPlan(options);
  });

program
  .command("demo")
  .description("plans a built-in sample and shows the result")
  .action(() => {
    process.exitCode = runDemo();
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return Number(text);
}

function amount(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError("Give an amount in dollars, such as 0.01.");
  return Number(text);
}
