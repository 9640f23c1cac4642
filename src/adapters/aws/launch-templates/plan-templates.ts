import type { Labels } from "../../../core/model/labels.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Catalogue, PlacementGroup } from "../aws-parts.ts";
import type { AwsSettings, ClusterFacts } from "../aws-settings.ts";
import { bottlerocketVersionOf } from "../images/bottlerocket-version.ts";
import { mapImages } from "../images/map-images.ts";
import { defaultMaxPodsOf } from "../instance-types/machine-resources.ts";
import { resolveKubelet } from "../kubelet/resolve-kubelet.ts";
import type { TemplateUse } from "../launch/fleet-request.ts";
import { type Candidate, type LaunchPlan, labelOf } from "../launch/plan-launch.ts";
import {
  capacityReservationIdLabel,
  capacityReservationInterruptibleLabel,
  capacityReservationTypeLabel,
  efaResource,
  placementGroupPartitionLabel,
} from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { bootstrapLabels, bootstrapTaints } from "../user-data/bootstrap-labels.ts";
import { encodeUserData } from "../user-data/encode-user-data.ts";
import { makeUserData } from "../user-data/make-user-data.ts";
import type { MadeUserData } from "../user-data/user-data-sizes.ts";
import { makeTemplateData, type TemplateReservation, writeTags } from "./template-data.ts";
import { canonical, templateNameFor } from "./template-name.ts";
import type { TemplateRequest } from "./template-store.ts";

export interface TemplateQuestion {
  readonly claim: Pick<NodeClaim, "labels" | "taints" | "startupTaints" | "requests" | "requirements">;
  readonly nodeClass: Ec2NodeClass;
  readonly plan: Pick<LaunchPlan, "capacityType" | "tenancy" | "candidates">;
  readonly tags: Labels;
  readonly placementGroup: PlacementGroup | undefined;
}

export interface TemplateSurroundings {
  readonly settings: Pick<
    AwsSettings,
    "clusterName" | "isReservedCapacityEnabled" | "isNodeClassCelEnabled" | "reservedEnis"
  >;
  readonly region: string;
  readonly facts: ClusterFacts;
  readonly catalogue: Pick<Catalogue, "facts">;
}

/** A launch template with all that is needed to make it. */
export interface PlannedTemplate extends TemplateUse {
  readonly request: TemplateRequest;
  readonly efaInterfaces: number;
  readonly reservation: TemplateReservation | undefined;
  readonly partition: number | undefined;
  readonly userData: MadeUserData;
}

export type TemplatePlanning =
  | { readonly kind: "planned"; readonly templates: readonly PlannedTemplate[] }
  | { readonly kind: "problem"; readonly reason: string; readonly message: string };

/** Each has been its name. */
const enclaveResources = ["eks.amazonaws.com/nip-slots", "eks.amazonaws.com/nitro-sandbox"];

/** As few templates as the machines that may be launched can share. */
export function planTemplates(question: TemplateQuestion, surroundings: TemplateSurroundings): TemplatePlanning {
  const { nodeClass, plan } = question;
  const { amis, securityGroups } = nodeClass.status;
  if (securityGroups.length === 0) {
    return problem("SecurityGroupsNotFound", `EC2NodeClass "${nodeClass.name}" has found no security groups`);
  }
  const mapped = mapImages(
    plan.candidates.map((candidate) => ({ candidate, requirements: candidate.type.requirements })),
    amis,
  );
  if (mapped.size === 0) {
    const message = `none of the images of EC2NodeClass "${nodeClass.name}" is for any of the instance types that would do`;
    return problem("AMINotFound", message);
  }
  const templates: PlannedTemplate[] = [];
  for (const [imageId, found] of mapped) {
    for (const group of groupCandidates(
      found.map(({ candidate }) => candidate),
      question,
      surroundings,
    )) {
      const template = planTemplate(group, imageId, { question, surroundings });
      if ("kind" in template) return template;
      templates.push(template);
    }
  }
  return { kind: "planned", templates };
}

function problem(reason: string, message: string): TemplatePlanning & { readonly kind: "problem" } {
  return { kind: "problem", reason, message };
}

interface Group {
  readonly candidates: Candidate[];
  readonly efaInterfaces: number;
  readonly reservation: TemplateReservation | undefined;
}

/** Those whose machines are told the same when they start. */
function groupCandidates(
  candidates: readonly Candidate[],
  question: TemplateQuestion,
  surroundings: TemplateSurroundings,
): Iterable<Group> {
  const { claim, plan } = question;
  const groups = new Map<string, Group>();
  for (const candidate of candidates) {
    const efaInterfaces = claim.requests.has(efaResource)
      ? (surroundings.catalogue.facts(candidate.type.name)?.efaInterfaces ?? 0)
      : 0;
    const kubelet = kubeletOf(candidate, question, surroundings);
    const told = {
      pods: kubelet?.maxPods,
      kube: sorted(kubelet?.kubeReserved),
      system: sorted(kubelet?.systemReserved),
    };
    for (const [reservation, part] of plan.capacityType === "reserved"
      ? byReservation(candidate)
      : [[undefined, candidate] as const]) {
      const key = canonical({ efaInterfaces, told, reservation });
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { candidates: [part], efaInterfaces, reservation });
      else group.candidates.push(part);
    }
  }
  return groups.values();
}

function sorted(amounts: ReadonlyMap<string, string> | undefined): readonly (readonly [string, string])[] {
  return [...(amounts ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
}

function kubeletOf(
  { type }: Candidate,
  { nodeClass }: TemplateQuestion,
  { catalogue, settings }: TemplateSurroundings,
) {
  const facts = catalogue.facts(type.name);
  if (facts === undefined) return undefined;
  const defaultMaxPods = defaultMaxPodsOf(facts, nodeClass, settings);
  const kubelet = resolveKubelet({ nodeClass, facts, defaultMaxPods, isCelEnabled: settings.isNodeClassCelEnabled });
  // What the plan reckons with, `podsPerCore` included.
  return { ...kubelet, maxPods: type.capacity.get("pods") ?? kubelet.maxPods };
}

function byReservation({ type, offerings }: Candidate): [TemplateReservation, Candidate][] {
  return offerings.map((offering) => [
    {
      id: offering.reservationId ?? labelOf(offering, capacityReservationIdLabel),
      type: labelOf(offering, capacityReservationTypeLabel) === "capacity-block" ? "capacity-block" : "default",
      isInterruptible: labelOf(offering, capacityReservationInterruptibleLabel) === "true",
    },
    { type, offerings: [offering] },
  ]);
}

function planTemplate(
  { candidates, efaInterfaces, reservation }: Group,
  imageId: string,
  { question, surroundings }: { readonly question: TemplateQuestion; readonly surroundings: TemplateSurroundings },
): PlannedTemplate | (TemplatePlanning & { readonly kind: "problem" }) {
  const { claim, nodeClass, plan, tags, placementGroup } = question;
  const { settings, region, facts } = surroundings;
  const [first] = candidates;
  const kubelet = first === undefined ? undefined : kubeletOf(first, question, surroundings);
  if (kubelet === undefined) {
    return problem("InstanceTypeResolutionFailed", `nothing is known of instance type ${first?.type.name}`);
  }
  const { userData: own, amiFamily: family, instanceStorePolicy } = nodeClass.spec;
  const made = makeUserData({
    family,
    clusterName: settings.clusterName,
    facts,
    labels: bootstrapLabels(claim, plan.capacityType, family),
    taints: bootstrapTaints(claim),
    kubelet,
    instanceStorePolicy,
    userData: own,
    imageVersion: bottlerocketVersionOf(nodeClass),
  });
  if ("problem" in made) {
    return problem(made.isTooLong ? "UserDataSizeLimitExceeded" : "InvalidUserData", made.problem);
  }
  const encoded = encodeUserData(made.text, own);
  if ("problem" in encoded) return problem("UserDataSizeLimitExceeded", encoded.problem);
  const partition = partitionOf(question);
  const LaunchTemplateData = makeTemplateData({
    nodeClass,
    region,
    imageId,
    userData: encoded.base64,
    tags,
    capacityType: plan.capacityType,
    tenancy: plan.tenancy,
    reservation,
    isReservedCapacityEnabled: settings.isReservedCapacityEnabled,
    efaInterfaces,
    hasEnclaves: enclaveResources.some((resource) => claim.requests.has(resource)),
    isIpv6: facts.dnsAddress?.includes(":") === true,
    placement: placementGroup === undefined ? undefined : { groupId: placementGroup.id, partition },
  });
  const content = {
    LaunchTemplateData,
    TagSpecifications: [{ ResourceType: "launch-template" as const, Tags: writeTags(tags) }],
  };
  const templateName = templateNameFor(content);
  const request = { LaunchTemplateName: templateName, ...content };
  const userData = { bytes: encoded.bytes, ignored: made.ignored };
  return { templateName, imageId, candidates, request, efaInterfaces, reservation, partition, userData };
}

/** The lowest that the claim asks for; AWS chooses when it asks for none. */
function partitionOf({ claim, placementGroup }: TemplateQuestion): number | undefined {
  const asked = claim.requirements.get(placementGroupPartitionLabel);
  if (placementGroup?.strategy !== "partition" || asked === undefined || asked.isComplement) return undefined;
  const numbers = [...asked.values].map(Number).filter(Number.isInteger);
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}
