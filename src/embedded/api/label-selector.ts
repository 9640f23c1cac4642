import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { type Labels, matcherOf, matcherOfConditions } from "../label-matcher.ts";
import { readSelector } from "./selector-reader.ts";

/** Whether an object with these labels is meant. */
export type LabelMatch = (labels: Labels) => boolean;

/** Reads a selector as a query carries it. */
export function parseLabelSelector(text: string): LabelMatch {
  return matcherOfConditions(readSelector(text)).matches;
}

/** The selector of a workload or a budget, as objects carry it; absent selects nothing, empty everything. */
export function labelSelectorMatch(selector: LabelSelector | undefined): LabelMatch {
  return matcherOf(selector).matches;
}
