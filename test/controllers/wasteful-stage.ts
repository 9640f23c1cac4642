import assert from "node:assert/strict";
import { cores, type DisruptorStage, poolOf, web } from "./disruptor-stage.ts";

export const large = "c-8x-amd64-linux";
export const small = "c-2x-amd64-linux";

/** A large node with one small pod, which a small node would do for. */
export async function beginWasteful(stage: DisruptorStage, disruption = {}): Promise<void> {
  await stage.begin([poolOf("general", { requirements: cores(2, 8), disruption })], [web(7)]);
  assert.deepEqual(stage.types, [large]);
  stage.scale("web", 1);
}

export function replacementsBought(stage: DisruptorStage): number {
  return stage.whole.sent.filter(
    ({ request: { method, path, body }, status }) =>
      method === "POST" && path.endsWith("/nodeclaims") && status === 201 && isReplacement(body),
  ).length;
}

export function isReplacement(body: unknown): boolean {
  const { metadata } = body as { metadata: { annotations?: Record<string, string> } };
  return metadata.annotations?.["karpenter.sh/replaces"] !== undefined;
}

/** What the pool has made has drifted. */
export function relabel(stage: DisruptorStage): void {
  stage.whole.change(poolOf("general"), (current) => {
    const spec = current.spec as { template: object };
    return { ...current, spec: { ...spec, template: { ...spec.template, metadata: { labels: { a: "b" } } } } } as never;
  });
}
