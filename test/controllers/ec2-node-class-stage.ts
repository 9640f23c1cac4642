import type { SecurityGroup, Subnet } from "@aws-sdk/client-ec2";
import type { LaunchRehearsal, RehearsalOutcome } from "../../src/adapters/aws/aws-parts.ts";
import { ManagedInstanceProfiles } from "../../src/adapters/aws/instance-profiles/managed-instance-profiles.ts";
import type { ObservedQueueHealth } from "../../src/adapters/aws/interruption/queue-health.ts";
import { SecurityGroups } from "../../src/adapters/aws/network/security-groups.ts";
import { SubnetBook } from "../../src/adapters/aws/network/subnet-book.ts";
import type { Ec2NodeClass, StatusImage, StatusReservation } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { NodeClassController } from "../../src/adapters/aws/node-class-controller/node-class-controller.ts";
import { NodeClassHashStamper } from "../../src/adapters/aws/node-class-controller/node-class-hash-stamper.ts";
import { Observer } from "../../src/controllers/observer/observer.ts";
import { ec2NodeClasses, nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import { orThrow } from "../../src/runtime/kube-client.ts";
import type { KubeObject } from "../../src/runtime/kube-object.ts";
import type { Wire } from "../support/builders.ts";
import { ControllerBench } from "../support/controller-bench.ts";
import { MemoryIam } from "../support/memory-iam.ts";

const region = "us-west-2";
const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  isNamespaced: false,
};
const nodeClassRef = { group: ec2NodeClasses.group, kind: ec2NodeClasses.kind };

const image: StatusImage = {
  id: "ami-1",
  name: "al2023",
  deprecated: false,
  requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"], minValues: undefined }],
};

/** An account as a node class sees it, in which a test changes what it likes. */
class StageAccount {
  readonly iam = new MemoryIam();
  subnets: Subnet[] = [
    {
      SubnetId: "subnet-1",
      AvailabilityZone: "us-west-2a",
      AvailabilityZoneId: "usw2-az1",
      AvailableIpAddressCount: 9,
    },
    {
      SubnetId: "subnet-2",
      AvailabilityZone: "us-west-2b",
      AvailabilityZoneId: "usw2-az2",
      AvailableIpAddressCount: 99,
    },
  ];
  securityGroups: SecurityGroup[] = [
    { GroupId: "sg-2", GroupName: "nodes" },
    { GroupId: "sg-1", GroupName: "cluster" },
  ];
  /** Each is asked anew; what throws fails. */
  images: (nodeClass: Ec2NodeClass) => readonly StatusImage[] = () => [image];
  reservations: () => readonly StatusReservation[] = () => [];
  hasPlacementGroup = false;
  serviceCidr: () => void = () => {};
  rehearsal: (nodeClass: Ec2NodeClass) => RehearsalOutcome = () => ({ kind: "allowed" });
  /** By the tag `team` of its terms. */
  networkFailures = new Map<string, Error>();
  rehearsals = 0;
  readonly removedTemplates: string[] = [];
  /** Undefined when no queue is to be followed. */
  queue: ObservedQueueHealth | undefined;
}

/** The controller of node classes on an embedded cluster, with an account in memory. */
export class Ec2NodeClassStage extends ControllerBench {
  readonly account = new StageAccount();
  override readonly observer = new Observer(this.cluster, {
    transport: this.transport,
    clock: this.clock,
    random: this.random,
    log: this.telemetry.log,
    nodeClassKinds: [ec2NodeClasses],
    needsSelectors: false,
  });

  static async open(): Promise<Ec2NodeClassStage> {
    const stage = new Ec2NodeClassStage();
    stage.account.iam.roles.add("node-role");
    await stage.observe();
    return stage;
  }

  controller(
    changes: { readonly isReservedCapacityEnabled?: boolean; readonly disableDryRun?: boolean; version?: string } = {},
  ): NodeClassController {
    const { account, clock, cluster, kube, telemetry, random } = this;
    const { version = "1.36", ...settings } = changes;
    const rehearsal: LaunchRehearsal = {
      rehearse: async (nodeClass) => {
        account.rehearsals++;
        return account.rehearsal(nodeClass);
      },
    };
    const failFor = (filters: readonly { Values?: string[] | undefined }[] = []): void => {
      const failure = account.networkFailures.get(filters[0]?.Values?.[0] ?? "");
      if (failure !== undefined) throw failure;
    };
    const ec2 = {
      describeSubnets: async ({ Filters }: { Filters?: { Values?: string[] | undefined }[] | undefined }) => {
        failFor(Filters);
        return account.subnets;
      },
      describeSecurityGroups: async () => account.securityGroups,
    };
    return this.run(
      new NodeClassController({
        cluster,
        kube,
        clock,
        telemetry,
        api: { region },
        queue: account.queue,
        settings: {
          clusterName: "prod",
          isolatedVpc: false,
          disableDryRun: false,
          isReservedCapacityEnabled: true,
          isNodeClassCelEnabled: false,
          reservedEnis: 0,
          ...settings,
        },
        images: { find: async (nodeClass) => account.images(nodeClass) },
        reservations: { find: async () => account.reservations() },
        placementGroups: {
          version: 0,
          known: () => "unknown",
          find: async () =>
            account.hasPlacementGroup ? { id: "pg-1", name: "a", strategy: "cluster", partitions: 0 } : undefined,
        },
        subnets: new SubnetBook({ api: { ec2 }, clock, settings: { subnetRefreshMilliseconds: 60_000 } }),
        securityGroups: new SecurityGroups({ api: { ec2 }, clock }),
        instanceProfiles: new ManagedInstanceProfiles({
          api: { region, iam: account.iam },
          clock,
          random,
          settings: { clusterName: "prod" },
        }),
        clusterFacts: {
          facts: { version },
          resolveServiceCidr: async () => account.serviceCidr(),
        },
        catalogue: { version: 0, list: () => [], facts: () => undefined },
        rehearsal,
        launchTemplates: { removeAllOf: async ({ name }) => void account.removedTemplates.push(name) },
      }),
    );
  }

  stamper(caBundle = "Y2E="): NodeClassHashStamper {
    const { clock, cluster, kube, telemetry } = this;
    return this.run(
      new NodeClassHashStamper({ cluster, kube, clock, telemetry, clusterFacts: { facts: { caBundle } } }),
    );
  }

  async create(name: string, spec: Wire = {}, metadata: Wire = {}): Promise<void> {
    const body = {
      apiVersion: "karpenter.k8s.aws/v1",
      kind: "EC2NodeClass",
      metadata: { name, ...metadata },
      spec: {
        role: "node-role",
        amiSelectorTerms: [{ alias: "al2023@latest" }],
        subnetSelectorTerms: [{ tags: { team: "a" } }],
        securityGroupSelectorTerms: [{ tags: { team: "a" } }],
        ...spec,
      },
    };
    orThrow(await this.user.create(ec2NodeClasses, body), `create ${name}`);
    await this.clock.advance(100);
  }

  /** As if somebody had installed a definition that lets everything pass. */
  async loosenDefinition(): Promise<void> {
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const body = [{ op: "replace", path: "/spec/versions/0/schema", value: { openAPIV3Schema } }];
    const name = `${ec2NodeClasses.plural}.${ec2NodeClasses.group}`;
    orThrow(await this.user.patch(definitions, { name }, { kind: "json", body }), "loosen the definition");
    await this.clock.advance(10_000);
  }

  async patch(name: string, body: object): Promise<void> {
    orThrow(await this.user.patch(ec2NodeClasses, { name }, { body }), `patch ${name}`);
    await this.clock.advance(100);
  }

  async createClaim(name: string, nodeClass: string, annotations: Wire = {}): Promise<void> {
    const body = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, annotations },
      spec: { nodeClassRef: { ...nodeClassRef, name: nodeClass }, requirements: [] },
    };
    orThrow(await this.user.create(nodeClaims, body), `create claim ${name}`);
    await this.clock.advance(100);
  }

  /** Undefined when it is gone. */
  async read(name: string): Promise<KubeObject | undefined> {
    const answer = await this.user.get(ec2NodeClasses, { name });
    return answer.ok ? answer.object : undefined;
  }

  async version(name: string): Promise<string | undefined> {
    return (await this.read(name))?.metadata.resourceVersion;
  }

  async status(name: string): Promise<Wire> {
    return ((await this.read(name))?.status ?? {}) as Wire;
  }

  /** As in `SubnetsReady=False SubnetsNotFound: no subnet …`; only those that are not True unless `Ready`. */
  async conditions(name: string): Promise<string[]> {
    const { conditions = [] } = (await this.status(name)) as { conditions?: Record<string, string>[] };
    return conditions
      .filter(({ type, status }) => status !== "True" || type === "Ready")
      .map(({ type, status, reason, message }) =>
        reason === type ? `${type}=${status}` : `${type}=${status} ${reason}: ${message}`,
      )
      .sort();
  }

  get errors(): string[] {
    return this.telemetry.lines
      .filter(({ level }) => level === "error")
      .map(({ message, fields }) => `${message} ${String(fields.key)}: ${(fields.error as Error)?.message}`);
  }
}
