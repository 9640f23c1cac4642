import assert from "node:assert/strict";
import { test } from "node:test";
import { makeUserData } from "../../../src/adapters/aws/user-data/make-user-data.ts";
import { readUserData } from "./read-user-data.ts";

test("machines understand what they are told, beside what the user says", () => {
  const made = makeUserData({
    family: "AL2023",
    clusterName: "c",
    facts: {
      endpoint: "https://c",
      caBundle: "Y2E=",
      serviceCidr: "10.0.0.0/16",
      dnsAddress: undefined,
      version: "1.34",
    },
    labels: new Map([["example.com/a", "b"]]),
    taints: [{ key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" }],
    kubelet: {
      config: {},
      maxPods: 29,
      clusterDns: [],
      kubeReserved: new Map([["cpu", "70m"]]),
      systemReserved: new Map(),
    },
    instanceStorePolicy: undefined,
    userData: "#!/bin/bash\necho hello",
    imageVersion: undefined,
  });
  assert.deepEqual(readUserData("text" in made ? made.text : made.problem), {
    clusterName: "c",
    endpoint: "https://c",
    labels: { "example.com/a": "b" },
    taints: [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }],
    maxPods: 29,
    kubeReserved: { cpu: "70m" },
  });
});
