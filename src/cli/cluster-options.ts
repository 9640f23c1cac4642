import type { Affliction } from "../embedded/faults/affliction.ts";
import type { Fault } from "../embedded/faults/fault.ts";

export interface ClusterOptions {
  readonly port: number;
  readonly http?: true;
  readonly kubeconfig?: string;
  readonly nodes: number;
  readonly load?: string;
  readonly save?: string;
  readonly seed: number;
  readonly without?: readonly string[];
  readonly fault?: readonly (Fault | Affliction)[];
}

/** The parts of a cluster that can be left out, so that something else can do their work. */
export const clusterParts = ["scheduler", "workloads", "kubelet"] as const;

/** Reads a fault such as `503=0.1`: what goes wrong, and with which share of the requests, nodes or pods. */
export function readFault(text: string): Fault | Affliction | undefined {
  const [name = "", share = "1"] = text.split("=");
  const probability = Number(share);
  if (!(probability > 0 && probability <= 1)) return undefined;
  switch (name) {
    case "409":
    case "429":
    case "500":
    case "503":
      return { effect: "refuse", status: Number(name) as 409 | 429 | 500 | 503, probability };
    case "timeout":
      return { effect: "time-out", afterMs: 5_000, isDone: false, probability };
    case "slow":
      return { effect: "slow", byMs: 1_000, probability };
    case "drop":
      return { effect: "drop", at: "answer", probability };
    case "cut-watch":
      return { effect: "cut-watch", afterMs: 5_000, probability };
    case "delay-watch":
      return { effect: "delay-watch", byMs: 2_000, probability };
    case "expire-watch":
      return { effect: "expire-watch", probability };
    case "stale-read":
      return { effect: "stale-read", versions: 100, probability };
    case "never-ready":
      return { effect: "never-ready", share: probability };
    case "flap":
      return { effect: "flap", periodSeconds: 60, share: probability };
    case "fall-silent":
      return { effect: "fall-silent", afterMs: 60_000, share: probability };
    case "endless-pods":
      return { effect: "endless-pods", share: probability };
    default:
      return undefined;
  }
}
