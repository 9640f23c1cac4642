import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { KubeRequest, KubeResponse } from "../../ports/kube-transport.ts";
import { KubeClient } from "../../runtime/kube-client.ts";
import { PodPlacement } from "./pod-placement.ts";

/** Answers nothing before it is told to. */
function openPlacement() {
  const sent: { readonly request: KubeRequest; readonly answer: (response: KubeResponse) => void }[] = [];
  const transport = {
    send: (request: KubeRequest) =>
      new Promise<KubeResponse>((answer) => {
        sent.push({ request, answer });
      }),
    watch: () => Promise.reject(new Error("nobody watches")),
  };
  const kube = new KubeClient({ transport });
  const clock = { now: () => 0, after: () => ({ cancel: () => {} }) };
  return { placement: new PodPlacement({ kube, nominator: kube, clock }), sent };
}

const written = { status: 200, body: { kind: "Pod", metadata: { name: "a", uid: "a", resourceVersion: "5" } } };

describe("a nomination", () => {
  it("is written once, however many ask for it meanwhile, and all of them wait for that", async () => {
    const { placement, sent } = openPlacement();
    const pod = modelPod("a");
    const asked = [placement.nominate(pod, "n"), placement.nominate(pod, "n")];
    assert.equal(sent.length, 1);
    sent[0]?.answer(written);
    await Promise.all(asked);
    assert.equal(placement.lastVersion, "5");
    void placement.nominate(pod, "n");
    assert.equal(sent.length, 2);
  });

  it("to another node does not wait for the one before", () => {
    const { placement, sent } = openPlacement();
    const pod = modelPod("a");
    void placement.nominate(pod, "n");
    void placement.nominate(pod, "other");
    void placement.nominate(pod, null);
    assert.equal(sent.length, 3);
  });
});
