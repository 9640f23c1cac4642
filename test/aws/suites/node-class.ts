// A node class from its creation to its end, on an embedded cluster and an AWS endpoint.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { ClusterFactsSource } from "../../../src/adapters/aws/cluster-facts.ts";
import { Images } from "../../../src/adapters/aws/images/images.ts";
import { ManagedInstanceProfiles } from "../../../src/adapters/aws/instance-profiles/managed-instance-profiles.ts";
import { SecurityGroups } from "../../../src/adapters/aws/network/security-groups.ts";
import { SubnetBook } from "../../../src/adapters/aws/network/subnet-book.ts";
import { NodeClassController } from "../../../src/adapters/aws/node-class-controller/node-class-controller.ts";
import { PlacementGroupBook } from "../../../src/adapters/aws/placement-groups/placement-group-book.ts";
import { Reservations } from "../../../src/adapters/aws/reservations/reservations.ts";
import { Observer } from "../../../src/controllers/observer/observer.ts";
import { customResourceDefinitions } from "../../../src/core/api/definitions/custom-resource-definitions.ts";
import { ec2NodeClasses } from "../../../src/core/api/karpenter-resources.ts";
import { ClusterState } from "../../../src/core/cluster/cluster-state.ts";
import { EmbeddedCluster } from "../../../src/embedded/cluster.ts";
import { systemClock as clock } from "../../../src/embedded/time/system-clock.ts";
import { KubeClient, orThrow } from "../../../src/runtime/kube-client.ts";
import type { Wire } from "../../support/builders.ts";
import { loadObjects } from "../../support/load-objects.ts";
import { RecordingTelemetry } from "../../support/recording-telemetry.ts";
import type { Seeded } from "../seed.ts";
import { control, openApi, region, seed, until } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

describe("a node class", () => {
  let seeded: Seeded;
  let stop: () => Promise<void>;
  let kube: KubeClient;
  beforeEach(async () => {
    seeded = await seed();
    const embedded = new EmbeddedCluster({ clock, seed: 1 });
    loadObjects(embedded, customResourceDefinitions as object[]);
    const { transport, random } = embedded;
    const cluster = new ClusterState();
    const telemetry = new RecordingTelemetry();
    const observer = new Observer(cluster, {
      transport,
      clock,
      random,
      log: telemetry.log,
      nodeClassKinds: [ec2NodeClasses],
      needsSelectors: false,
    });
    kube = new KubeClient({ transport, onWritten: (resource, object) => observer.apply(resource, object) });
    observer.start();
    await until(async () => observer.isSynced);
    const settings = {
      clusterName: seeded.clusterName,
      clusterEndpoint: "",
      clusterCaBundle: "",
      eksControlPlane: true,
      isolatedVpc: false,
      disableDryRun: false,
      isReservedCapacityEnabled: true,
      isNodeClassCelEnabled: false,
      reservedEnis: 0,
      subnetRefreshMilliseconds: 60_000,
      amiRefreshMilliseconds: 60_000,
    };
    const clusterFacts = new ClusterFactsSource({
      api,
      kube,
      transport,
      settings,
      clientCaBundle: "",
      clock,
      telemetry,
    });
    await clusterFacts.discover();
    const controller = new NodeClassController({
      api,
      cluster,
      kube,
      clock,
      telemetry,
      settings,
      clusterFacts,
      queue: undefined,
      images: new Images({ api, clock, settings, telemetry, kubernetesVersion: () => clusterFacts.facts.version }),
      reservations: new Reservations({ api, clock, log: telemetry.log }),
      placementGroups: new PlacementGroupBook({ api, clock }),
      subnets: new SubnetBook({ api, clock, settings }),
      securityGroups: new SecurityGroups({ api, clock }),
      instanceProfiles: new ManagedInstanceProfiles({ api, clock, random, settings }),
      catalogue: { version: 0, list: () => [], facts: () => undefined },
      rehearsal: { rehearse: async () => ({ kind: "allowed" }) },
      launchTemplates: { removeAllOf: async () => {} },
    });
    controller.start();
    stop = async () => {
      await controller.stop();
      observer.stop();
      embedded.stop();
    };
  });
  afterEach(() => stop());

  async function create(name: string, spec: Wire = {}): Promise<void> {
    const terms = [{ tags: { "karpenter.sh/discovery": seeded.clusterName } }];
    const body = {
      apiVersion: "karpenter.k8s.aws/v1",
      kind: "EC2NodeClass",
      metadata: { name },
      spec: {
        role: seeded.roleName,
        amiSelectorTerms: [{ alias: "al2023@latest" }],
        subnetSelectorTerms: terms,
        securityGroupSelectorTerms: terms,
        ...spec,
      },
    };
    orThrow(await kube.create(ec2NodeClasses, body), `create ${name}`);
  }

  async function status(name: string): Promise<Status> {
    const answer = await kube.get(ec2NodeClasses, { name });
    return answer.ok ? ((answer.object.status ?? {}) as Status) : {};
  }

  async function condition(name: string, type: string): Promise<string> {
    const found = (await status(name)).conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  }

  it("finds everything in the account, and leaves nothing there", async () => {
    await create("default");
    await until(async () => (await condition("default", "Ready")).startsWith("True"));
    const { subnets, amis, securityGroups, instanceProfile = "" } = await status("default");
    assert.deepEqual(subnets?.map(({ id }) => id).sort(), Object.values(seeded.subnetIds).sort());
    assert.deepEqual(
      securityGroups?.map(({ id }) => id),
      [...seeded.securityGroupIds].sort(),
    );
    assert.deepEqual(new Set(amis?.map(({ id }) => id)), new Set(Object.values(seeded.imageIds)));
    assert.notEqual(await api.iam.getInstanceProfile(instanceProfile), undefined);
    await kube.delete(ec2NodeClasses, { name: "default" });
    await until(async () => !(await kube.get(ec2NodeClasses, { name: "default" })).ok);
    assert.deepEqual(await api.iam.listInstanceProfiles("/"), []);
  });

  for (const [what, spec, type, expected] of [
    [
      "subnets",
      { subnetSelectorTerms: [{ tags: { a: "b" } }] },
      "SubnetsReady",
      `False SubnetsNotFound: no subnet matches subnetSelectorTerms [{"tags":{"a":"b"}}] in ${region}: tag a subnet so, or correct the terms`,
    ],
    [
      "security groups",
      { securityGroupSelectorTerms: [{ name: "nobody" }] },
      "SecurityGroupsReady",
      `False SecurityGroupsNotFound: no security group matches securityGroupSelectorTerms [{"name":"nobody"}] in ${region}: tag a security group so, or correct the terms`,
    ],
    [
      "images",
      { amiSelectorTerms: [{ alias: "al2023@v19990101" }] },
      "AMIsReady",
      /^False AMINotFound: .*al2023@v19990101/,
    ],
    ["a role", { role: "nobody" }, "InstanceProfileReady", /^False RoleNotFound: IAM has no role "nobody": create it/],
    [
      "a placement group",
      { placementGroupSelector: { name: "nobody" } },
      "PlacementGroupReady",
      /^False PlacementGroupNotFound: .*nobody/,
    ],
  ] as const) {
    it(`says that it lacks ${what}, and others go on`, async () => {
      await create("poor", spec);
      await create("rich");
      await until(async () => (await condition("rich", "Ready")).startsWith("True"));
      await until(async () => (await condition("poor", "Ready")).startsWith("False"));
      const told = await condition("poor", type);
      if (typeof expected === "string") assert.equal(told, expected);
      else assert.match(told, expected);
    });
  }

  for (const [action, type] of [
    ["DescribeSubnets", "SubnetsReady"],
    ["DescribeSecurityGroups", "SecurityGroupsReady"],
    ["DescribeImages", "AMIsReady"],
    ["CreateInstanceProfile", "InstanceProfileReady"],
    ["DescribeCluster", "ValidationSucceeded"],
  ] as const) {
    it(`names ${action} when the role lacks it, and goes on once it may`, async () => {
      const message = `User: arn:x is not authorized to perform: test:${action} on resource: y`;
      await control.fail(action, { code: "AccessDenied", message, status: 403 });
      await create("default");
      await until(async () => (await condition("default", type)).includes(`may not call test:${action}: allow it`));
      assert.match(await condition("default", "Ready"), /^False/);
      await control.clearFaults();
      await until(async () => (await condition("default", "Ready")).startsWith("True"));
    });
  }

  it("says where credentials come from when AWS does not take them", async () => {
    await control.fail("*", {
      code: "ExpiredToken",
      message: "The security token included in the request is expired",
      status: 403,
    });
    await create("default");
    await until(async () => /CredentialsRejected.*is expired.*IRSA/.test(await condition("default", "SubnetsReady")));
    await control.clearFaults();
    await until(async () => (await condition("default", "Ready")).startsWith("True"));
  });
});

interface Status extends Wire {
  readonly conditions?: readonly Record<string, string>[];
  readonly subnets?: readonly { readonly id: string }[];
  readonly amis?: readonly { readonly id: string }[];
  readonly securityGroups?: readonly { readonly id: string }[];
  readonly instanceProfile?: string;
}
