import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelSpread } from "../../../test/support/model-pod.ts";
import { modelStatefulSet, modelWorkload, podOf } from "../../../test/support/model-workload.ts";
import type { PodSpec, PodTerm } from "../model/pod.ts";
import type { SelectorExpression } from "../model/selector.ts";
import type { Toleration } from "../model/taints.ts";
import { isAdmittedUnchanged } from "./admission.ts";

const requests = new Map([
  ["cpu", 500],
  ["pods", 1],
]);
const workload = modelWorkload("web", { template: { spec: { requests } } });

/** Whether a pod like this counts as what the template describes. */
function isUnchanged(spec: Partial<PodSpec>, template: Partial<PodSpec> = {}): boolean {
  const source = modelWorkload("web", { template: { spec: { requests, ...template } } });
  return isAdmittedUnchanged(podOf(source, "a", { spec }), source);
}

function toleration(key: string): Toleration {
  return { key, operator: "Exists", value: "", effect: "NoExecute" };
}

describe("a pod", () => {
  it("is as its template describes it, with what the API server adds to every pod", () => {
    assert.equal(isUnchanged({}), true);
    const added = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map(toleration);
    assert.equal(isUnchanged({ tolerations: added }), true);
    assert.equal(isUnchanged({ tolerations: [toleration("dedicated"), ...added] }), false);
  });

  it("is changed when a webhook doubles its requests or adds a toleration, a selector or a volume", () => {
    assert.equal(isUnchanged({ requests: new Map([...requests, ["cpu", 1_000]]) }), false);
    assert.equal(isUnchanged({ tolerations: [toleration("dedicated")] }), false);
    assert.equal(isUnchanged({ nodeSelector: new Map([["pool", "a"]]) }), false);
    const volumeClaims = [{ claimName: "shared", isEphemeral: false, storageClassName: "", storage: 0 }];
    assert.equal(isUnchanged({ volumeClaims }), false);
  });

  it("is changed when a webhook adds a gate", () => {
    assert.equal(isAdmittedUnchanged(podOf(workload, "a", { isGated: true }), workload), false);
  });

  it("is unchanged with volumes that are named after it", () => {
    const ephemeral = (pod: string) => [
      { claimName: `${pod}-scratch`, isEphemeral: true, storageClassName: "fast", storage: 0 },
    ];
    assert.equal(isUnchanged({ volumeClaims: ephemeral("web-a") }, { volumeClaims: ephemeral("web") }), true);
    const set = modelStatefulSet("db", { claimTemplates: [{ name: "data", storageClassName: "fast", storage: 0 }] });
    const claim = (claimName: string) => [{ claimName, isEphemeral: false, storageClassName: "", storage: 0 }];
    assert.equal(isAdmittedUnchanged(podOf(set, 0, { spec: { volumeClaims: claim("data-db-0") } }), set), true);
    assert.equal(isAdmittedUnchanged(podOf(set, 0, { spec: { volumeClaims: claim("data-db-1") } }), set), false);
  });
});

describe("the labels that the API server adds to selectors for matchLabelKeys", () => {
  const app: SelectorExpression = { key: "app", operator: "In", values: ["web"] };
  const added = (operator: "In" | "NotIn"): SelectorExpression => ({ key: "hash", operator, values: ["5d9f"] });
  const spread = (...expressions: readonly SelectorExpression[]) => [
    modelSpread({ matchLabelKeys: ["hash"], selector: { expressions } }),
  ];
  const term = (keys: Partial<PodTerm>, ...expressions: readonly SelectorExpression[]): PodTerm => ({
    topologyKey: "zone",
    selector: { expressions },
    namespaces: [],
    namespaceSelector: undefined,
    matchLabelKeys: [],
    mismatchLabelKeys: [],
    ...keys,
  });

  it("are no change of a topology spread", () => {
    assert.equal(isUnchanged({ topologySpread: spread(app, added("In")) }, { topologySpread: spread(app) }), true);
    assert.equal(isUnchanged({ topologySpread: spread(added("In")) }, { topologySpread: spread(app) }), false);
  });

  it("are no change of pod affinity", () => {
    const keys = { matchLabelKeys: ["hash"] };
    const unlike = { mismatchLabelKeys: ["hash"] };
    assert.equal(
      isUnchanged({ podAffinity: [term(keys, app, added("In"))] }, { podAffinity: [term(keys, app)] }),
      true,
    );
    const [before, after] = [term(unlike, app), term(unlike, app, added("NotIn"))].map((one) => ({
      weight: 1,
      term: one,
    }));
    assert.equal(isUnchanged({ preferredPodAntiAffinity: [after!] }, { preferredPodAntiAffinity: [before!] }), true);
    assert.equal(
      isUnchanged({ podAntiAffinity: [term({}, app, added("In"))] }, { podAntiAffinity: [term({}, app)] }),
      false,
    );
  });
});
