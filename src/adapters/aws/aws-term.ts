import type { InstanceType } from "../../core/model/instance-type.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeClassRef } from "../../core/model/node-pool.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider, Instance, InstanceIdentity, LaunchOutcome } from "../../ports/cloud-provider.ts";
import type { ClusterView } from "../../ports/cluster-view.ts";
import type { KubeTransport } from "../../ports/kube-transport.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import type { AwsMarket } from "./aws-market.ts";
import { AwsProvider } from "./aws-provider.ts";
import type { AwsSettings } from "./aws-settings.ts";
import { ClusterFactsSource } from "./cluster-facts.ts";
import { ImageDeprecation } from "./images/image-deprecation.ts";
import { Images } from "./images/images.ts";
import { InstanceProfileCollector } from "./instance-profiles/instance-profile-collector.ts";
import { ManagedInstanceProfiles } from "./instance-profiles/managed-instance-profiles.ts";
import { CapacityLearner } from "./instance-types/capacity-learner.ts";
import { InstanceTypeRefresher } from "./instance-types/instance-type-refresher.ts";
import { InstanceStatusWatch } from "./interruption/instance-status-watch.ts";
import { InterruptionWatch } from "./interruption/interruption-watch.ts";
import { Rehearsal } from "./launch/rehearsal.ts";
import { TemplateStore } from "./launch-templates/template-store.ts";
import { SecurityGroups } from "./network/security-groups.ts";
import { SubnetBook } from "./network/subnet-book.ts";
import { NodeClasses } from "./node-class/node-classes.ts";
import { NodeClassController } from "./node-class-controller/node-class-controller.ts";
import { NodeClassHashStamper } from "./node-class-controller/node-class-hash-stamper.ts";
import { OfferingGauges } from "./offerings/offering-gauges.ts";
import { PriceRefresher } from "./pricing/price-refresher.ts";
import { ReservationCapacityType } from "./reservations/reservation-capacity-type.ts";
import { ReservationExpiration } from "./reservations/reservation-expiration.ts";
import { UserDataSizes } from "./user-data/user-data-sizes.ts";
import { ZonalShiftWatcher } from "./zonal-shift/zonal-shift-watcher.ts";
import { noShiftedZones } from "./zonal-shift/zonal-shifts.ts";

/** What one term of leadership works with. */
export interface AwsTermParts {
  readonly kube: KubeClient;
  readonly transport: KubeTransport;
  readonly cluster: ClusterView;
  readonly telemetry: Telemetry;
}

export interface AwsTermOptions extends AwsTermParts {
  readonly settings: AwsSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly caBundle: string;
  readonly market: AwsMarket;
}

interface Acting {
  start(): void;
  stop(): void | Promise<void>;
}

/** The AWS provider while its process leads: what it answers, and all that it does by itself meanwhile. */
export class AwsTerm implements CloudProvider {
  readonly name: string;
  readonly nodeClassKinds;
  readonly wellKnownLabels;
  readonly restrictedLabelDomains;
  readonly repairPolicies;
  readonly #market: AwsMarket;
  readonly #clusterFacts: ClusterFactsSource;
  readonly #clusterName: string;
  readonly #provider: AwsProvider;
  readonly #acting: readonly Acting[];
  #started: readonly Acting[] = [];
  #isStopped = false;

  constructor(options: AwsTermOptions) {
    const { market, caBundle } = options;
    const clusterFacts = new ClusterFactsSource({ ...options, api: market.api, clientCaBundle: caBundle });
    const { provider, acting } = assemble(options, clusterFacts);
    this.#market = market;
    this.#clusterFacts = clusterFacts;
    this.#clusterName = options.settings.clusterName;
    this.#provider = provider;
    this.#acting = acting;
    this.name = provider.name;
    this.nodeClassKinds = provider.nodeClassKinds;
    this.wellKnownLabels = provider.wellKnownLabels;
    this.restrictedLabelDomains = provider.restrictedLabelDomains;
    this.repairPolicies = provider.repairPolicies;
  }

  /** Rejects while nothing could be launched: AWS does not answer, or nobody knows where the cluster is. */
  async resume(): Promise<void> {
    const { catalogue, prices } = this.#market;
    const areTypesKnown = catalogue.refreshedAt !== undefined;
    await Promise.all([
      this.#clusterFacts.discover(),
      areTypesKnown ? undefined : catalogue.refresh(),
      // Without them there are those that come with us, and the loop goes on asking.
      ...(["on-demand", "spot"] as const).map((market) =>
        prices.refreshedAt(market) === undefined ? prices.refresh(market).catch(() => {}) : undefined,
      ),
    ]);
    // Whoever stopped meanwhile must not come to life again.
    if (this.#isStopped) return;
    await this.#provider.resume();
    if (this.#isStopped) return this.#provider.stop();
    this.#started = this.#acting;
    for (const one of this.#acting) one.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#started.map((one) => one.stop()), this.#provider.stop()]);
  }

  /** Not before it has resumed. */
  describeCluster(): { readonly clusterName: string; readonly kubernetesVersion: string } {
    return { clusterName: this.#clusterName, kubernetesVersion: this.#clusterFacts.facts.version };
  }

  instanceTypes(nodeClass: NodeClassRef): Promise<readonly InstanceType[]> {
    return this.#provider.instanceTypes(nodeClass);
  }

  launch(claim: NodeClaim): Promise<LaunchOutcome> {
    return this.#provider.launch(claim);
  }

  terminate(instance: InstanceIdentity): Promise<"terminating" | "gone"> {
    return this.#provider.terminate(instance);
  }

  find(providerId: string): Promise<Instance | undefined> {
    return this.#provider.find(providerId);
  }

  list(): Promise<readonly Instance[]> {
    return this.#provider.list();
  }

  driftReason(claim: NodeClaim): Promise<string> {
    return this.#provider.driftReason(claim);
  }
}

function assemble(
  options: AwsTermOptions,
  clusterFacts: ClusterFactsSource,
): { readonly provider: AwsProvider; readonly acting: readonly Acting[] } {
  const { market, settings, cluster, telemetry, clock, random } = options;
  const { api, shifts } = market;
  const { ec2, sqs, region } = api;
  const { clusterName, isReservedCapacityEnabled, interruptionQueue, isolatedVpc } = settings;
  const { log, metrics } = telemetry;
  const nodeClasses = new NodeClasses({ cluster, log });
  const nodeClassOf = (name: string) => nodeClasses.get(name);
  const images = new Images({ ...options, api, kubernetesVersion: () => clusterFacts.facts.version });
  const subnets = new SubnetBook({ ...options, api });
  const securityGroups = new SecurityGroups({ api, clock });
  const instanceProfiles = new ManagedInstanceProfiles({ api, clock, random, settings });
  const templates = new TemplateStore({ ec2, clusterName, clock, log });
  const facts = () => clusterFacts.facts;
  const shiftedZones = shifts ?? noShiftedZones;
  const userDataSizes = new UserDataSizes({ nodeClasses, telemetry });
  const books = {
    ...market,
    userDataSizes,
    nodeClasses,
    images,
    subnets,
    securityGroups,
    instanceProfiles,
    templates,
    shiftedZones,
  };
  const provider = new AwsProvider({ ...options, ...books, facts });
  const rehearsal = new Rehearsal({ ...options, ...books, ec2, region, facts });
  const warnings = { ...options, unavailableOfferings: market.unavailable, reservationCounts: market.reservations };
  const interruptions =
    interruptionQueue === ""
      ? undefined
      : new InterruptionWatch({ ...warnings, sqs, queueName: interruptionQueue, region });
  const queue = interruptions?.health;
  const acting: Acting[] = [
    clusterFacts,
    userDataSizes,
    new NodeClassController({ ...options, ...books, clusterFacts, rehearsal, launchTemplates: templates, queue }),
    new NodeClassHashStamper({ ...options, clusterFacts }),
    new ImageDeprecation({ images, clock, telemetry }),
    new InstanceTypeRefresher({ ...options, ...market }),
    new CapacityLearner({ ...options, ...market, nodeClassOf }),
    new PriceRefresher({ ...options, ...market }),
    new OfferingGauges({ cluster, catalogue: market.catalogue, nodeClassOf, isReservedCapacityEnabled, metrics }),
    new InstanceStatusWatch({ ...warnings, ec2 }),
  ];
  if (interruptions !== undefined) acting.push(interruptions);
  if (!isolatedVpc) acting.push(new InstanceProfileCollector({ ...options, profiles: instanceProfiles }));
  if (shifts !== undefined) acting.push(new ZonalShiftWatcher({ ...options, shifts, nodeClassOf }));
  if (isReservedCapacityEnabled) {
    acting.push(
      new ReservationExpiration({ ...options, ...market }),
      new ReservationCapacityType({ ...options, listInstances: () => provider.listCapacityTypes() }),
    );
  }
  return { provider, acting };
}
