import type { Field } from "../field.ts";
import { convertEndings } from "./convert-disruption.ts";
import { convertKubelet } from "./convert-kubelet.ts";
import { convertLimits } from "./convert-limits.ts";
import { convertProvider } from "./convert-node-template.ts";
import type { ConvertOptions } from "./convert-options.ts";
import { convertNodeLabels, convertRequirements, type Requirement } from "./convert-requirements.ts";
import { convertTaints } from "./convert-taints.ts";
import { ec2NodeClass, type PoolDraft } from "./drafts.ts";
import type { NoteLog } from "./note.ts";
import { webhookDefaults } from "./webhook-defaults.ts";
import { convertMetadata, convertNodeAnnotations, keepProvisionerName } from "./write-metadata.ts";
import { writeNodePool } from "./write-node-pool.ts";

const specFields = [
  "labels",
  "annotations",
  "taints",
  "startupTaints",
  "requirements",
  "kubeletConfiguration",
  "provider",
  "providerRef",
  "ttlSecondsAfterEmpty",
  "ttlSecondsUntilExpired",
  "limits",
  "weight",
  "consolidation",
];

/** A Provisioner of `karpenter.sh/v1alpha5`. */
export function convertProvisioner(object: Field, notes: NoteLog, options: ConvertOptions): PoolDraft {
  const metadata = keepProvisionerName(convertMetadata(object, notes), object, notes);
  const spec = object.at("spec");
  notes.dropOthers(spec, specFields, "Provisioner v1alpha5");
  notes.dropOthers(spec.at("limits"), ["resources"], "limits, which holds amounts under resources");
  const labels = convertNodeLabels(spec.at("labels"), notes);
  const written = convertRequirements(spec.at("requirements"), notes);
  const mentioned = new Set([...written.map(({ key }) => key), ...labels.keys()]);
  const added = options.webhookDefaults === false ? [] : webhookDefaults(mentioned, "v1alpha5");
  noteDefaults(spec.at("requirements"), added, notes);
  const body = {
    labels,
    annotations: convertNodeAnnotations(spec.at("annotations"), notes),
    taints: convertTaints(spec, notes),
    requirements: [...written, ...added],
    endings: convertEndings(spec, notes),
    limits: convertLimits(spec.at("limits").at("resources")),
    weight: spec.at("weight").integer(1, 100),
  };
  return {
    name: metadata.name,
    kubelet: convertKubelet(spec.at("kubeletConfiguration"), notes),
    classPlace: spec.at("providerRef"),
    nodeClass: convertNodeClass({ spec, metadata, notes, options }),
    write: (ref) => writeNodePool(metadata, body, ref),
  };
}

export function noteDefaults(place: Field, added: readonly Requirement[], notes: NoteLog): void {
  if (added.length === 0) return;
  const words = added.map(({ key, operator, values }) => `${key} ${operator} [${values?.join(", ")}]`).join(", ");
  notes.changed(place, `had what was not said filled in, which is written out: ${words}; remove what should be free`);
}

interface NodeClassSource {
  readonly spec: Field;
  readonly metadata: { readonly name: string };
  readonly notes: NoteLog;
  readonly options: ConvertOptions;
}

function convertNodeClass({ spec, metadata, notes, options }: NodeClassSource): PoolDraft["nodeClass"] {
  const [provider, reference] = [spec.at("provider"), spec.at("providerRef")];
  if (!provider.isAbsent && !reference.isAbsent) {
    provider.note("must not go with providerRef, which says the same: remove one of them");
  }
  if (reference.isAbsent) {
    if (!provider.isAbsent) notes.changed(provider, `is the EC2NodeClass ${metadata.name} now`);
    return { metadata: { name: metadata.name }, spec: convertProvider({ spec: provider, notes, options }) };
  }
  notes.dropOthers(reference, ["apiVersion", "kind", "name"], "providerRef");
  const kind = reference.at("kind").text() || "AWSNodeTemplate";
  if (kind !== "AWSNodeTemplate" && kind !== ec2NodeClass.kind) {
    reference.at("kind").reject("must be AWSNodeTemplate: node classes of other clouds cannot be converted");
  }
  return { ...ec2NodeClass, name: reference.at("name").requiredText() };
}
