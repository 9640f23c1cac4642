import { isRecord, quote } from "../../../core/api/field.ts";
import { parseQuantity } from "../../../core/model/quantity.ts";
import { compileExpression, type Expression, type ExpressionInput, type Outcome } from "./expression.ts";

type Kubelet = Readonly<Record<string, unknown>>;

const reservedFields = ["kubeReserved", "systemReserved"] as const;
type ReservedField = (typeof reservedFields)[number];

const mostPods = 2 ** 31 - 1;

interface Place {
  /** As in `kubeReserved.cpu`. */
  readonly path: string;
  readonly field: "maxPods" | ReservedField;
  /** The resource; "" for maxPods. */
  readonly key: string;
}

interface PlacedExpression extends Place {
  readonly expression: Expression;
}

/** The expressions of a kubelet's settings, ready to be evaluated. */
export interface CompiledKubelet {
  /** Undefined when it is an expression, or not there. */
  readonly writtenMaxPods: number | undefined;
  readonly expressions: readonly PlacedExpression[];
}

export type KubeletCompilation =
  | { readonly compiled: CompiledKubelet; readonly problems?: never }
  | { readonly problems: readonly string[] };

/** What the expressions give on one type of machine; entries with problems are left out. */
export interface EvaluatedKubelet {
  readonly problems: readonly string[];
  /** Undefined when there is no expression for it, or one that gives none. */
  readonly maxPods: number | undefined;
  readonly kubeReserved: ReadonlyMap<string, string>;
  readonly systemReserved: ReadonlyMap<string, string>;
}

/** Whether the settings have expressions at all, which is for a feature gate to allow. */
export function hasExpressions(kubelet: Kubelet): boolean {
  return sourcesIn(kubelet).length > 0;
}

export function compileKubelet(kubelet: Kubelet): KubeletCompilation {
  const compilations = sourcesIn(kubelet).map(({ source, ...place }) => ({ place, ...compileExpression(source) }));
  const problems = compilations.flatMap(({ place, problem }) =>
    problem === undefined
      ? []
      : [
          `${place.path} is no ${place.field === "maxPods" ? "number" : "quantity"}, and as an expression it ${worded(problem)}`,
        ],
  );
  if (problems.length > 0) return { problems };
  const expressions = compilations.flatMap((one) =>
    "expression" in one ? [{ ...one.place, expression: one.expression }] : [],
  );
  return { compiled: { writtenMaxPods: maxPodsIn(kubelet), expressions } };
}

/** What is written as a number. */
export function maxPodsIn({ maxPods }: Kubelet): number | undefined {
  return Number.isSafeInteger(maxPods) ? Math.max(0, Number(maxPods)) : undefined;
}

/** `maxPods` of the input is what the image family allows; amounts to reserve may depend on what comes of it. */
export function evaluateKubelet(
  { writtenMaxPods, expressions }: CompiledKubelet,
  input: ExpressionInput,
): EvaluatedKubelet {
  const problems: string[] = [];
  const settle = (place: Place, outcome: Outcome): number | undefined => {
    const found = judge(place, outcome);
    if (typeof found === "number") return found;
    problems.push(found);
    return undefined;
  };
  let maxPods: number | undefined;
  for (const one of expressions.filter(({ field }) => field === "maxPods")) {
    maxPods = settle(one, one.expression(input));
  }
  const reserved = { kubeReserved: new Map<string, string>(), systemReserved: new Map<string, string>() };
  const resolved = { ...input, maxPods: maxPods ?? writtenMaxPods ?? input.maxPods };
  for (const one of expressions) {
    if (one.field === "maxPods") continue;
    const amount = settle(one, one.expression(resolved));
    if (amount !== undefined) reserved[one.field].set(one.key, formatReserved(one.key, amount));
  }
  return { problems, maxPods, ...reserved };
}

/** The number, or what is wrong with it. */
function judge({ path, field }: Place, outcome: Outcome): number | string {
  if (outcome.problem !== undefined) return `${path} cannot be evaluated: ${outcome.problem}`;
  const { value } = outcome;
  if (value < 0) return `${path} gives ${value}, and must not be negative`;
  if (field === "maxPods" && value > mostPods) return `${path} gives ${value}, and must be at most ${mostPods}`;
  return value;
}

/** Processors in thousandths, memory in MiB, storage in GiB; coarse, so that machines alike get the same settings. */
function formatReserved(resource: string, amount: number): string {
  if (resource === "cpu") return `${Math.ceil(amount / 10) * 10}m`;
  if (resource === "memory") return `${Math.ceil(amount / 16) * 16}Mi`;
  return resource === "ephemeral-storage" ? `${amount}Gi` : String(amount);
}

function sourcesIn(kubelet: Kubelet): (Place & { readonly source: string })[] {
  const { maxPods } = kubelet;
  const pods =
    typeof maxPods === "string" ? [{ path: "maxPods", field: "maxPods", key: "", source: maxPods } as const] : [];
  return [...pods, ...reservedFields.flatMap((field) => reservedSources(field, kubelet[field]))];
}

function reservedSources(field: ReservedField, map: unknown): (Place & { readonly source: string })[] {
  if (!isRecord(map)) return [];
  return Object.entries(map).flatMap(([key, source]) => {
    if (typeof source !== "string" || isQuantity(source)) return [];
    return [{ path: `${field}.${/^[a-z-]{1,63}$/.test(key) ? key : quote(key)}`, field, key, source }];
  });
}

export function isQuantity(text: string): boolean {
  return text.length <= 64 && parseQuantity(text) !== undefined;
}

/** So that every problem can follow "it". */
function worded(problem: string): string {
  return /^(is|has|gives) /.test(problem) ? problem : `does not compile: ${problem}`;
}
