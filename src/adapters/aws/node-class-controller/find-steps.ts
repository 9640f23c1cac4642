import type { AwsApi } from "../api/aws-api.ts";
import type {
  ImageFinder,
  InstanceProfiles,
  PlacementGroups,
  ReservationFinder,
  SecurityGroupFinder,
  Subnets,
} from "../aws-parts.ts";
import type { ClusterFacts } from "../aws-settings.ts";
import { unsupportedAliasProblem } from "../images/image-alias.ts";
import { ImageNotFoundError } from "../images/images.ts";
import { RoleNotFoundError } from "../instance-profiles/managed-instance-profiles.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { describeTerms } from "./describe-terms.ts";
import { shorten } from "./explain-failure.ts";
import type { StepOutcome } from "./step-outcome.ts";

export interface FindStepsParts {
  readonly api: Pick<AwsApi, "region">;
  readonly clock: { now(): number };
  readonly images: ImageFinder;
  readonly reservations: ReservationFinder;
  readonly placementGroups: PlacementGroups;
  readonly subnets: Subnets;
  readonly securityGroups: SecurityGroupFinder;
  readonly instanceProfiles: InstanceProfiles;
  readonly clusterFacts: { readonly facts: Pick<ClusterFacts, "version"> };
}

/** Something that a node class needs, and the condition that tells whether it is there. */
export interface FindStep {
  readonly condition: string;
  /** What it asks AWS for, as policies write it. */
  readonly actions: readonly string[];
  /** Of the condition, when AWS refuses to tell; undefined for what the refusal itself says. */
  readonly refusalReason?: string;
  /** Rejects when AWS does not tell. */
  find(nodeClass: Ec2NodeClass): Promise<StepOutcome>;
}

/** Of a step that is only taken while reservations may be used. */
export const reservationCondition = "CapacityReservationsReady";

const minute = 60_000;

/** In the order in which they are told. */
export function findSteps(parts: FindStepsParts): readonly FindStep[] {
  return [
    imageStep(parts),
    reservationStep(parts),
    placementGroupStep(parts),
    subnetStep(parts),
    securityGroupStep(parts),
    instanceProfileStep(parts),
  ];
}

function imageStep({ api, images, clusterFacts }: FindStepsParts): FindStep {
  const condition = "AMIsReady";
  const lacks = (reason: string, message: string): StepOutcome => ({
    change: { type: condition, status: "False", reason, message: shorten(message) },
    found: { amis: [] },
    again: minute,
  });
  return {
    condition,
    actions: ["ec2:DescribeImages", "ssm:GetParameter"],
    find: async (nodeClass) => {
      const { version } = clusterFacts.facts;
      const problem = unsupportedAliasProblem(nodeClass, version);
      if (problem !== undefined) return lacks("UnsupportedAlias", problem);
      try {
        const amis = await images.find(nodeClass);
        if (amis.length > 0) return { change: isTrue(condition), found: { amis }, again: 5 * minute };
      } catch (error) {
        if (error instanceof ImageNotFoundError) return lacks("AMINotFound", error.message);
        throw error;
      }
      const terms = describeTerms(nodeClass.spec.amiSelectorTerms);
      return lacks(
        "AMINotFound",
        `no image for amd64 or arm64 matches amiSelectorTerms ${terms} in ${api.region}: correct the terms, or share the image with this account`,
      );
    },
  };
}

function reservationStep({ clock, reservations }: FindStepsParts): FindStep {
  const condition = reservationCondition;
  return {
    condition,
    actions: ["ec2:DescribeCapacityReservations"],
    find: async (nodeClass) => {
      const found = await reservations.find(nodeClass);
      const capacityReservations = [...found].sort((left, right) => (left.id < right.id ? -1 : 1));
      const left = capacityReservations.flatMap(({ endTime }) => endTime ?? []).map((end) => end - clock.now());
      const again = Math.max(1, Math.min(minute, ...left));
      return { change: isTrue(condition), found: { capacityReservations }, again };
    },
  };
}

/** What is found is kept by who finds it, and not in the status. */
function placementGroupStep({ api, placementGroups }: FindStepsParts): FindStep {
  const condition = "PlacementGroupReady";
  return {
    condition,
    actions: ["ec2:DescribePlacementGroups"],
    refusalReason: "PlacementGroupResolutionFailed",
    find: async (nodeClass) => {
      const { placementGroupSelector: selector } = nodeClass.spec;
      if (selector === undefined) return { change: isTrue(condition) };
      if ((await placementGroups.find(nodeClass)) !== undefined) return { change: isTrue(condition), again: minute };
      const message = `no placement group ${describeTerms(selector)} is available in ${api.region}: create it, or correct placementGroupSelector`;
      return {
        change: { type: condition, status: "False", reason: "PlacementGroupNotFound", message },
        again: minute,
      };
    },
  };
}

function subnetStep({ api, subnets }: FindStepsParts): FindStep {
  const condition = "SubnetsReady";
  return {
    condition,
    actions: ["ec2:DescribeSubnets"],
    find: async (nodeClass) => {
      const found = await subnets.find(nodeClass);
      if (found.length > 0) return { change: isTrue(condition), found: { subnets: found }, again: minute };
      const terms = describeTerms(nodeClass.spec.subnetSelectorTerms);
      const message = shorten(
        `no subnet matches subnetSelectorTerms ${terms} in ${api.region}: tag a subnet so, or correct the terms`,
      );
      const change = { type: condition, status: "False", reason: "SubnetsNotFound", message } as const;
      return { change, found: { subnets: [] }, again: minute };
    },
  };
}

function securityGroupStep({ api, securityGroups }: FindStepsParts): FindStep {
  const condition = "SecurityGroupsReady";
  return {
    condition,
    actions: ["ec2:DescribeSecurityGroups"],
    find: async (nodeClass) => {
      const found = await securityGroups.find(nodeClass);
      if (found.length > 0) return { change: isTrue(condition), found: { securityGroups: found }, again: 5 * minute };
      const terms = describeTerms(nodeClass.spec.securityGroupSelectorTerms);
      const message = shorten(
        `no security group matches securityGroupSelectorTerms ${terms} in ${api.region}: tag a security group so, or correct the terms`,
      );
      const change = { type: condition, status: "False", reason: "SecurityGroupsNotFound", message } as const;
      return { change, found: { securityGroups: [] }, again: minute };
    },
  };
}

function instanceProfileStep({ instanceProfiles }: FindStepsParts): FindStep {
  const condition = "InstanceProfileReady";
  return {
    condition,
    actions: ["iam:GetInstanceProfile", "iam:CreateInstanceProfile", "iam:AddRoleToInstanceProfile"],
    find: async (nodeClass) => {
      try {
        return { change: isTrue(condition), found: { instanceProfile: await instanceProfiles.ensure(nodeClass) } };
      } catch (error) {
        if (!(error instanceof RoleNotFoundError)) throw error;
        const { message } = error;
        return { change: { type: condition, status: "False", reason: "RoleNotFound", message }, again: minute };
      }
    },
  };
}

function isTrue(type: string): StepOutcome["change"] {
  return { type, status: "True" };
}
