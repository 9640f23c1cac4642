import type { JsonObject } from "../../src/core/api/schema/json.ts";
import type { Wire } from "../support/builders.ts";
import type { Reference } from "../support/whole-controller.ts";
import { deployment, type Manifest, nodeClass, nodePool, type PoolParts } from "./manifests.ts";
import type { Story } from "./story.ts";

/** Machines on demand with so many cores. */
export function cores(...numbers: readonly number[]): Wire[] {
  return [
    { key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: numbers.map(String) },
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
  ];
}

export const eager = { consolidateAfter: "30s", budgets: [{ nodes: "100%" }] };

/** A pool of small and large machines that is consolidated soon. */
export function eagerPool(parts: PoolParts = {}): Manifest {
  return nodePool("general", {
    limits: { cpu: "400" },
    disruption: eager,
    ...parts,
    spec: { requirements: cores(4, 16), ...parts.spec },
  });
}

export const web = deployment("web", 14, { cpu: "1" });

/** Fourteen pods on a large machine, of which three are left, which a small one would do for. */
export async function growTooLarge(story: Story, { nodeRegistrationDelay = "0s", pool = eagerPool() } = {}) {
  story.whole.load(nodeClass("default", { nodeRegistrationDelay }), pool, web);
  story.whole.start();
  await story.pass(40_000);
  story.expect([story.pending, typesOf(story)], [[], ["c-16x-amd64-linux"]]);
  story.scale(web, 3);
  await story.pass(3_000);
}

export function typesOf(story: Story): readonly string[] {
  return story.nodes.map(({ metadata }) => metadata.labels?.["node.kubernetes.io/instance-type"] ?? "").sort();
}

export function annotate(story: Story, object: Reference, annotations: Record<string, string | null>): void {
  story.note(`annotate ${object.kind} ${object.metadata.name} with ${JSON.stringify(annotations)}`);
  story.whole.change(object, (current) => {
    const metadata = current.metadata as JsonObject;
    const merged = { ...(metadata.annotations as JsonObject), ...annotations };
    const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
    return { ...current, metadata: { ...metadata, annotations: kept } };
  });
}

/** Gives what a pool makes from now on a label, so that all that it has made has drifted. */
export function relabel(story: Story, pool: Reference, value: string): void {
  story.note(`label pool ${pool.metadata.name}: ${value}`);
  story.whole.change(pool, (current) => {
    const { template, ...spec } = current.spec as JsonObject & { template: JsonObject & { metadata?: JsonObject } };
    const labels = { ...(template.metadata?.labels as JsonObject | undefined), edition: value };
    return { ...current, spec: { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } } };
  });
}

export function editSpec(story: Story, object: Reference, spec: JsonObject): void {
  story.note(`edit ${object.metadata.name}: ${JSON.stringify(spec)}`);
  story.whole.change(object, (current) => ({ ...current, spec: { ...(current.spec as JsonObject), ...spec } }));
}

/** How many nodes carry the label that {@link relabel} gives. */
export function editions(story: Story, value: string): number {
  return story.nodes.filter(({ metadata }) => metadata.labels?.edition === value).length;
}

/** No node comes or goes, nobody is asked to leave, and nothing is marked. */
export async function expectCalm(story: Story, milliseconds: number): Promise<void> {
  const now = () => ({
    nodes: story.nodes.map(({ metadata }) => metadata.uid).sort(),
    evictions: story.evictions,
    chosen: story.chosen(),
    bought: story.bought,
  });
  const before = now();
  await story.pass(milliseconds);
  story.expect({ ...now(), marked: story.marked, pending: story.pending }, { ...before, marked: [], pending: [] });
}
