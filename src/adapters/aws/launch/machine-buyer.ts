import { claimReference, poolReference } from "../../../core/api/references.ts";
import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import { capacityTypeLabel, nodePoolLabel, zoneLabel } from "../../../core/model/labels.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { LaunchOutcome } from "../../../ports/cloud-provider.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { NotLeadingError } from "../../../runtime/kube-client.ts";
import { errorCodeOf, isNotFound, messageOf } from "../api/aws-error.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import type { Catalogue, PlacementGroups, Subnets } from "../aws-parts.ts";
import type { AwsSettings, ClusterFacts } from "../aws-settings.ts";
import type { Batcher } from "../batching/batcher.ts";
import type { Machine } from "../instances/machine.ts";
import { planTemplates } from "../launch-templates/plan-templates.ts";
import type { TemplateStore } from "../launch-templates/template-store.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { nodeClassHash } from "../node-class/node-class-hash.ts";
import type { UserDataSizes } from "../user-data/user-data-sizes.ts";
import { classifyFailure, describeFailures, isCapacityShortage, isSpotForbidden } from "./classify-failure.ts";
import { addressesByZone, makeFleetInput } from "./fleet-request.ts";
import type { FleetAnswer } from "./fleets.ts";
import type { OfferingFailure } from "./fold-failures.ts";
import { nodeClassHashTag, writeHashTag } from "./hash-tag.ts";
import { unknownPlacementGroup } from "./judge-readiness.ts";
import { LaunchPlans } from "./launch-plans.ts";
import { type FleetRequest, UnknownPurchaseError } from "./lot.ts";
import { ownTags } from "./own-tags.ts";
import { type LaunchPlan, labelOf, planLaunch } from "./plan-launch.ts";

export interface MachineBuyerOptions {
  readonly fleets: Batcher<FleetRequest, FleetAnswer>;
  readonly templates: TemplateStore;
  readonly catalogue: Catalogue;
  readonly subnets: Subnets;
  readonly placementGroups: PlacementGroups;
  readonly settings: AwsSettings;
  readonly region: string;
  readonly facts: () => ClusterFacts;
  readonly userDataSizes: Pick<UserDataSizes, "note">;
  readonly cluster: Pick<ClusterView, "pools">;
  readonly telemetry: Telemetry;
}

export type Purchase =
  | { readonly kind: "bought"; readonly machine: Machine }
  | Exclude<LaunchOutcome, { readonly kind: "launched" }>;

/** How often something else is tried for one claim before its pods are planned anew. */
const mostTries = 10;
/** As many as a fleet request may name; those of the cheapest types come first. */
const mostTemplates = 50;
const spotRoleReason = "SpotSLRCreationFailed";
const spotRoleMessage =
  "Cannot launch spot instances: the account has no service-linked role AWSServiceRoleForEC2Spot, and the controller may not create it. Create it once with `aws iam create-service-linked-role --aws-service-name spot.amazonaws.com`, or allow iam:CreateServiceLinkedRole to the controller's role";
/** Fewer types than this and spot is hard to get. */
const fewTypes = 5;

/** Buys a machine for a claim from what can be had, and from what else can be had when that cannot. */
export class MachineBuyer {
  readonly #options: MachineBuyerOptions;
  readonly #plans = new LaunchPlans();

  constructor(options: MachineBuyerOptions) {
    this.#options = options;
  }

  /** Rejects when nobody knows whether there is a machine now. */
  async buy(claim: NodeClaim, nodeClass: Ec2NodeClass): Promise<Purchase> {
    const refused = new Set<string>();
    const failures: OfferingFailure[] = [];
    for (let tries = 0; tries < mostTries; tries++) {
      const types = this.#options.catalogue.list(nodeClass);
      const planning =
        refused.size === 0
          ? this.#plans.plan(claim, types)
          : planLaunch({ claim, types, isRefused: (...one) => keysOf(...one).some((key) => refused.has(key)) });
      if (planning.kind === "monotonous" && failures.length === 0) return { ...monotony, message: planning.message };
      if (planning.kind !== "planned") return shortage(failures, planning.message);
      const purchase = await this.#tryTwice(claim, nodeClass, planning.plan);
      if (!("failures" in purchase)) return purchase;
      if (purchase.failures.length === 0) return silence;
      failures.push(...purchase.failures);
      if (purchase.failures.some(isSpotForbidden)) this.#warnOfSpotRole(claim);
      const other = purchase.failures.find((failure) => !isCapacityShortage(failure) && !isSpotForbidden(failure));
      if (other !== undefined) return failed(other, purchase.failures);
      const before = refused.size;
      for (const failure of purchase.failures) refused.add(keyOf(planning.plan.capacityType, failure));
      if (refused.size === before) break;
    }
    return shortage(failures, "AWS launched nothing");
  }

  /** Once more when a launch template has gone in between. */
  async #tryTwice(claim: NodeClaim, nodeClass: Ec2NodeClass, plan: LaunchPlan): Promise<Purchase | Refused> {
    const first = await this.#try(claim, nodeClass, plan);
    if (first !== "template-missing") return first;
    const second = await this.#try(claim, nodeClass, plan);
    if (second !== "template-missing") return second;
    return {
      kind: "failed",
      reason: "LaunchTemplateNotFound",
      message: "AWS does not find the launch template that has just been made",
    };
  }

  async #try(
    claim: NodeClaim,
    nodeClass: Ec2NodeClass,
    plan: LaunchPlan,
  ): Promise<Purchase | Refused | "template-missing"> {
    const { settings, region, catalogue, placementGroups, subnets, templates: store, telemetry } = this.#options;
    const group = placementGroups.known(nodeClass);
    if (group === "unknown") return unknownPlacementGroup(nodeClass);
    const placementGroup = group === "none" ? undefined : group;
    const tags = ownTags(nodeClass, settings.clusterName, claim.labels.get(nodePoolLabel) ?? "");
    const facts = this.#options.facts();
    const planned = planTemplates(
      { claim, nodeClass, plan, tags, placementGroup },
      { settings, region, catalogue, facts },
    );
    if (planned.kind === "problem") return { kind: "failed", reason: planned.reason, message: planned.message };
    for (const { userData } of planned.templates) this.#options.userDataSizes.note(nodeClass, userData);
    if (plan.isSpotForgone && plan.candidates.length < fewTypes) {
      telemetry.log.debug("spot is allowed but cannot be had: allow more instance types", {
        NodeClaim: { name: claim.name },
      });
    }
    const templates = planned.templates.slice(0, mostTemplates);
    try {
      await Promise.all(templates.map(({ request }) => store.ensure(request)));
    } catch (error) {
      return failedCall(error, "ec2:CreateLaunchTemplate");
    }
    const taken = subnets.take(nodeClass, addressesByZone(plan));
    const used = new Set<string>();
    try {
      const input = makeFleetInput({ claim, nodeClass, plan, templates, subnets: taken });
      if (input === undefined) {
        return { kind: "insufficient-capacity", message: noSubnet(nodeClass, plan) };
      }
      const answer = await this.#options.fleets.ask({
        claimName: claim.name,
        nodeClass,
        plan,
        placementGroup: placementGroup?.id ?? "",
        input,
        templates,
        tags,
        machineTags: new Map([[nodeClassHashTag, writeHashTag(nodeClassHash(nodeClass, facts))]]),
      });
      if (answer.machine !== undefined) {
        used.add(answer.machine.subnetId);
        return { kind: "bought", machine: answer.machine };
      }
      if (answer.failures.some(isTemplateMissing)) return this.#forget(templates);
      return { failures: answer.failures };
    } catch (error) {
      if (error instanceof UnknownPurchaseError || error instanceof NotLeadingError) throw error;
      if (isNotFound(error) && isTemplateMissing({ code: errorCodeOf(error) })) return this.#forget(templates);
      return failedCall(error, "ec2:CreateFleet");
    } finally {
      subnets.giveBack(taken, used);
    }
  }

  /** Beside the pool too, because the claim may go. */
  #warnOfSpotRole(claim: NodeClaim): void {
    const { cluster, telemetry } = this.#options;
    const pool = cluster.pools.get(claim.labels.get(nodePoolLabel) ?? "");
    for (const object of [claimReference(claim), ...(pool === undefined ? [] : [poolReference(pool)])]) {
      const event = { type: "Warning", reason: spotRoleReason, message: spotRoleMessage } as const;
      telemetry.events.publish({ object, ...event, sameAs: [object.uid] });
    }
  }

  #forget(templates: readonly { readonly templateName: string }[]): "template-missing" {
    this.#options.templates.forget(templates.map(({ templateName }) => templateName));
    return "template-missing";
  }
}

/** Not a shortage: nobody said what there is too little of. */
const silence: Purchase = {
  kind: "failed",
  reason: "LaunchFailed",
  message: "AWS launched fewer machines than it was asked for, and did not say why",
};

/** Not a shortage either: the claim asks for more variety than a request for machines can name. */
const monotony = { kind: "failed", reason: "MinValuesNotMet" } as const;

interface Refused {
  readonly failures: readonly OfferingFailure[];
}

function isTemplateMissing({ code }: { readonly code: string }): boolean {
  return code.startsWith("InvalidLaunchTemplate") && code.includes("NotFound");
}

function keyOf(capacityType: string, failure: OfferingFailure): string {
  return isSpotForbidden(failure) ? "spot" : `${capacityType}/${failure.typeName}/${failure.zone}`;
}

function keysOf({ name }: InstanceType, offering: Offering): readonly string[] {
  const capacityType = labelOf(offering, capacityTypeLabel);
  return [capacityType, `${capacityType}/${name}/${labelOf(offering, zoneLabel)}`];
}

function shortage(failures: readonly OfferingFailure[], otherwise: string): Purchase {
  return {
    kind: "insufficient-capacity",
    message: failures.length === 0 ? otherwise : describeFailures(failures),
    isTold: true,
  };
}

function failed(failure: OfferingFailure, failures: readonly OfferingFailure[]): Purchase {
  return { kind: "failed", reason: classifyFailure(failure), message: describeFailures(failures) };
}

function failedCall(error: unknown, action: string): Purchase {
  const reason = classifyFailure({ code: errorCodeOf(error), message: messageOf(error) });
  return { kind: "failed", reason, message: messageOf(explainRefusal(error, action)) };
}

function noSubnet({ name }: Ec2NodeClass, { candidates }: LaunchPlan): string {
  const zones = new Set(
    candidates.flatMap(({ offerings }) => offerings.map((offering) => labelOf(offering, zoneLabel))),
  );
  return `EC2NodeClass "${name}" has no subnet with free addresses in ${[...zones].sort().join(", ")}`;
}
