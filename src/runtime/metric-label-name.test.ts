import assert from "node:assert/strict";
import { test } from "node:test";
import { fullMetricLabel, shortMetricLabel } from "./metric-label-name.ts";

test("a label of an object becomes the label of a metric", () => {
  assert.equal(shortMetricLabel("node.kubernetes.io/windows-build"), "windows_build");
  assert.equal(shortMetricLabel("plain"), "plain");
  assert.equal(fullMetricLabel("karpenter.k8s.aws/ec2nodeclass"), "karpenter_k8s_aws_ec2nodeclass");
});
