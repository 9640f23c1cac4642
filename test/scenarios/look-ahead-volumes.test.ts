import { describe, it } from "node:test";
import { minute, play, refuse, reviewPods, running } from "./look-ahead-stage.ts";
import { type Manifest, statefulSet, storageClass } from "./manifests.ts";

const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };
const defaultClass = { ...storageClass, metadata: { ...storageClass.metadata, annotations: isDefault } };

/** Twelve pods, all at once. */
function database(ofClass: { readonly storageClassName?: string }): Manifest {
  const set = structuredClone(statefulSet("db", 12, { cpu: "1" })) as { spec: Template } & Manifest;
  for (const claim of set.spec.volumeClaimTemplates) {
    delete claim.spec.storageClassName;
    Object.assign(claim.spec, ofClass);
  }
  return set;
}

interface Template {
  readonly volumeClaimTemplates: readonly { readonly spec: { storageClassName?: string } }[];
}

describe("a Parallel StatefulSet whose claims a quota limits", () => {
  for (const hard of [
    { persistentvolumeclaims: "6" },
    { "requests.storage": "6Gi" },
    { "disks.storageclass.storage.k8s.io/requests.storage": "6.5Gi" },
  ]) {
    it(`has machines bought for the six pods that can have their claim: ${Object.keys(hard)}`, () =>
      play({ podsPerSecond: 2, bootSeconds: 30 }, async ({ story, purchases }) => {
        const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "six", namespace: "default" } };
        story.whole.cluster.addWebhook((_, { plural }, old) => {
          const claims = story.whole.list("v1", "PersistentVolumeClaim");
          if (plural === "persistentvolumeclaims" && old === undefined && claims.length >= 6) refuse("exceeded quota");
        });
        story.whole.load(defaultClass, { ...quota, spec: { hard } }, database({}));
        story.whole.start();
        await story.pass(minute);
        story.expect([running(story), purchases.count], [6, 2]);
      }));
  }
});

describe("a Parallel StatefulSet of which two pods exist", () => {
  for (const [what, ofClass] of [
    ["its own storage class", { storageClassName: "disks" }],
    ["the default storage class", {}],
  ] as const) {
    it(`has the machines of all its pods bought at once with ${what}`, () =>
      play({ bootSeconds: 30 }, async ({ story, purchases }) => {
        let admitted = 0;
        reviewPods(story, "db", () => {
          if (++admitted > 2) refuse("wait");
        });
        story.whole.load(defaultClass, database(ofClass));
        story.whole.start();
        await story.pass(8_000);
        story.expect([story.pods.length, purchases.count], [2, 4]);
      }));
  }
});
