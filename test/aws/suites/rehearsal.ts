// What a node class says of launches that were tried without launching, on an AWS endpoint.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { ClusterFactsSource } from "../../../src/adapters/aws/cluster-facts.ts";
import { Images } from "../../../src/adapters/aws/images/images.ts";
import { ManagedInstanceProfiles } from "../../../src/adapters/aws/instance-profiles/managed-instance-profiles.ts";
import { Rehearsal } from "../../../src/adapters/aws/launch/rehearsal.ts";
import { SecurityGroups } from "../../../src/adapters/aws/network/security-groups.ts";
import { NodeClassController } from "../../../src/adapters/aws/node-class-controller/node-class-controller.ts";
import { ec2NodeClasses } from "../../../src/core/api/karpenter-resources.ts";
import { systemClock as clock } from "../../../src/embedded/time/system-clock.ts";
import type { Wire } from "../../support/builders.ts";
import { ProviderBench } from "../provider-bench.ts";
import { control, openApi, region, seed, until } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

describe("the rehearsal of a launch", () => {
  let bench: ProviderBench;
  let controller: NodeClassController;
  const open = async (spec: Wire = {}): Promise<void> => {
    bench = await ProviderBench.open({ api, seeded: await seed(), spec });
    const { parts, settings, cluster, kube, telemetry } = bench;
    const { transport, random } = bench.embedded;
    const facts = { ...settings, eksControlPlane: true };
    const clusterFacts = new ClusterFactsSource({
      api,
      kube,
      transport,
      settings: facts,
      clientCaBundle: "",
      clock,
      telemetry,
    });
    await clusterFacts.discover();
    controller = new NodeClassController({
      ...parts,
      api,
      cluster,
      kube,
      clock,
      telemetry,
      settings,
      clusterFacts,
      queue: undefined,
      images: new Images({ api, clock, settings, telemetry, kubernetesVersion: () => clusterFacts.facts.version }),
      securityGroups: new SecurityGroups({ api, clock }),
      instanceProfiles: new ManagedInstanceProfiles({ api, clock, random, settings }),
      rehearsal: new Rehearsal({ ec2: api.ec2, region, cluster, settings, facts: () => clusterFacts.facts, ...parts }),
      launchTemplates: parts.templates,
    });
  };
  const told = async (): Promise<string> => {
    const answer = await bench.kube.get(ec2NodeClasses, { name: "default" });
    const { conditions } = (answer.ok ? (answer.object.status ?? {}) : {}) as {
      readonly conditions?: readonly Record<string, string>[];
    };
    const found = conditions?.find(({ type }) => type === "ValidationSucceeded");
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  };
  afterEach(async () => {
    await controller.stop();
    await bench.stop();
  });

  it("launches nothing, and its launch template goes with the node class", async () => {
    await open();
    controller.start();
    await until(async () => (await told()).startsWith("True"));
    assert.deepEqual(await control.instances(), []);
    assert.equal((await api.ec2.describeLaunchTemplates({})).length, 1);
    await bench.kube.delete(ec2NodeClasses, { name: "default" });
    await until(async () => !(await bench.kube.get(ec2NodeClasses, { name: "default" })).ok);
    assert.deepEqual(await api.ec2.describeLaunchTemplates({}), []);
  });

  for (const action of ["CreateLaunchTemplate", "CreateFleet", "RunInstances"]) {
    it(`names ${action} when the role lacks it`, async () => {
      await open();
      await control.deny(action);
      controller.start();
      await until(async () => (await told()).startsWith(`False ${action}AuthCheckFailed`));
      assert.match(await told(), new RegExp(`ec2:${action}`));
    });
  }

  it("tells that user data are too long, before anything is made", async () => {
    await open({ userData: `#!/bin/bash\n# ${"x".repeat(20_000)}\n` });
    controller.start();
    await until(async () => (await told()).startsWith("False UserDataSizeLimitExceeded"));
    assert.doesNotMatch(await told(), /xxx/);
    assert.deepEqual(await api.ec2.describeLaunchTemplates({}), []);
  });

  it("waits while EC2 is busy, and calls nothing wrong", async () => {
    await open();
    await control.throttle("CreateFleet");
    controller.start();
    await until(async () => (await told()).startsWith("Unknown AwaitingReconciliation"));
    await control.clearFaults();
    await until(async () => (await told()).startsWith("True"));
  });

  it("waits while AWS does not find the launch template that was just made", async () => {
    await open();
    await control.fail("CreateFleet", {
      code: "InvalidLaunchTemplateName.NotFoundException",
      message: "The specified launch template does not exist.",
      status: 400,
    });
    controller.start();
    await until(async () => (await told()).startsWith("Unknown AwaitingReconciliation"));
    await control.clearFaults();
    await until(async () => (await told()).startsWith("True"));
    assert.equal((await api.ec2.describeLaunchTemplates({})).length, 1);
  });

  it("says where credentials come from when AWS does not take them, and calls nothing wrong", async () => {
    await open();
    const message = "The security token included in the request is expired";
    await control.fail("CreateFleet", { code: "ExpiredToken", message, status: 403 });
    controller.start();
    await until(async () => /^Unknown .*is expired.*IRSA/.test(await told()));
    await control.clearFaults();
    await until(async () => (await told()).startsWith("True"));
  });
});
