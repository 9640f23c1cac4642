/** Something that goes wrong with requests, on purpose. */
export type Fault = {
  /** Which requests; all where absent. */
  readonly on?: RequestMatch;
  /** How often it strikes a request that it could strike: 1 is always. */
  readonly probability: number;
  /** After so many strikes it is over. */
  readonly times?: number;
} & FaultEffect;

export interface RequestMatch {
  readonly methods?: readonly string[];
  /** Somewhere in path and query. */
  readonly path?: RegExp;
}

export type FaultEffect =
  /** An answer instead of the act. */
  | { readonly effect: "refuse"; readonly status: 409 | 429 | 500 | 503 }
  /** The server gives up after a while, having done what was asked, or not. */
  | { readonly effect: "time-out"; readonly afterMs: number; readonly isDone: boolean }
  | { readonly effect: "slow"; readonly byMs: number }
  /** The connection breaks before the request arrives, after it was carried out, or halfway through the answer. */
  | { readonly effect: "drop"; readonly at: "request" | "answer" | "half-answer" }
  /** The stream ends after a while, without a word. */
  | { readonly effect: "cut-watch"; readonly afterMs: number }
  /** Events arrive late, in order. */
  | { readonly effect: "delay-watch"; readonly byMs: number }
  /** A watch from a version is told that the version is gone. */
  | { readonly effect: "expire-watch" }
  /** A read shows the cluster as it was so many versions ago, or as long ago as is still known; later pages of a list do not. */
  | { readonly effect: "stale-read"; readonly versions: number };
