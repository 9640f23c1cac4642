import { normalizeLabelKey } from "../model/labels.ts";
import type { NodeTerm } from "../model/requirements.ts";
import type { StorageClass, Volume, VolumeClaim } from "../model/volumes.ts";
import { type Field, nameObject, namespaceOf, openObject } from "./field.ts";
import { driverOfProvisioner, driverOfVolumeFields } from "./in-tree-drivers.ts";
import type { Read } from "./problem.ts";
import { joinEntries, readNodeTerm } from "./read-node-term.ts";
import { readResources } from "./read-resources.ts";

export function readVolumeClaim(wire: unknown): Read<VolumeClaim> {
  const claim = openObject(wire, nameObject(wire, "PersistentVolumeClaim", "default"));
  const metadata = claim.at("metadata");
  const annotations = metadata.at("annotations");
  const spec = claim.at("spec");
  return claim.log.conclude({
    namespace: namespaceOf(metadata),
    name: metadata.at("name").requiredText(),
    ...readClaimRequest(claim),
    volumeName: spec.at("volumeName").text() ?? "",
    isBindCompleted: !annotations.at("pv.kubernetes.io/bind-completed").isAbsent,
    isLost: claim.at("status").at("phase").text() === "Lost",
    isDeleting: !metadata.at("deletionTimestamp").isAbsent,
  });
}

/** What a claim, or the template of one, asks for. */
export function readClaimRequest(claim: Field): Pick<VolumeClaim, "storageClassName" | "storage"> {
  const spec = claim.at("spec");
  const annotations = claim.at("metadata").at("annotations");
  return {
    storageClassName:
      spec.at("storageClassName").text() ?? annotations.at("volume.beta.kubernetes.io/storage-class").text(),
    storage: readResources(spec.at("resources").at("requests")).get("storage") ?? 0,
  };
}

export function readVolume(wire: unknown): Read<Volume> {
  const volume = openObject(wire, nameObject(wire, "PersistentVolume"));
  const spec = volume.at("spec");
  const fields = spec.entries().flatMap(([name, field]) => (field.isAbsent ? [] : [name]));
  return volume.log.conclude({
    name: volume.at("metadata").at("name").requiredText(),
    nodeTerms: readVolumeTerms(spec.at("nodeAffinity").at("required").at("nodeSelectorTerms")),
    driver: spec.at("csi").at("driver").text() ?? driverOfVolumeFields(fields),
    isLocal: fields.includes("local") || fields.includes("hostPath"),
    isDeleting: !volume.at("metadata").at("deletionTimestamp").isAbsent,
  });
}

function readVolumeTerms(field: Field): readonly NodeTerm[] {
  const items = field.items();
  const terms = items.flatMap((item) => readNodeTerm(item) ?? []);
  if (items.length > 0 && terms.length === 0) field.note("must have a term that some node could match, found none");
  return terms;
}

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export function readStorageClass(wire: unknown): Read<StorageClass> {
  const storageClass = openObject(wire, nameObject(wire, "StorageClass"));
  const metadata = storageClass.at("metadata");
  const mode = storageClass.at("volumeBindingMode").choice(["Immediate", "WaitForFirstConsumer"] as const);
  return storageClass.log.conclude({
    name: metadata.at("name").requiredText(),
    driver: driverOfProvisioner(storageClass.at("provisioner").requiredText()),
    bindsImmediately: mode !== "WaitForFirstConsumer",
    allowedTopologies: storageClass.at("allowedTopologies").items().flatMap(readTopologyTerm),
    isDefault: defaultAnnotations.some((name) => metadata.at("annotations").at(name).text() === "true"),
    createdAt: metadata.at("creationTimestamp").time() ?? 0,
  });
}

/** A term without expressions, or one that contradicts itself, allows nothing. */
function readTopologyTerm(term: Field): NodeTerm[] {
  const entries = term
    .at("matchLabelExpressions")
    .items()
    .map((item) => ({
      key: normalizeLabelKey(item.at("key").requiredText()),
      operator: "In" as const,
      values: item.at("values").texts(),
      minValues: undefined,
    }));
  const joined = entries.length === 0 ? undefined : joinEntries(entries);
  if (joined === undefined) term.note("must have expressions that some node could match");
  return joined === undefined ? [] : [joined];
}
