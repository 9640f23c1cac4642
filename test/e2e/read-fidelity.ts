/** How plans came true. The Go controller says nothing of the kind. */
export interface Fidelity {
  /** How many pods have been bound that a plan had found a place for. */
  readonly pods: number;
  /** Of them; undefined where there are none. */
  readonly shareAsPlanned: number | undefined;
  readonly secondWaveNodes: number | undefined;
}

/** What our controller says about its own plans. */
export async function readFidelity(metricsUrl: string): Promise<Fidelity> {
  const text = await (await fetch(metricsUrl)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^karpenter_${name}.* ([\\d.e+]+)$`, "gm"))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  const pods = sum("plan_pods_total\\{");
  if (pods === 0) return { pods, shareAsPlanned: undefined, secondWaveNodes: undefined };
  return {
    pods,
    shareAsPlanned: sum('plan_pods_total\\{[^}]*outcome="as_planned"') / pods,
    secondWaveNodes: sum("plan_second_wave_nodes_total\\{"),
  };
}
