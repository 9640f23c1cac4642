import type { AwsApi } from "../../src/adapters/aws/api/aws-api.ts";
import { AwsProvider } from "../../src/adapters/aws/aws-provider.ts";
import type { AwsSettings } from "../../src/adapters/aws/aws-settings.ts";
import { Ec2Catalogue } from "../../src/adapters/aws/instance-types/ec2-catalogue.ts";
import { TemplateStore } from "../../src/adapters/aws/launch-templates/template-store.ts";
import { SubnetBook } from "../../src/adapters/aws/network/subnet-book.ts";
import type { Ec2NodeClass } from "../../src/adapters/aws/node-class/ec2-node-class.ts";
import { NodeClasses } from "../../src/adapters/aws/node-class/node-classes.ts";
import { RecentlyUnavailable } from "../../src/adapters/aws/offerings/unavailable-offerings.ts";
import { PlacementGroupBook } from "../../src/adapters/aws/placement-groups/placement-group-book.ts";
import { PriceBook } from "../../src/adapters/aws/pricing/price-book.ts";
import { Reservations } from "../../src/adapters/aws/reservations/reservations.ts";
import { Observer } from "../../src/controllers/observer/observer.ts";
import { customResourceDefinitions } from "../../src/core/api/definitions/custom-resource-definitions.ts";
import { ec2NodeClasses, nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import { terminationFinalizer } from "../../src/core/api/write-node-claim.ts";
import { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";
import type { Instance, LaunchOutcome } from "../../src/ports/cloud-provider.ts";
import { KubeClient, orThrow } from "../../src/runtime/kube-client.ts";
import { claimOf } from "../support/kwok-stage.ts";
import { loadObjects } from "../support/load-objects.ts";
import { RecordingTelemetry } from "../support/recording-telemetry.ts";
import { remembering } from "./remembering.ts";
import type { Seeded } from "./seed.ts";

export const facts = {
  endpoint: "https://cluster.example",
  caBundle: "Y2E=",
  dnsAddress: "10.100.0.10",
  version: "1.34",
  serviceCidr: "10.100.0.0/16",
};

export const poolName = "default";

export interface BenchOptions {
  readonly api: AwsApi;
  readonly seeded: Seeded;
  /** Of the node class. */
  readonly spec?: Record<string, unknown>;
  readonly settings?: Partial<AwsSettings>;
}

/** A cluster with a node class that is ready, and the provider on an AWS endpoint for tests. */
export class ProviderBench {
  readonly clock = systemClock;
  readonly telemetry = new RecordingTelemetry();
  readonly embedded = new EmbeddedCluster({ clock: systemClock, seed: 1 });
  readonly cluster = new ClusterState();
  readonly kube: KubeClient;
  readonly nodeClassRef = { group: ec2NodeClasses.group, kind: ec2NodeClasses.kind, name: "default" };
  readonly settings: AwsSettings;
  readonly #options: BenchOptions;
  readonly #observer: Observer;
  #provider: AwsProvider | undefined;
  #parts: ReturnType<ProviderBench["makeParts"]> | undefined;

  private constructor(options: BenchOptions) {
    this.#options = options;
    this.settings = { ...defaultSettings(options.seeded), ...options.settings };
    this.#observer = new Observer(this.cluster, {
      transport: this.embedded.transport,
      clock: this.clock,
      random: this.embedded.random,
      log: this.telemetry.log,
      nodeClassKinds: [ec2NodeClasses],
      needsSelectors: false,
    });
    this.kube = new KubeClient({
      transport: this.embedded.transport,
      onWritten: (resource, object) => this.#observer.apply(resource, object),
    });
  }

  static async open(options: BenchOptions): Promise<ProviderBench> {
    const bench = new ProviderBench(options);
    loadObjects(bench.embedded, [...(customResourceDefinitions as object[]), pool, bench.#nodeClass()]);
    bench.#observer.start();
    while (!bench.#observer.isSynced) await new Promise((resolve) => setTimeout(resolve, 5));
    await options.api.iam.createInstanceProfile({ InstanceProfileName: "nodes" });
    await bench.#open();
    return bench;
  }

  get provider(): AwsProvider {
    if (this.#provider === undefined) throw new Error("the bench is not open");
    return this.#provider;
  }

  get parts(): ReturnType<ProviderBench["makeParts"]> {
    if (this.#parts === undefined) throw new Error("the bench is not open");
    return this.#parts;
  }

  get nodeClass(): Ec2NodeClass {
    const nodeClass = this.parts.nodeClasses.get("default");
    if (nodeClass === undefined) throw new Error("there is no node class");
    return nodeClass;
  }

  /** Another process takes over, which knows nothing but what AWS and the API say. */
  async crash(): Promise<void> {
    await this.provider.stop();
    await this.#open();
  }

  async createClaim(name: string, fields: Record<string, unknown> = {}): Promise<NodeClaim> {
    const { labels, annotations, finalizers, ...spec } = fields;
    const body = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name, labels: { "karpenter.sh/nodepool": poolName, ...(labels as object) }, annotations, finalizers },
      spec: { nodeClassRef: this.nodeClassRef, requirements: [], ...spec },
    };
    const created = orThrow(await this.kube.create(nodeClaims, body), `create claim ${name}`);
    if (finalizers !== undefined) return claimOf(created);
    // As the launcher does before it asks for a machine.
    const prepared = { metadata: { finalizers: [terminationFinalizer] } };
    return claimOf(orThrow(await this.kube.patch(nodeClaims, { name }, { body: prepared }), `prepare claim ${name}`));
  }

  async launch(claim: NodeClaim): Promise<Instance> {
    const outcome: LaunchOutcome = await this.provider.launch(claim);
    if (outcome.kind !== "launched") throw new Error(JSON.stringify(outcome));
    return outcome.instance;
  }

  /** Writes on the claim what the launcher does. */
  async record(claim: NodeClaim, instance: Instance): Promise<NodeClaim> {
    const { name } = claim;
    const metadata = {
      labels: Object.fromEntries(instance.labels),
      annotations: Object.fromEntries(instance.annotations),
    };
    orThrow(await this.kube.patch(nodeClaims, { name }, { body: { metadata } }), `label claim ${name}`);
    return this.patchStatus(name, { providerID: instance.providerId, imageID: instance.imageId });
  }

  async patchStatus(name: string, status: object): Promise<NodeClaim> {
    const target = { name, subresource: "status" } as const;
    return claimOf(orThrow(await this.kube.patch(nodeClaims, target, { body: { status } }), `change claim ${name}`));
  }

  async patchNodeClass(body: object, subresource?: "status"): Promise<void> {
    const target = subresource === undefined ? { name: "default" } : { name: "default", subresource };
    orThrow(await this.kube.patch(ec2NodeClasses, target, { body }), "change the node class");
  }

  /** Lets machines boot, or go. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 400));
  }

  async stop(): Promise<void> {
    await this.provider.stop();
    this.#observer.stop();
    this.embedded.stop();
  }

  async #open(): Promise<void> {
    this.#parts = this.makeParts();
    const { api } = this.#options;
    await this.#parts.catalogue.refresh();
    await this.#parts.subnets.find(this.nodeClass);
    await this.#parts.reservations.find(this.nodeClass);
    this.#provider = new AwsProvider({
      api,
      kube: this.kube,
      cluster: this.cluster,
      clock: this.clock,
      random: Math.random,
      telemetry: this.telemetry,
      settings: this.settings,
      facts: () => facts,
      ...this.#parts,
    });
    await this.#provider.resume();
  }

  makeParts() {
    const { api } = this.#options;
    const { clock, telemetry, settings, cluster } = this;
    const { log } = telemetry;
    const unavailable = new RecentlyUnavailable({ clock, log });
    const reservations = new Reservations({ api, clock, log });
    const placementGroups = new PlacementGroupBook({ api, clock });
    const shiftedZones = { version: 0, has: (zoneId: string) => this.shifted.has(zoneId) };
    const prices = new PriceBook({ api, settings, clock, log });
    const market = { prices, unavailable, reservations, shiftedZones };
    return {
      unavailable,
      reservations,
      placementGroups,
      shiftedZones,
      prices,
      nodeClasses: new NodeClasses({ cluster, log }),
      subnets: new SubnetBook({ api, clock, settings }),
      userDataSizes: { note: () => {} },
      templates: new TemplateStore({ ec2: api.ec2, clusterName: settings.clusterName, clock, log }),
      catalogue: new Ec2Catalogue({
        ec2: remembering(api.ec2),
        region: api.region,
        settings,
        clock,
        log,
        market,
        placementGroups,
      }),
    };
  }

  readonly shifted = new Set<string>();

  #nodeClass(): object {
    const { seeded, spec } = this.#options;
    const now = new Date(this.clock.now()).toISOString();
    const image = (arch: "amd64" | "arm64") => ({
      id: seeded.imageIds[arch],
      name: arch,
      requirements: [{ key: "kubernetes.io/arch", operator: "In", values: [arch] }],
    });
    return {
      apiVersion: "karpenter.k8s.aws/v1",
      kind: ec2NodeClasses.kind,
      metadata: { name: "default" },
      spec: {
        amiSelectorTerms: [{ alias: "al2023@latest" }],
        subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": seeded.clusterName } }],
        securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": seeded.clusterName } }],
        instanceProfile: "nodes",
        ...spec,
      },
      status: {
        subnets: Object.entries(seeded.subnetIds).map(([zone, id]) => ({ id, zone, zoneID: `id-of-${zone}` })),
        securityGroups: [...seeded.securityGroupIds].sort().map((id) => ({ id, name: id })),
        amis: [image("amd64"), image("arm64")],
        instanceProfile: "nodes",
        conditions: [
          {
            type: "Ready",
            status: "True",
            reason: "Ready",
            message: "",
            lastTransitionTime: now,
            observedGeneration: 1,
          },
        ],
      },
    };
  }
}

const pool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: poolName },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: ec2NodeClasses.group, kind: ec2NodeClasses.kind, name: "default" },
        requirements: [{ key: "karpenter.sh/capacity-type", operator: "Exists" }],
      },
    },
  },
};

function defaultSettings({ clusterName }: Seeded): AwsSettings {
  return {
    clusterName,
    clusterEndpoint: "",
    clusterCaBundle: "",
    isolatedVpc: false,
    eksControlPlane: false,
    vmMemoryOverheadPercent: 0.075,
    interruptionQueue: "",
    reservedEnis: 0,
    disableDryRun: false,
    enableZonalShift: false,
    amiRefreshMilliseconds: 60_000,
    subnetRefreshMilliseconds: 60_000,
    isReservedCapacityEnabled: true,
    isNodeClassCelEnabled: false,
  };
}
