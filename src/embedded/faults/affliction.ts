import type { Clock } from "../../ports/clock.ts";
import type { ObjectApi } from "../api/object-api.ts";
import type { KubeObject } from "../kube-object.ts";
import type { Kubelets } from "../kubelet/kubelets.ts";

/** Something that is wrong with some of the nodes or pods, on purpose. */
export type Affliction = {
  /** Which share of them: 1 is all. */
  readonly share: number;
} & (
  | { readonly effect: "never-ready" }
  | { readonly effect: "flap"; readonly periodSeconds: number }
  /** The kubelet stops some time after the node came up. */
  | { readonly effect: "fall-silent"; readonly afterMs: number }
  /** Pods that never end, however often they are asked to. */
  | { readonly effect: "endless-pods" }
);

export interface Afflicted {
  readonly api: ObjectApi;
  readonly clock: Clock;
  readonly kubelets: Kubelets;
}

/** Afflicts nodes or pods that are there and those that come. Returns how to end it for those that come. */
export function afflict({ api, clock, kubelets }: Afflicted, affliction: Affliction): () => void {
  const { share } = affliction;
  if (!(share > 0 && share <= 1)) throw new Error(`A share is above 0 and at most 1, not ${share}`);
  if (affliction.effect === "endless-pods") {
    return kubelets.holdPods(({ metadata }) => lot(metadata?.uid ?? "") < share);
  }
  const strike = ({ metadata }: KubeObject): void => {
    if (lot(metadata.uid) >= share) return;
    const { name } = metadata;
    if (affliction.effect === "never-ready") kubelets.neverReady(name);
    else if (affliction.effect === "flap") kubelets.flap(name, affliction.periodSeconds);
    else clock.after(affliction.afterMs, () => kubelets.stopNode(name));
  };
  const nodes = api.collection(api.registry.builtIn("", "nodes"));
  for (const node of nodes.list()) strike(node);
  return nodes.subscribe(({ type, object }) => {
    // Whoever listens to the store does not write to it.
    if (type === "ADDED") clock.after(0, () => strike(object));
  });
}

/** A number from 0 to below 1 that a uid has drawn: uids come from the seed, so the same seed afflicts the same objects. */
function lot(uid: string): number {
  return Number.parseInt(uid.slice(0, 8), 16) / 2 ** 32;
}
