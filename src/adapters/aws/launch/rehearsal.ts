import type * as ec2 from "@aws-sdk/client-ec2";
import type { InstanceType } from "../../../core/model/instance-type.ts";
import type { NodePool } from "../../../core/model/node-pool.ts";
import { conflictingKey, has, intersectAll, requirementsFromLabels } from "../../../core/model/requirements.ts";
import { noResources } from "../../../core/model/resources.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Ec2Api } from "../api/aws-api.ts";
import { isAnswer, isDryRunSuccess, isNotFound, isUnauthorized, messageOf } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { Catalogue, LaunchRehearsal, PlacementGroups, RehearsalOutcome } from "../aws-parts.ts";
import type { AwsSettings, ClusterFacts } from "../aws-settings.ts";
import { mapImages } from "../images/map-images.ts";
import { type PlannedTemplate, planTemplates } from "../launch-templates/plan-templates.ts";
import { writeTags } from "../launch-templates/template-data.ts";
import type { TemplateStore } from "../launch-templates/template-store.ts";
import { instanceTenancyLabel } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { isEc2NodeClass } from "../node-class/is-ec2-node-class.ts";
import type { UserDataSizes } from "../user-data/user-data-sizes.ts";
import { unknownPlacementGroup } from "./judge-readiness.ts";
import { ownTags } from "./own-tags.ts";

export interface RehearsalOptions {
  readonly ec2: Ec2Api;
  readonly region: string;
  readonly cluster: Pick<ClusterView, "pools">;
  readonly settings: AwsSettings;
  readonly facts: () => ClusterFacts;
  readonly catalogue: Catalogue;
  readonly placementGroups: PlacementGroups;
  readonly templates: TemplateStore;
  readonly userDataSizes: Pick<UserDataSizes, "note">;
}

/** What is tried where no pool says what it wants. */
const commonTypes = ["m5.large", "m6g.large"];

/** Goes through a launch with everything but the machine. */
export class Rehearsal implements LaunchRehearsal {
  readonly #options: RehearsalOptions;

  constructor(options: RehearsalOptions) {
    this.#options = options;
  }

  async rehearse(nodeClass: Ec2NodeClass): Promise<RehearsalOutcome> {
    const { settings, catalogue, placementGroups, region, templates } = this.#options;
    const pools = this.#poolsOf(nodeClass);
    const type = chooseType(nodeClass, catalogue.list(nodeClass), pools);
    if (type === undefined) {
      return { kind: "unknown", message: "none of the instance types that are known goes with any of its images" };
    }
    const group = placementGroups.known(nodeClass);
    if (group === "unknown") return { kind: "unknown", message: unknownPlacementGroup(nodeClass).message };
    const [pool] = pools;
    const tags = ownTags(nodeClass, settings.clusterName, pool?.name ?? "default");
    const planned = planTemplates(
      {
        claim: {
          labels: pool?.labels ?? new Map(),
          taints: pool?.taints ?? [],
          startupTaints: pool?.startupTaints ?? [],
          requests: noResources,
          requirements: new Map(),
        },
        nodeClass,
        plan: { capacityType: "on-demand", tenancy: tenancyOf(pools), candidates: [{ type, offerings: [] }] },
        tags,
        placementGroup: group === "none" ? undefined : group,
      },
      { settings, region, facts: this.#options.facts(), catalogue },
    );
    if (planned.kind === "problem") {
      return { kind: "refused", reason: planned.reason, message: planned.message, isLasting: true };
    }
    const [template] = planned.templates;
    if (template === undefined) return { kind: "unknown", message: "there is no launch template to try" };
    this.#options.userDataSizes.note(nodeClass, template.userData);
    try {
      await templates.ensure(template.request);
    } catch (error) {
      return judge(error, "CreateLaunchTemplate", nodeClass);
    }
    const attempt = { nodeClass, template, type, tags: writeTags(tags) };
    const fleet = await this.#tryFleet(attempt);
    return fleet.kind === "allowed" ? await this.#tryMachines(attempt) : fleet;
  }

  #poolsOf({ name }: Ec2NodeClass): readonly Omit<NodePool, "instanceTypes">[] {
    return [...this.#options.cluster.pools.values()].flatMap(({ nodeClassRef, pool }) =>
      pool !== undefined && isEc2NodeClass(nodeClassRef) && nodeClassRef.name === name ? [pool] : [],
    );
  }

  async #tryFleet(attempt: Attempt): Promise<RehearsalOutcome> {
    const { nodeClass, template, type, tags } = attempt;
    const Overrides = nodeClass.status.subnets.map(({ id }) => ({
      InstanceType: type.name as ec2._InstanceType,
      SubnetId: id,
      ImageId: template.imageId,
    }));
    const { context } = nodeClass.spec;
    return this.#dryRun("CreateFleet", attempt, () =>
      this.#options.ec2.createFleet({
        DryRun: true,
        Type: "instant",
        LaunchTemplateConfigs: [{ LaunchTemplateSpecification: versionOf(template), Overrides }],
        TargetCapacitySpecification: { DefaultTargetCapacityType: "on-demand", TotalTargetCapacity: 1 },
        OnDemandOptions: { AllocationStrategy: "lowest-price" },
        ...(context === undefined ? {} : { Context: context }),
        TagSpecifications: (["instance", "volume", "fleet"] as const).map((ResourceType) => ({
          ResourceType,
          Tags: tags,
        })),
      }),
    );
  }

  /** In one subnet after the other, until it would work in one. It is refused when it is in all of them. */
  async #tryMachines(attempt: Attempt): Promise<RehearsalOutcome> {
    const { nodeClass, template, type, tags } = attempt;
    const interfaces = template.request.LaunchTemplateData?.NetworkInterfaces ?? [];
    const outcomes: RehearsalOutcome[] = [];
    for (const { id: SubnetId } of nodeClass.status.subnets) {
      const outcome = await this.#dryRun("RunInstances", attempt, () =>
        this.#options.ec2.runInstances({
          DryRun: true,
          LaunchTemplate: versionOf(template),
          InstanceType: type.name as ec2._InstanceType,
          MinCount: 1,
          MaxCount: 1,
          NetworkInterfaces: interfaces.map(
            (one) => ({ ...one, SubnetId }) as ec2.InstanceNetworkInterfaceSpecification,
          ),
          TagSpecifications: (["instance", "volume", "network-interface"] as const).map((ResourceType) => ({
            ResourceType,
            Tags: tags,
          })),
        }),
      );
      if (outcome.kind === "allowed") return outcome;
      outcomes.push(outcome);
    }
    const unknown = outcomes.find(({ kind }) => kind === "unknown");
    return unknown ?? outcomes[0] ?? { kind: "unknown", message: "there is no subnet to try" };
  }

  async #dryRun(
    action: string,
    { nodeClass, template }: Attempt,
    call: () => Promise<unknown>,
  ): Promise<RehearsalOutcome> {
    try {
      await call();
      return { kind: "allowed" };
    } catch (error) {
      if (isDryRunSuccess(error)) return { kind: "allowed" };
      // It may be too new for AWS to find, or somebody has deleted it: the next time it is made sure of anew.
      if (isNotFound(error)) this.#options.templates.forget([template.templateName]);
      return judge(error, action, nodeClass);
    }
  }
}

interface Attempt {
  readonly nodeClass: Ec2NodeClass;
  readonly template: PlannedTemplate;
  readonly type: InstanceType;
  readonly tags: ec2.Tag[];
}

function versionOf({ templateName }: PlannedTemplate): { LaunchTemplateName: string; Version: string } {
  return { LaunchTemplateName: templateName, Version: "$Latest" };
}

/** Refused only for what is sure to be in the way of every launch: whatever else AWS says may be otherwise in a moment. */
function judge(error: unknown, action: string, { spec, status }: Ec2NodeClass): RehearsalOutcome {
  const explained = explainRefusal(error, `ec2:${action}`);
  const message = messageOf(explained);
  if (isUnauthorized(error)) {
    return { kind: "refused", reason: `${action}AuthCheckFailed`, message, isLasting: true };
  }
  if (!isAnswer(error) || explained !== error) return { kind: "unknown", message };
  if (/User data is limited to/i.test(message)) {
    return { kind: "refused", reason: "UserDataSizeLimitExceeded", message, isLasting: true };
  }
  // AWS knows a profile that we have just made only after a while; one that a user names may not exist at all.
  if (/Invalid IAM Instance Profile name/i.test(message) && spec.instanceProfile !== undefined) {
    const missing = `there is no instance profile "${status.instanceProfile}": create it, or correct spec.instanceProfile`;
    return { kind: "refused", reason: "InstanceProfileNotFound", message: missing, isLasting: false };
  }
  return { kind: "unknown", message: `AWS would not do ec2:${action}, which is tried again: ${message}` };
}

function chooseType(
  { spec, status }: Ec2NodeClass,
  types: readonly InstanceType[],
  pools: readonly Omit<NodePool, "instanceTypes">[],
): InstanceType | undefined {
  const mapped = [...mapImages(types, status.amis).values()].flat();
  const sold = mapped.filter(({ offerings }) => offerings.some(({ isAvailable }) => isAvailable));
  const launchable = sold.length > 0 ? sold : mapped;
  const wanted = spec.amiFamily.startsWith("Windows")
    ? []
    : launchable.filter((type) =>
        pools.some(
          ({ requirements, labels }) =>
            conflictingKey(type.requirements, intersectAll(requirements, requirementsFromLabels(labels))) === undefined,
        ),
      );
  const common = launchable.filter(({ name }) => commonTypes.includes(name));
  return wanted.find(({ name }) => commonTypes.includes(name)) ?? wanted[0] ?? common[0] ?? launchable[0];
}

function tenancyOf(pools: readonly Omit<NodePool, "instanceTypes">[]): "default" | "dedicated" {
  const isDedicated = pools.some(({ requirements }) => {
    const tenancy = requirements.get(instanceTenancyLabel);
    return tenancy !== undefined && has(tenancy, "dedicated");
  });
  return isDedicated ? "dedicated" : "default";
}
