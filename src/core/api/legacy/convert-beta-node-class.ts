import { type Field, isRecord } from "../field.ts";
import { ClusterDefaults } from "./cluster-defaults.ts";
import { compact, convertBlockDevices, optionalFlag } from "./convert-block-devices.ts";
import { convertImages } from "./convert-images.ts";
import { convertMetadataOptions } from "./convert-metadata-options.ts";
import { convertTags, ubuntuVolumes } from "./convert-node-template.ts";
import type { ConvertOptions } from "./convert-options.ts";
import type { Term } from "./convert-selector.ts";
import type { NodeClassDraft } from "./drafts.ts";
import type { NoteLog } from "./note.ts";
import { convertMetadata } from "./write-metadata.ts";

const specFields = [
  "subnetSelectorTerms",
  "securityGroupSelectorTerms",
  "amiSelectorTerms",
  "associatePublicIPAddress",
  "amiFamily",
  "userData",
  "role",
  "instanceProfile",
  "tags",
  "blockDeviceMappings",
  "instanceStorePolicy",
  "metadataOptions",
  "detailedMonitoring",
  "context",
];

/** An EC2NodeClass of `karpenter.k8s.aws/v1beta1`. */
export function convertBetaNodeClass(object: Field, notes: NoteLog, options: ConvertOptions): NodeClassDraft {
  const metadata = convertMetadata(object, notes);
  const spec = object.at("spec");
  notes.dropOthers(spec, specFields, "EC2NodeClass v1beta1");
  noteChanges(spec, notes);
  const defaults = new ClusterDefaults(options, notes);
  const subnets = termsOf(spec.at("subnetSelectorTerms"));
  const groups = termsOf(spec.at("securityGroupSelectorTerms"));
  const terms = termsOf(spec.at("amiSelectorTerms"));
  const hasAlias = terms.some((term) => "alias" in term);
  const [role, instanceProfile] = [spec.at("role").text() || undefined, spec.at("instanceProfile").text() || undefined];
  return {
    metadata,
    spec: compact({
      ...(hasAlias ? { amiSelectorTerms: terms } : convertImages({ spec, notes, options }, terms)),
      subnetSelectorTerms:
        subnets.length > 0 ? subnets : defaults.selectorTerms(spec.at("subnetSelectorTerms"), "subnets"),
      securityGroupSelectorTerms:
        groups.length > 0 ? groups : defaults.selectorTerms(spec.at("securityGroupSelectorTerms"), "security groups"),
      role: role === undefined && instanceProfile === undefined ? defaults.role(spec.at("role")) : role,
      instanceProfile,
      associatePublicIPAddress: optionalFlag(spec.at("associatePublicIPAddress")),
      metadataOptions: convertMetadataOptions(spec.at("metadataOptions"), "beta", notes),
      blockDeviceMappings: convertBlockDevices(spec.at("blockDeviceMappings"), notes) ?? ubuntuVolumes(spec),
      instanceStorePolicy: spec.at("instanceStorePolicy").choice(["RAID0"]),
      userData: spec.at("userData").text(),
      tags: convertTags(spec.at("tags")),
      detailedMonitoring: optionalFlag(spec.at("detailedMonitoring")),
      context: spec.at("context").text(),
    }),
  };
}

function termsOf(field: Field): Term[] {
  return field.items(30).flatMap((item) => {
    const record = item.record();
    if (record === undefined && item.isAbsent) item.reject("must be an object");
    return isRecord(record) ? [record] : [];
  });
}

function noteChanges(spec: Field, notes: NoteLog): void {
  notes.changed(
    spec.at("tags"),
    "aside, machines have the tag eks:eks-cluster-name in place of karpenter.sh/managed-by: correct policies of IAM that look at it",
  );
  if (spec.at("associatePublicIPAddress").isAbsent) {
    notes.changed(
      spec.at("associatePublicIPAddress"),
      "was false where all subnets are private, and is what the subnet says now: write false to be sure",
    );
  }
  if (spec.at("amiFamily").value === "AL2023" && !spec.at("userData").isAbsent) {
    notes.changed(spec.at("userData"), "gives way to what Karpenter says, where both have something in a NodeConfig");
  }
}
