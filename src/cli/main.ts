import { Command, InvalidArgumentError, Option } from "commander";
import { parseGoDuration } from "../core/model/go-duration.ts";
import { CliError } from "./cli-error.ts";
import { type ClusterOptions, clusterParts, readFault } from "./cluster-options.ts";
import type { ConvertCommandOptions } from "./convert-command.ts";
import type { ExplainOptions } from "./explain/explain-command.ts";
import type { LintOptions } from "./lint/lint-command.ts";
import type { NodesOptions } from "./nodes/nodes-command.ts";
import { sortKeys } from "./nodes/sort-keys.ts";
import type { PlanOptions } from "./plan-command.ts";
import type { StartOptions } from "./start/start-options.ts";
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
  .action(async (options: PlanOptions) => {
    // Only what a command needs is loaded, so that each has something to say at once.
    const { runPlan } = await import("./plan-command.ts");
    process.exitCode = runPlan(options);
  });

program
  .command("start")
  .description("runs a cluster in this process with the controller on it, and shows what happens")
  .option("--file <file>", "apply these manifests instead of the samples; may be repeated", oneMore)
  .option("--speed <factor>", "how many times faster than real time, up to 1000", speed, 1)
  .option("--seed <number>", "decides the load of the samples and generated names", wholeNumber, 1)
  .option("--duration <time>", "end after so much time of the cluster, such as 60s or 1h30m", duration)
  .option("--port <port>", "where the API listens on 127.0.0.1; 0 for any free port", port, 0)
  .option("--instance-types <catalogue>", "what can be bought: aws, generic, or a file of one's own", "aws")
  .action(async (options: StartOptions) => {
    // What follows takes a second or two, more when the files were installed just now.
    process.stderr.write("Starting a cluster in this process, and the controller on it ...\n");
    const { runStart } = await import("./start/start-command.ts");
    process.exitCode = await runStart(options);
  });

program
  .command("cluster")
  .description("runs a Kubernetes cluster in this process, for kubectl and for trying things out")
  .option("--port <port>", "where to listen on 127.0.0.1; 0 for any free port", port, 0)
  .option("--http", "plain HTTP without credentials instead of HTTPS with a token")
  .option("--kubeconfig <file>", "write the kubeconfig there instead of a temporary folder")
  .option("--nodes <count>", "begin with this many nodes", wholeNumber, 0)
  .option("--load <file>", "begin with the objects of a file of manifests")
  .option("--save <file>", "write all objects to a file of manifests at the end")
  .option("--seed <number>", "decides generated names and faults", wholeNumber, 1)
  .addOption(
    new Option("--without <part...>", "leave this part out, so that something else can do its work").choices(
      clusterParts,
    ),
  )
  .option(
    "--fault <fault>",
    "make a share of the requests go wrong, as in 503=0.1 (409, 429, 500, 503, timeout, slow, drop, cut-watch, delay-watch, expire-watch, stale-read), or of the nodes or pods (never-ready, flap, fall-silent, endless-pods); may be repeated",
    fault,
  )
  .action(async (options: ClusterOptions) => {
    const { runCluster } = await import("./cluster-command.ts");
    process.exitCode = await runCluster(options);
  });

program
  .command("convert")
  .description("writes the v1 equivalent of manifests for any version of Karpenter, and says what changed meaning")
  .requiredOption("-f, --file <file...>", "manifests to convert together; - for standard input")
  .option("-o, --output-dir <folder>", "write a file for each object there, instead of all to standard output")
  .addOption(
    new Option("--cluster-name <name>", "the cluster, whose tags and role stand in for what is not said").env(
      "CLUSTER_NAME",
    ),
  )
  .option("--kubernetes-version <version>", "the cluster's, as in 1.34; some images depend on it")
  .option("--no-webhook-defaults", "leave out the requirements that webhooks added to Provisioners")
  .action(async (options: ConvertCommandOptions) => {
    const { runConvert } = await import("./convert-command.ts");
    process.exitCode = runConvert(options);
  });

program
  .command("nodes")
  .description("shows the nodes of a cluster by pool: what they are, cost, hold and do; live on a terminal")
  .option("--kubeconfig <file>", "the cluster to look at, instead of what KUBECONFIG or ~/.kube/config says")
  .option("--instance-types <catalogue>", "where prices come from that nodes do not tell: aws, generic, or a file")
  .addOption(new Option("-o, --output <format>", "json for programs").choices(["json"]))
  .option("--once", "print a table and end, on a terminal too")
  .addOption(new Option("--sort <key>", "what to sort by").choices(sortKeys).default("pool"))
  .option("--filter <words>", "only nodes in which all these words are found, such as 'spot ready'", "")
  .action(async (options: NodesOptions) => {
    const { runNodes } = await import("./nodes/nodes-command.ts");
    process.exitCode = await runNodes(options);
  });

const explain = program
  .command("explain")
  .description("says why a pod waits, or why a node is there and stays or goes");

explain
  .command("pod")
  .description("why a pod waits, or where it is or will go: pools tried, refusals, nearest miss")
  .argument("<name>", "the pod")
  .option("-n, --namespace <namespace>", "where it is, instead of the namespace of the kubeconfig's context")
  .option("--kubeconfig <file>", "the cluster to look at, instead of what KUBECONFIG or ~/.kube/config says")
  .option("--instance-types <catalogue>", "what can be bought: aws, generic, or a file; told by the nodes if possible")
  .action(async (name: string, options: ExplainOptions) => {
    const { runExplainPod } = await import("./explain/explain-command.ts");
    process.exitCode = await runExplainPod(name, options);
  });

explain
  .command("node")
  .alias("nodeclaim")
  .description("what runs on a node, what it costs, whether it may go and why")
  .argument("<name>", "the node or its NodeClaim")
  .option("--kubeconfig <file>", "the cluster to look at, instead of what KUBECONFIG or ~/.kube/config says")
  .option("--instance-types <catalogue>", "what can be bought: aws, generic, or a file; told by the nodes if possible")
  .action(async (name: string, options: ExplainOptions) => {
    const { runExplainNode } = await import("./explain/explain-command.ts");
    process.exitCode = await runExplainNode(name, options);
  });

program
  .command("lint")
  .description("says what is wrong with NodePools and node classes in files, with no cluster; fails on errors")
  .requiredOption("-f, --file <file...>", "manifests to look at together; - for standard input")
  .option("--instance-types <catalogue>", "what can be bought: aws, generic, or a file of one's own", "aws")
  .addOption(new Option("-o, --output <format>", "json for programs").choices(["json"]))
  .action(async (options: LintOptions) => {
    const { runLint } = await import("./lint/lint-command.ts");
    process.exitCode = runLint(options);
  });

program
  .command("controller")
  .description("provisions nodes for a cluster, and ends them")
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .argument("[settings...]", "flags; --help lists them with their environment variables")
  .action(async (_: readonly string[], __: object, command: Command) => {
    const { runControllerCommand } = await import("./controller-command.ts");
    process.exitCode = await runControllerCommand(command.args);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Give a whole number.");
  return Number(text);
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("Give a port from 1 to 65535, or 0 for any that is free.");
  return Number(text);
}

function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function speed(text: string): number {
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (factor <= 0 || factor > 1000) throw new InvalidArgumentError("Give a number above 0 and up to 1000, such as 10.");
  return factor;
}

function duration(text: string): number {
  const milliseconds = parseGoDuration(text) ?? 0;
  if (milliseconds <= 0) throw new InvalidArgumentError("Give a time above 0, such as 60s, 5m or 1h30m.");
  return milliseconds;
}

function fault(text: string, before: NonNullable<ClusterOptions["fault"]> = []): ClusterOptions["fault"] {
  const read = readFault(text);
  if (read === undefined)
    throw new InvalidArgumentError("Give a fault and a share above 0 and up to 1, such as 503=0.1.");
  return [...before, read];
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return Number(text);
}

function amount(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError("Give an amount in dollars, such as 0.01.");
  return Number(text);
}
