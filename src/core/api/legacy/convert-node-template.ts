import type { Field } from "../field.ts";
import { ClusterDefaults } from "./cluster-defaults.ts";
import { compact, convertBlockDevices, optionalFlag } from "./convert-block-devices.ts";
import { convertImageSelector, convertImages } from "./convert-images.ts";
import { convertMetadataOptions } from "./convert-metadata-options.ts";
import type { ConvertOptions } from "./convert-options.ts";
import { convertSelector, type Term } from "./convert-selector.ts";
import type { NodeClassDraft } from "./drafts.ts";
import type { NoteLog } from "./note.ts";
import { convertMetadata } from "./write-metadata.ts";

const providerFields = [
  "apiVersion",
  "kind",
  "amiFamily",
  "context",
  "instanceProfile",
  "subnetSelector",
  "securityGroupSelector",
  "tags",
  "launchTemplate",
  "metadataOptions",
  "blockDeviceMappings",
];
const templateFields = [...providerFields, "amiSelector", "userData", "detailedMonitoring"];
/** Only before v1alpha5, and read elsewhere. */
const firstFields = ["cluster", "capacityTypes"];

/** What the labels of the first versions said about AWS. */
export interface LabelHints {
  readonly subnetTerms: readonly Term[];
  readonly securityGroupTerms: readonly Term[];
}

export interface AwsSource {
  /** The spec of an AWSNodeTemplate, or the provider of a Provisioner. */
  readonly spec: Field;
  readonly notes: NoteLog;
  readonly options: ConvertOptions;
  readonly hints?: LabelHints;
  /** The cluster that the object itself names. */
  readonly ownClusterName?: string | undefined;
}

/** An AWSNodeTemplate, as a node class of the same name. */
export function convertNodeTemplate(object: Field, notes: NoteLog, options: ConvertOptions): NodeClassDraft {
  const metadata = convertMetadata(object, notes);
  const spec = object.at("spec");
  notes.dropOthers(spec, templateFields, "AWSNodeTemplate");
  return { metadata, spec: convertAwsSpec({ spec, notes, options }) };
}

/** The `provider` of a Provisioner, as the spec of a node class. */
export function convertProvider(source: AwsSource): Readonly<Record<string, unknown>> {
  source.notes.dropOthers(source.spec, [...templateFields, ...firstFields], "provider");
  for (const name of ["apiVersion", "kind"]) {
    const field = source.spec.at(name);
    if (!field.isAbsent) source.notes.dropped(field, "is left out: the node class has its own");
  }
  return convertAwsSpec(source);
}

function convertAwsSpec({ spec, notes, options, hints, ownClusterName }: AwsSource): Readonly<Record<string, unknown>> {
  const defaults = new ClusterDefaults(options, notes, ownClusterName);
  const launchTemplate = spec.at("launchTemplate");
  if (!launchTemplate.isAbsent) {
    launchTemplate.note(
      "must not be set: launch templates of one's own are gone. Write what it says as amiSelector, securityGroupSelector, userData, blockDeviceMappings and metadataOptions instead",
    );
  }
  notes.changed(
    spec.at("tags"),
    "aside, machines have the tags karpenter.sh/nodepool and eks:eks-cluster-name in place of karpenter.sh/provisioner-name and karpenter.sh/managed-by: correct policies of IAM that look at those",
  );
  const images = convertImages({ spec, notes, options }, convertImageSelector(spec.at("amiSelector"), notes));
  const subnets = [...convertSelector(spec.at("subnetSelector")), ...(hints?.subnetTerms ?? [])];
  const groups = [...convertSelector(spec.at("securityGroupSelector")), ...(hints?.securityGroupTerms ?? [])];
  const instanceProfile = spec.at("instanceProfile").text() || undefined;
  return compact({
    ...images,
    subnetSelectorTerms: subnets.length > 0 ? subnets : defaults.selectorTerms(spec.at("subnetSelector"), "subnets"),
    securityGroupSelectorTerms:
      groups.length > 0 ? groups : defaults.selectorTerms(spec.at("securityGroupSelector"), "security groups"),
    role: instanceProfile === undefined ? defaults.role(spec.at("instanceProfile")) : undefined,
    instanceProfile,
    metadataOptions: convertMetadataOptions(spec.at("metadataOptions"), "alpha", notes),
    blockDeviceMappings: convertBlockDevices(spec.at("blockDeviceMappings"), notes) ?? ubuntuVolumes(spec),
    userData: spec.at("userData").text(),
    tags: convertTags(spec.at("tags")),
    detailedMonitoring: optionalFlag(spec.at("detailedMonitoring")),
    context: spec.at("context").text(),
  });
}

/** Machines of Ubuntu have their root elsewhere than those of the family that takes its place. */
export function ubuntuVolumes(spec: Field): object[] | undefined {
  if (spec.at("amiFamily").value !== "Ubuntu") return undefined;
  const ebs = { volumeSize: "20Gi", volumeType: "gp3", encrypted: true };
  return [{ deviceName: "/dev/sda1", rootVolume: true, ebs }];
}

export function convertTags(field: Field): object | undefined {
  const tags = field.labels();
  return tags.size === 0 ? undefined : Object.fromEntries(tags);
}
