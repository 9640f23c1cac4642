// Holds that machines of EC2 are found, ended and tagged, few calls for many of them.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { nodeClaims } from "../../../src/core/api/karpenter-resources.ts";
import type { Instance } from "../../../src/ports/cloud-provider.ts";
import { orThrow } from "../../../src/runtime/kube-client.ts";
import { claimOf } from "../../support/kwok-stage.ts";
import { ProviderBench } from "../provider-bench.ts";
import { control, openApi, seed, until } from "../stage.ts";

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

const launchM5 = {
  requirements: [
    { key: "node.kubernetes.io/instance-type", operator: "In", values: ["m5.large"] },
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
  ],
};

function launchMany(count: number): Promise<readonly Instance[]> {
  const names = Array.from({ length: count }, (_, i) => `default-${i}`);
  return Promise.all(names.map(async (name) => bench.launch(await bench.createClaim(name, launchM5))));
}

describe("machines", () => {
  it("are asked for together, those that are gone among them", async () => {
    const instances = await launchMany(20);
    await control.endInstances([instances[0]?.providerId.split("/").at(-1) ?? ""]);
    await control.clearCalls();
    const ids = [...instances.map(({ providerId }) => providerId), "aws:///us-west-2a/i-0123456789abcdef0"];
    const found = await Promise.all(ids.map((id) => bench.provider.find(id)));
    assert.deepEqual(
      found.map((instance) => instance !== undefined && !instance.isTerminating),
      [false, ...Array(19).fill(true), false],
    );
    assert.ok((await control.calls("DescribeInstances")).length <= 2);
  });

  it("are ended together", async () => {
    const instances = await launchMany(20);
    await control.clearCalls();
    await Promise.all(instances.map((instance) => bench.provider.terminate(instance)));
    assert.equal((await control.calls("TerminateInstances")).length, 1);
    const gone = await Promise.all(instances.map((instance) => bench.provider.terminate(instance)));
    assert.deepEqual(new Set(gone), new Set(["gone"]));
    assert.equal((await control.calls("TerminateInstances")).length, 1);
  });

  it("are terminating until they are gone", async () => {
    await control.setTiming({ stoppingMilliseconds: 700 });
    const [instance] = (await launchMany(1)) as [Instance];
    assert.equal(await bench.provider.terminate(instance), "terminating");
    assert.equal(await bench.provider.terminate(instance), "terminating");
    assert.equal((await bench.provider.find(instance.providerId))?.isTerminating, true);
    await new Promise((resolve) => setTimeout(resolve, 800));
    assert.equal(await bench.provider.terminate(instance), "gone");
  });

  it("are left alone in a zone that is shifted away", async () => {
    const [instance] = (await launchMany(1)) as [Instance];
    bench.shifted.add(instance.labels.get("topology.k8s.aws/zone-id") ?? "");
    await assert.rejects(bench.provider.terminate(instance), /shifted away/);
  });

  it("say which call was refused when they cannot be ended", async () => {
    const [instance] = (await launchMany(1)) as [Instance];
    await control.deny("TerminateInstances");
    await assert.rejects(bench.provider.terminate(instance), /ec2:TerminateInstances/);
    const failures = 'cloudprovider_instance_termination_failures_total{zone="us-west-2a",zone_id="id-of-us-west-2a"}';
    assert.ok(
      bench.telemetry.numbers.has(failures) ||
        [...bench.telemetry.numbers.keys()].join().includes("termination_failures"),
    );
  });

  it("are known from their launch on, before AWS lists them", async () => {
    await control.setTiming({ hiddenCalls: 3 });
    const [instance] = (await launchMany(1)) as [Instance];
    assert.deepEqual(
      (await bench.provider.list()).map(({ providerId }) => providerId),
      [instance.providerId],
    );
    assert.equal((await bench.provider.find(instance.providerId))?.claimName, "default-0");
  });

  it("are tagged with their node and their claim once the node has joined", async () => {
    const claims = await Promise.all(["default-a", "default-b"].map((name) => bench.createClaim(name, launchM5)));
    const [first] = await Promise.all(claims.map((claim) => bench.launch(claim)));
    const claim = claims[0];
    assert.ok(claim && first);
    await bench.record(claim, first);
    await bench.patchStatus("default-a", { nodeName: "ip-10-0-0-1" });
    await until(async () => {
      const wire = orThrow(await bench.kube.get(nodeClaims, { name: "default-a" }), "read the claim");
      return claimOf(wire).annotations.get("karpenter.k8s.aws/tagged") === "true";
    });
    const machine = (await control.instances()).find(({ id }) => first.providerId.endsWith(id));
    assert.equal(machine?.tags.Name, "ip-10-0-0-1");
    assert.equal(machine?.tags["karpenter.sh/nodeclaim"], "default-a");
    const names = (await bench.provider.list()).map(({ claimName }) => claimName).sort();
    assert.deepEqual(names, ["default-a", "default-b"]);
  });
});
