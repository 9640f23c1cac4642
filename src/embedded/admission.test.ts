import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { ApiError } from "./api/api-error.ts";
import { EmbeddedCluster } from "./cluster.ts";
import type { Draft } from "./kube-object.ts";
import { VirtualClock } from "./time/virtual-clock.ts";

const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } };

function createPod(webhook: (pod: Draft & Pod) => void): Pod {
  const cluster = new EmbeddedCluster({ clock: new VirtualClock(0), seed: 1 });
  const remove = cluster.addWebhook((draft, { plural }, old) => {
    if (plural === "pods" && old === undefined) webhook(draft as Draft & Pod);
  });
  try {
    return cluster.api.create(cluster.api.registry.builtIn("", "pods"), pod, { namespace: "default" }) as Pod;
  } finally {
    remove();
    cluster.stop();
  }
}

describe("a webhook of the embedded cluster", () => {
  it("can refuse an object, in its own words", () => {
    const refused = (): Pod =>
      createPod(() => {
        throw new ApiError(403, "Forbidden", "not today");
      });
    assert.throws(refused, /not today/);
  });

  it("can change an object, after the built-in admission; what it adds gets its defaults", () => {
    const { spec } = createPod((draft) => {
      assert.equal(draft.spec?.priority, 0);
      draft.spec?.containers.push({ name: "sidecar", image: "example.com/sidecar:1" });
    });
    assert.deepEqual(
      spec?.containers.map(({ name, terminationMessagePath }) => [name, terminationMessagePath]),
      ["main", "sidecar"].map((name) => [name, "/dev/termination-log"]),
    );
  });
});
