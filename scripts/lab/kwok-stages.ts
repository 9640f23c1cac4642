import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { moduleFolder } from "./binaries.ts";

/** Pods that have something to do before they stop take the whole of their grace period, as with a real kubelet. */
const deletion = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-delete}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: Exists}
    - {key: '.spec.containers.[].lifecycle.preStop', operator: DoesNotExist}
  next: {finalizers: {empty: true}, delete: true}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-delete-after-pre-stop}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: Exists}
    - {key: '.spec.containers.[].lifecycle.preStop', operator: Exists}
  delay:
    durationMilliseconds: 0
    durationFrom: {expressionFrom: '.metadata.deletionTimestamp'}
  next: {finalizers: {empty: true}, delete: true}
`;

/** Pods with this label never get ready. A stage with a weight comes before those without. */
const unreadiness = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-unhealthy}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  weight: 1
  selector:
    matchLabels: {kwok.x-k8s.io/stage: unhealthy}
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: DoesNotExist}
    - {key: '.status.podIP', operator: DoesNotExist}
  next:
    statusTemplate: |
      {{ $now := Now | Quote }}
      phase: Running
      startTime: {{ $now }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}
      conditions:
      - {type: Initialized, status: "True", lastTransitionTime: {{ $now }}}
      - {type: Ready, status: "False", lastTransitionTime: {{ $now }}}
      - {type: ContainersReady, status: "False", lastTransitionTime: {{ $now }}}
`;

/** kwok's own stages for nodes and pods that are ready at once, except that pods end, and some never get ready, as above. */
export async function readKwokStages(): Promise<string> {
  const folder = join(await moduleFolder("kwok"), "kustomize/stage");
  const texts = await Promise.all(
    ["node/fast", "node/heartbeat-with-lease", "pod/fast"].map(async (part) => {
      const names = await readdir(join(folder, part));
      const files = names.filter((name) => /^(node|pod)-.*\.yaml$/.test(name) && name !== "pod-delete.yaml");
      return await Promise.all(files.map((name) => readFile(join(folder, part, name), "utf8")));
    }),
  );
  return [...texts.flat(), deletion, unreadiness].join("\n---\n");
}
