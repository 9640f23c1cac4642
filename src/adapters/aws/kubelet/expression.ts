import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  EvaluationError,
  ParseError,
} from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import type { MachineFacts } from "../aws-parts.ts";

/** What an expression may depend on. */
export interface ExpressionInput {
  readonly facts: MachineFacts;
  readonly maxPods: number;
}

/** A whole number, or why there is none. */
export type Outcome = { readonly value: number; readonly problem?: never } | { readonly problem: string };

export type Expression = (input: ExpressionInput) => Outcome;

export type Compilation = { readonly expression: Expression; readonly problem?: never } | { readonly problem: string };

const longestExpression = 1024;
/** One loop within another can do no harm with what fits into an expression; more of them could take years. */
const mostLoops = 2;
const loops: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** The library's own function takes its time with patterns that are made for it, and lets nobody replace it. */
const linearMatches = "linearMatches";

const environment = createEnvironment();

function createEnvironment(): Environment {
  const fresh = new Environment({ limits: { maxAstNodes: 2000, maxDepth: 100 } });
  for (const name of ["vcpus", "memory_mib", "default_enis", "ips_per_eni", "max_pods"]) {
    fresh.registerVariable(name, "int");
  }
  fresh.registerVariable("instance_type", "string");
  for (const [name, isBetter] of [
    ["min", (left: number | bigint, right: number | bigint) => left <= right],
    ["max", (left: number | bigint, right: number | bigint) => left >= right],
  ] as const) {
    const pick = (left: number | bigint, right: number | bigint) => (isBetter(left, right) ? left : right);
    const pickDouble = (left: number | bigint, right: number | bigint) => Number(pick(left, right));
    fresh.registerFunction(`${name}(int, int): int`, pick);
    fresh.registerFunction(`${name}(int, double): double`, pickDouble);
    fresh.registerFunction(`${name}(double, int): double`, pickDouble);
    fresh.registerFunction(`${name}(double, double): double`, pickDouble);
  }
  const matches = (text: string, pattern: string): boolean => RE2JS.compile(pattern).matcher(text).find();
  fresh.registerFunction(`string.${linearMatches}(string): bool`, matches);
  fresh.registerFunction(`${linearMatches}(string, string): bool`, matches);
  return fresh;
}

/** Users can make new expressions all day; whoever has more than this at once only loses time. */
const mostCompiled = 500;
const compiled = new Map<string, Compilation>();

/** Compiles an expression that gives a number. The same text is compiled once. */
export function compileExpression(source: string): Compilation {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const fresh = compileAnew(source);
  if (compiled.size >= mostCompiled) compiled.clear();
  if (source.length <= longestExpression) compiled.set(source, fresh);
  return fresh;
}

function compileAnew(source: string): Compilation {
  if (source.length > longestExpression) return { problem: `is longer than ${longestExpression} characters` };
  try {
    const program = environment.parse(source);
    if (loopDepth(program.ast) > mostLoops) return { problem: `has more than ${mostLoops} loops within each other` };
    const { valid, type, error } = program.check();
    if (!valid) return { problem: explain(error) };
    if (type !== "int" && type !== "double") return { problem: `gives ${type}, and must give a number` };
    return { expression: (input) => evaluate(program, input) };
  } catch (error) {
    return { problem: explain(error) };
  }
}

function evaluate(program: (context: Record<string, unknown>) => unknown, input: ExpressionInput): Outcome {
  const { facts, maxPods } = input;
  let result: unknown;
  try {
    result = program({
      vcpus: BigInt(facts.vcpus),
      memory_mib: BigInt(facts.memoryMib),
      default_enis: BigInt(facts.interfaces),
      ips_per_eni: BigInt(facts.addressesPerInterface),
      max_pods: BigInt(maxPods),
      instance_type: facts.name,
    });
  } catch (error) {
    return { problem: explain(error) };
  }
  const value = Math.trunc(Number(result));
  if (!Number.isSafeInteger(value)) return { problem: `gives ${result}, which is no usable number` };
  // Not -0.
  return { value: value + 0 };
}

/** How many loops are within each other. On its way, calls of `matches` are led to ours. */
function loopDepth(node: unknown): number {
  if (Array.isArray(node)) return Math.max(0, ...node.map(loopDepth));
  if (!isNode(node)) return 0;
  const inner = loopDepth(node.args);
  if (!Array.isArray(node.args) || (node.op !== "rcall" && node.op !== "call")) return inner;
  const [name] = node.args as unknown[];
  if (name === "matches") (node.args as unknown[])[0] = linearMatches;
  return typeof name === "string" && node.op === "rcall" && loops.has(name) ? inner + 1 : inner;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function explain(error: unknown): string {
  const isKnown = error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError;
  if (!isKnown) return error instanceof Error ? error.message : String(error);
  const { summary } = error;
  const isMixed = /no such overload: (int \S+ double|double \S+ int)$/.test(summary);
  return isMixed ? `${summary}: make both of one kind, as in double(vcpus) * 2.0` : summary;
}
