import type { Clock, Timer } from "../../ports/clock.ts";
import type { Totals } from "../nodes/look-at-cluster.ts";
import { describeTime } from "../terminal/describe.ts";
import { oneLine } from "../terminal/text-width.ts";
import { describeTotals } from "./describe-totals.ts";
import type { Telling } from "./telling.ts";

const summaryEvery = 60_000;

export interface LinesOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly look: () => { readonly totals: Totals };
  readonly kubeconfig: string;
}

/** Says how to get at the cluster, and every minute of its time what there is; returns how to stop. */
export function showLines({ clock, write, look, kubeconfig }: LinesOptions): () => void {
  write(`export KUBECONFIG=${kubeconfig}\n# Ctrl-C stops it. Try: kubectl get nodepools,nodeclaims,nodes\n`);
  let timer: Timer | undefined;
  const summarizeLater = (): void => {
    timer = clock.after(summaryEvery, () => {
      write(plainLine({ at: clock.now(), text: describeTotals(look().totals) }));
      summarizeLater();
    });
  };
  summarizeLater();
  return () => timer?.cancel();
}

export function plainLine({ at, text }: Pick<Telling, "at" | "text">): string {
  return `${describeTime(at)}  ${oneLine(text)}\n`;
}
