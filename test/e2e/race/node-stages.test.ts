import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { withNotReadyNodes } from "./node-stages.ts";

const stages = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-initialize}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector: {matchExpressions: [{key: .status.phase, operator: DoesNotExist}]}
  next:
    statusTemplate: |
      {{ $now := Now }}
      {{ $lastTransitionTime := or .metadata.creationTimestamp $now }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-ready}
spec: {next: {}}
`;

const ready = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const read = (text: string) => parseAllDocuments(text).map((document) => document.toJS());

test("a node is NotReady as soon as it joins, and Ready only after that", () => {
  const [initialize, podReady, joins] = read(withNotReadyNodes(stages, { isSlow: false }));
  assert.deepEqual(podReady, read(stages)[1]);
  assert.deepEqual(joins.spec.selector, { matchExpressions: [{ key: ready, operator: "DoesNotExist" }] });
  assert.match(joins.spec.next.statusTemplate, /type: Ready, status: "False"/);
  assert.deepEqual(initialize.spec, {
    resourceRef: { apiGroup: "v1", kind: "Node" },
    selector: {
      matchExpressions: [
        { key: ready, operator: "Exists" },
        { key: ready, operator: "NotIn", values: ["True"] },
      ],
    },
    next: { statusTemplate: "{{ $now := Now }}\n{{ $lastTransitionTime := $now }}\n" },
  });
});

test("a slow node is Ready at a time that changes of the node do not move", () => {
  const [initialize] = read(withNotReadyNodes(stages, { isSlow: true }));
  assert.deepEqual(initialize.spec.delay, {
    durationMilliseconds: 0,
    durationFrom: {
      expressionFrom: ".metadata | ((.creationTimestamp | fromdate) + 3 + (.uid | explode | add) % 28) | todate",
    },
  });
});

test("stages without the one that makes nodes Ready are refused", () => {
  assert.throws(() => withNotReadyNodes("kind: Stage\nmetadata: {name: x}\n", { isSlow: false }), /node-initialize/);
});
