/** How one planner did on a batch. */
export interface Score {
  /** Of the fastest of several runs. */
  readonly milliseconds: number;
  readonly costPerHour: number;
  readonly newNodes: number;
  /** Pods without a place. */
  readonly leftOver: number;
  /** Broken rules; a pod that is left over breaks none. */
  readonly violations: number;
  readonly examples?: readonly string[];
  /** Nodes on spot with fewer instance types to choose from than there are for their pods. */
  readonly fewAlternatives: number;
  /** By weight; null when the pods prefer nothing. */
  readonly preferencesHonoured: number | null;
}

export interface CaseLine {
  readonly measure: "case";
  readonly seed: number;
  readonly pods: number;
  /** That exist. */
  readonly nodes: number;
  readonly ours: Score;
  /** Null when the peer is left out. */
  readonly peer: Score | null;
  /** Dollars an hour; null when it is not proved. */
  readonly optimum: number | null;
}

export interface Times {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export interface SummaryLine {
  readonly measure: "summary";
  readonly cases: number;
  /** Milliseconds. */
  readonly ours: Times;
  readonly peer: Times | null;
  /** Seeds of batches for which our plan costs more than the peer's, or leaves more pods over. */
  readonly dearer: readonly number[];
  /** Seeds of batches for which ours takes much longer than the peer. */
  readonly slower: readonly number[];
  /** Of the batches for which both place equally many pods, our cost by the peer's in all. */
  readonly costRatio: number | null;
  /** Batches whose optimum is proved, and by how much our plans cost more, on average. */
  readonly proved: number;
  readonly meanDistance: number | null;
  /** Seeds of batches for which our plan breaks a rule. */
  readonly invalid: readonly number[];
  /** Seeds of batches for which our plan leaves a node on spot too little choice. */
  readonly fragile: readonly number[];
  readonly goals: readonly { readonly goal: string; readonly met: boolean | null }[];
}
