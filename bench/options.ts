import { join } from "node:path";
import { type Arguments, parseFlags } from "./command-line.ts";
import type { Effort } from "./planners.ts";
import { isKind, type Kind, kinds } from "./scenarios.ts";

export interface BenchOptions {
  readonly kinds: readonly Kind[];
  readonly sizes: readonly number[];
  readonly seeds: readonly number[];
  /** Both unless one is named. */
  readonly efforts: readonly Effort[];
  readonly hasPeer: boolean;
  readonly timeoutSeconds: number;
  /** How often ours and the peer take turns. */
  readonly rounds: number;
  readonly karpenter: string;
  readonly results: string | undefined;
}

export const usage = `usage: npm run bench -- [options]

  --quick              1,000 pods only, one round
  --kinds LIST         of ${kinds.join(",")}
  --sizes LIST         of pods (1000,5000,10000)
  --seeds LIST         (1)
  --effort fast|full   only speed and growth, or only cost and memory
  --no-peer            leave out the Go planner
  --timeout SECONDS    how long a planner may take in all (120)
  --rounds N           how often the planners take turns (2)
  --karpenter FILE     another checkout's bin/karpenter
  --results            write bench/RESULTS.md as well

Prints JSON lines; tables for people go to standard error. Fails when a plan of ours is not valid.`;

const flags = {
  quick: { type: "boolean" },
  kinds: { type: "string" },
  sizes: { type: "string" },
  seeds: { type: "string" },
  effort: { type: "string" },
  "no-peer": { type: "boolean" },
  timeout: { type: "string" },
  rounds: { type: "string" },
  karpenter: { type: "string" },
  results: { type: "boolean" },
} as const;

export function readOptions(args: readonly string[]): Arguments<BenchOptions> {
  const problems: string[] = [];
  const values = parseFlags(args, flags, problems);
  const numbers = (name: "sizes" | "seeds" | "timeout" | "rounds", fallback: string): number[] =>
    (values[name] ?? fallback).split(",").map((word) => {
      const number = Number(word);
      if (!Number.isInteger(number) || number < 1) problems.push(`--${name}: "${word}" is not a whole number above 0`);
      return number;
    });
  const words = (values.kinds ?? kinds.join()).split(",");
  for (const word of words.filter((one) => !isKind(one))) {
    problems.push(`--kinds: "${word}" is none of ${kinds.join(", ")}`);
  }
  const effort = values.effort;
  if (effort !== undefined && effort !== "fast" && effort !== "full") {
    problems.push(`--effort: "${effort}" is neither fast nor full`);
  }
  const options: BenchOptions = {
    kinds: words.filter(isKind),
    sizes: numbers("sizes", values.quick ? "1000" : "1000,5000,10000"),
    seeds: numbers("seeds", "1"),
    efforts: effort === "fast" || effort === "full" ? [effort] : ["fast", "full"],
    hasPeer: values["no-peer"] !== true,
    timeoutSeconds: numbers("timeout", "120")[0] ?? 120,
    rounds: numbers("rounds", values.quick ? "1" : "2")[0] ?? 2,
    karpenter: values.karpenter ?? join(import.meta.dirname, "../bin/karpenter"),
    results: values.results ? join(import.meta.dirname, "RESULTS.md") : undefined,
  };
  return problems.length > 0 ? { problems } : options;
}
