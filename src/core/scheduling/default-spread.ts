import type { Pod, PodSpec, TopologySpread } from "../model/pod.ts";
import type { Selector } from "../model/selector.ts";
import type { Snapshot } from "../model/snapshot.ts";

/** Gives pods without spread constraints the cluster's default ones, as kube-scheduler does. */
export function withDefaultSpread(
  pods: readonly Pod[],
  snapshot: Snapshot,
  defaults: readonly TopologySpread[],
): readonly Pod[] {
  if (defaults.length === 0) return pods;
  const specs = new Map<PodSpec, Map<string, PodSpec>>();
  return pods.map((pod) => {
    if (pod.spec.topologySpread.length > 0) return pod;
    const selector = deducedSelector(pod, snapshot);
    if (!selector) return pod;
    const known = specs.get(pod.spec) ?? new Map<string, PodSpec>();
    specs.set(pod.spec, known);
    const key = JSON.stringify(selector);
    const spec = known.get(key) ?? { ...pod.spec, topologySpread: defaults.map((spread) => ({ ...spread, selector })) };
    known.set(key, spec);
    return { ...pod, spec };
  });
}

/** Everything that services and the controller select the pod by; undefined when nothing does. */
function deducedSelector(pod: Pod, snapshot: Snapshot): Selector | undefined {
  const labels = new Map<string, string>();
  for (const service of snapshot.services) {
    if (service.namespace !== pod.namespace || service.labels.size === 0) continue;
    const isMatch = [...service.labels].every(([key, value]) => pod.labels.get(key) === value);
    if (isMatch) for (const [key, value] of service.labels) labels.set(key, value);
  }
  const expressions = [...labels].map(([key, value]) => ({ key, operator: "In" as const, values: [value] }));
  for (const { kind, name, isController } of pod.owners) {
    if (!isController) continue;
    expressions.push(
      ...((snapshot.controllerSelectors.get(`${pod.namespace}/${kind}/${name}`)?.expressions ??
        []) as typeof expressions),
    );
  }
  return expressions.length > 0 ? { expressions } : undefined;
}
