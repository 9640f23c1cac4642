import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zoneLabel } from "../../src/core/model/labels.ts";
import { describeRefusal } from "../../src/core/scheduling/describe-refusal.ts";
import {
  daemonSet,
  expression,
  instanceType,
  nodeAffinity,
  type PlanOptions,
  plan,
  pod,
  pool,
  type Wire,
} from "../support/builders.ts";

const gen = "example.com/gen";

/** Why the first pod gets no node, in words. */
function words(objects: readonly Wire[], options?: PlanOptions): string | undefined {
  const [first] = plan(objects, options).refusals;
  return first && describeRefusal(first.refusal);
}

/** A pod that wants one thing of a label. */
function wanting(...wanted: Parameters<typeof expression>): Wire {
  return pod("a", { affinity: nodeAffinity([expression(...wanted)]) });
}

describe("a refusal for lack of resources", () => {
  it("says what daemon sets take of the nearest machine", () => {
    const daemon = daemonSet("d", { requests: { cpu: 20 } });
    assert.equal(
      words([pool(), daemon, pod("a", { requests: { cpu: "800m" } })]),
      'Pool "default" has nothing large enough: the nearest miss is huge, of which daemon sets take 20 cpu: it would do if they and the pod asked for 4800m cpu less.',
    );
  });

  it("leaves out daemon sets that take next to nothing of what is missing", () => {
    const daemon = daemonSet("d", { requests: { cpu: "100m" } });
    assert.equal(
      words([pool(), daemon, pod("a", { requests: { cpu: 32 } })]),
      'Pool "default" has nothing large enough: the nearest miss is huge, which would do if the pod asked for 16100m cpu less.',
    );
  });

  it("leaves out daemon sets that take nothing of what is missing", () => {
    const daemon = daemonSet("d", { requests: { memory: "1Gi" } });
    assert.equal(
      words([pool(), daemon, pod("a", { requests: { cpu: 17 } })]),
      'Pool "default" has nothing large enough: the nearest miss is huge, which would do if the pod asked for 1 cpu less.',
    );
  });

  it("counts no more than can be counted", () => {
    const endless = { requests: { cpu: "9E" } };
    assert.equal(
      words([pool(), pod("a", endless)]),
      'Pool "default" has nothing large enough: the pod asks for more cpu than any machine has.',
    );
    assert.equal(
      words([pool(), daemonSet("d", endless), pod("a")]),
      'Pool "default" has nothing large enough: the pod and the daemon sets of its node ask for more cpu than any machine has.',
    );
  });
});

describe("a refusal for a label", () => {
  const open: readonly [Wire, Wire, string][] = [
    [
      expression(gen, "Exists"),
      wanting(gen, "DoesNotExist"),
      "requires GEN Exists, but the pod wants GEN DoesNotExist",
    ],
    [expression(gen, "Gt", "10"), wanting(gen, "Lt", "5"), "requires GEN >= 11, but the pod wants GEN <= 4"],
    [expression(gen, "NotIn", "x"), wanting(gen, "In", "x"), "requires GEN NotIn [x], but the pod wants GEN In [x]"],
    [
      expression(gen, "In", "x", "y", "z"),
      wanting(gen, "In", "u"),
      "requires GEN In [x y z], but the pod wants GEN In [u]",
    ],
  ];
  for (const [requirement, waiting, text] of open) {
    it(`says what the pool leaves open: ${text}`, () => {
      // Other pods name values too, which are no offer of the pool's.
      const others = [wanting(gen, "In", "11", "12")].map((other) => ({ ...other, metadata: { name: "b" } }));
      const said = words([pool("default", { requirements: [requirement] }), waiting, ...others]);
      assert.equal(said, `Pool "default" ${text.replaceAll("GEN", gen)}.`);
    });
  }

  it("lists the values that the pool's template, types and offerings have", () => {
    const types = ["3", "4"].map((value) => instanceType(`type-${value}`, { labels: { [gen]: value } }));
    assert.equal(
      words([pool("default", { requirements: [expression(gen, "Exists")] }), wanting(gen, "In", "5")], {
        instanceTypes: types,
      }),
      `Pool "default" offers ${gen} 3, 4, but the pod wants ${gen} In [5].`,
    );
    assert.equal(
      words([pool("default", { labels: { [gen]: "3" } }), wanting(gen, "In", "5")]),
      `Pool "default" offers ${gen} 3, but the pod wants ${gen} In [5].`,
    );
    assert.equal(
      words([
        pool("default", { requirements: [expression(zoneLabel, "In", "zone-1", "zone-2")] }),
        wanting(zoneLabel, "In", "zone-3"),
      ]),
      `Pool "default" offers ${zoneLabel} zone-1, zone-2, but the pod wants ${zoneLabel} In [zone-3].`,
    );
  });

  it("offers nothing where neither the pool nor a type mentions it", () => {
    assert.equal(
      words([pool(), wanting(gen, "In", "5")]),
      `Pool "default" offers no ${gen}, but the pod wants ${gen} In [5].`,
    );
  });
});
