// Holds that claims become machines of EC2: one each, whatever AWS says or does not say.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { ProviderBench } from "../provider-bench.ts";
import { control, openApi, seed } from "../stage.ts";

let api: AwsApi;
let bench: ProviderBench;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(async () => {
  bench = await ProviderBench.open({ api, seeded: await seed() });
});
afterEach(() => bench.stop());

const only = (key: string, ...values: string[]) => ({ key, operator: "In", values });
const onDemand = only("karpenter.sh/capacity-type", "on-demand");
const types = (...names: string[]) => only("node.kubernetes.io/instance-type", ...names);
const zones = (...letters: string[]) => only("topology.kubernetes.io/zone", ...letters.map((one) => `us-west-2${one}`));

async function liveInstances() {
  return (await control.instances()).filter(({ state }) => state === "running" || state === "pending");
}

describe("a launch", () => {
  it("makes one machine that says whose it is, and tells what it is", async () => {
    const claim = await bench.createClaim("default-1", {
      labels: { team: "a" },
      requirements: [onDemand, types("m5.large"), zones("b")],
      resources: { requests: { cpu: "1" } },
    });
    const instance = await bench.launch(claim);
    const [machine, ...others] = await liveInstances();
    assert.deepEqual(others, []);
    assert.ok(machine);
    assert.equal(instance.providerId, `aws:///us-west-2b/${machine.id}`);
    assert.equal(machine.tags["karpenter.sh/nodeclaim"], "default-1");
    assert.equal(machine.tags["karpenter.sh/nodepool"], "default");
    assert.equal(machine.tags["karpenter.k8s.aws/ec2nodeclass"], "default");
    assert.equal(machine.tags[`kubernetes.io/cluster/${bench.settings.clusterName}`], "owned");
    assert.equal(machine.imageId, instance.imageId);
    assert.match(machine.userData, /NodeConfig/);
    assert.match(machine.userData, /team=a/);
    const told = [
      "node.kubernetes.io/instance-type",
      "topology.kubernetes.io/zone",
      "topology.k8s.aws/zone-id",
      "karpenter.sh/capacity-type",
      "kubernetes.io/arch",
      "karpenter.k8s.aws/instance-family",
      "karpenter.k8s.aws/instance-tenancy",
    ].map((key) => instance.labels.get(key));
    const expected = ["m5.large", "us-west-2b", "id-of-us-west-2b", "on-demand", "amd64", "m5", "default"];
    assert.deepEqual(told, expected);
    assert.equal(instance.allocatable.get("cpu"), 1930);
    assert.equal(instance.capacity.get("pods"), 29);
  });
});
