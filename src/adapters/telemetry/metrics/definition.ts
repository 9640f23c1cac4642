import type { NoLabels } from "../../../ports/metric-labels.ts";

/** What a metric is and says; the labels come with what their values mean. */
export type Definition<Labels> = Kind & {
  readonly help: string;
  readonly labels: Meanings<Labels>;
  /** Labels that depend on the cloud provider: its well-known labels, or those that tell a node class. */
  readonly more?: "well-known" | "node-class";
};

type Kind =
  | { readonly kind: "counter" | "gauge" | "summary" }
  | { readonly kind: "histogram"; readonly buckets: readonly number[] };

/** Neither a label too many nor one too few compiles. */
type Meanings<Labels> = Labels extends NoLabels
  ? NoLabels
  : string extends keyof Labels
    ? Readonly<Record<string, string>>
    : { readonly [Label in keyof Labels]: string };

export type Definitions<Metrics> = { readonly [Name in keyof Metrics]: Definition<Metrics[Name]> };

/** The quantiles of every summary. */
export const quantiles: readonly number[] = [0, 0.5, 0.9, 0.99, 1];

/** From five milliseconds to ten minutes. */
export const durationBuckets: readonly number[] = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
  ...[120, 150, 300, 450, 600],
];

export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** So many thresholds, each so many times the one before it; multiplied one by one, as their names on the wire are. */
export function exponentialBuckets(first: number, factor: number, count: number): readonly number[] {
  const buckets = [first];
  for (let last = first; buckets.length < count; buckets.push(last)) last *= factor;
  return buckets;
}
