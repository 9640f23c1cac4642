import type { Style } from "../style.ts";
import type { NodeState } from "./look-at-cluster.ts";

export const stateColours: Readonly<Record<NodeState, keyof Style>> = {
  launching: "cyan",
  booting: "cyan",
  registering: "cyan",
  starting: "cyan",
  ready: "green",
  "not ready": "red",
  cordoned: "yellow",
  drifted: "yellow",
  disrupted: "yellow",
  draining: "yellow",
  ending: "yellow",
};
