import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archLabel, capacityTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import {
  expression,
  instanceType,
  nodeAffinity,
  offering,
  outcome,
  plan,
  pod,
  pool,
  preferredNodeAffinity,
  type Wire,
} from "../support/builders.ts";

const offerings = [offering({ capacityType: "spot", price: 0.1 }), offering({ price: 0.4 })];
const instanceTypes = [
  instanceType("amd", { offerings }),
  instanceType("arm", {
    arch: "arm64",
    offerings: [offering({ capacityType: "spot", price: 0.05 }), offering({ price: 0.2 })],
  }),
];
const annotations = { "karpenter.sh/default-requirements": `${archLabel},${capacityTypeLabel}` };
const requirements = [expression(archLabel, "In", "amd64"), expression(capacityTypeLabel, "In", "on-demand")];
const ours = pool("default", { metadata: { annotations }, requirements });

function boughtFor(waiting: Wire, of: Wire = ours): string[] {
  return plan([of, waiting], { instanceTypes }).nodes.map(
    ({ instanceType, capacityType }) => `${instanceType} ${capacityType}`,
  );
}

describe("a requirement that is only a default", () => {
  it("holds for pods that do not say otherwise", () => {
    assert.deepEqual(boughtFor(pod("web")), ["amd on-demand"]);
  });

  it("is replaced by the selector of a pod", () => {
    assert.deepEqual(boughtFor(pod("web", { nodeSelector: { [archLabel]: "arm64" } })), ["arm on-demand"]);
  });

  it("is replaced by the required affinity of a pod", () => {
    const affinity = nodeAffinity([expression(capacityTypeLabel, "In", "spot")]);
    assert.deepEqual(boughtFor(pod("web", { affinity })), ["amd spot"]);
  });

  it("is replaced label by label", () => {
    assert.deepEqual(boughtFor(pod("web", { nodeSelector: { [archLabel]: "arm64", [capacityTypeLabel]: "spot" } })), [
      "arm spot",
    ]);
  });

  it("is not replaced by what a pod only prefers", () => {
    const affinity = preferredNodeAffinity([1, expression(capacityTypeLabel, "In", "spot")]);
    assert.deepEqual(boughtFor(pod("web", { affinity })), ["amd on-demand"]);
  });

  it("conflicts with a pod's selector when it is no default", () => {
    assert.deepEqual(
      boughtFor(pod("web", { nodeSelector: { [archLabel]: "arm64" } }), pool("default", { requirements })),
      [],
    );
  });

  it("separates pods that replace it from those that do not", () => {
    const waiting = [pod("web"), pod("arm", { nodeSelector: { [archLabel]: "arm64" } })];
    assert.deepEqual(outcome(plan([ours, ...waiting], { instanceTypes })).launched, ["amd: web", "arm: arm"]);
  });

  it("is what the node says, as the pod replaced it", () => {
    const waiting = pod("web", { nodeSelector: { [capacityTypeLabel]: "spot" } });
    const [planned] = plan([ours, waiting], { instanceTypes }).nodes;
    const said = [archLabel, capacityTypeLabel].map((key) => [...(planned?.requirements.get(key)?.values ?? [])]);
    assert.deepEqual(said, [["amd64"], ["spot"]]);
  });

  it("keeps the other requirements of the pool as they are", () => {
    const metadata = { annotations: { "karpenter.sh/default-requirements": archLabel } };
    const mixed = pool("default", { metadata, requirements: [...requirements, expression(zoneLabel, "In", "zone-1")] });
    assert.deepEqual(boughtFor(pod("web", { nodeSelector: { [capacityTypeLabel]: "spot" } }), mixed), []);
  });
});

describe("a default of a label that nothing else gives", () => {
  const metadata = { annotations: { "karpenter.sh/default-requirements": "team" } };
  const teams = pool("default", { metadata, requirements: [expression("team", "In", "red")] });
  const teamFor = (waiting: Wire) =>
    plan([teams, waiting]).nodes.map(({ requirements }) => [...(requirements.get("team")?.values ?? [])]);

  it("holds for pods that do not say otherwise", () => {
    assert.deepEqual(teamFor(pod("web")), [["red"]]);
  });

  it("is replaced by the value that a pod selects", () => {
    assert.deepEqual(teamFor(pod("web", { nodeSelector: { team: "blue" } })), [["blue"]]);
  });
});
