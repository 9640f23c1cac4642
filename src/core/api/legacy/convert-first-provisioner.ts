import { capacityTypeLabel } from "../../model/labels.ts";
import type { Field } from "../field.ts";
import { convertEndings } from "./convert-disruption.ts";
import { convertKubelet } from "./convert-kubelet.ts";
import { convertLimits } from "./convert-limits.ts";
import { convertProvider } from "./convert-node-template.ts";
import type { ConvertOptions } from "./convert-options.ts";
import { noteDefaults } from "./convert-provisioner.ts";
import { convertRequirements, type Requirement } from "./convert-requirements.ts";
import { convertTaints } from "./convert-taints.ts";
import type { PoolDraft } from "./drafts.ts";
import { constraintSources, convertConstraints, convertRegion, findField, type Sources } from "./first-constraints.ts";
import { convertFirstLabels } from "./first-labels.ts";
import { renameLabel } from "./legacy-labels.ts";
import type { NoteLog } from "./note.ts";
import { webhookDefaults } from "./webhook-defaults.ts";
import { convertMetadata, keepProvisionerName, type Metadata } from "./write-metadata.ts";
import { writeNodePool } from "./write-node-pool.ts";

const constraintFields = [
  "cluster",
  "taints",
  "startupTaints",
  "kubeletConfiguration",
  "labels",
  "zones",
  "region",
  "type",
  "instanceTypes",
  "instanceType",
  "architecture",
  "architectures",
  "operatingSystem",
  "operatingSystems",
  "requirements",
  "ttlSeconds",
  "ttlSecondsAfterEmpty",
  "ttlSecondsUntilExpired",
  "provider",
  "limits",
];

/** Read by the scheduler: keys of requirements that give way to what a pod selects. */
const defaultRequirementsAnnotation = "karpenter.sh/default-requirements";

/** A Provisioner of the versions before v1alpha5; alternatives among its constraints become pools of their own. */
export function convertFirstProvisioner(object: Field, notes: NoteLog, options: ConvertOptions): PoolDraft[] {
  const metadata = keepProvisionerName(convertMetadata(object, notes), object, notes);
  const spec = object.at("spec");
  notes.dropOthers(spec, [...constraintFields, "constraints"], "Provisioner before v1alpha5");
  const alternatives = constraintSources(spec);
  for (const source of new Set(alternatives.flat())) {
    if (source !== spec) notes.dropOthers(source, constraintFields, "constraints");
  }
  if (alternatives.length > 1) {
    notes.changed(
      spec.at("constraints"),
      `has ${alternatives.length} alternatives, and each is a pool of its own now, the first the one that is tried first; limits hold for each`,
    );
  }
  const drafts = alternatives.map((sources, index) => {
    const name = index === 0 ? metadata.name : `${metadata.name}-${index + 1}`;
    const weight = alternatives.length > 1 ? Math.max(1, alternatives.length - index) : undefined;
    return convertAlternative({ sources, metadata: { ...metadata, name }, weight, notes, options });
  });
  return options.nodeClassPerPool ? drafts : shareNodeClass(drafts);
}

/** Alternatives seldom differ in anything but their machines. */
function shareNodeClass(drafts: PoolDraft[]): PoolDraft[] {
  const [first] = drafts;
  const meaning = ({ nodeClass, kubelet }: PoolDraft) =>
    JSON.stringify(["spec" in nodeClass ? nodeClass.spec : nodeClass, kubelet?.settings]);
  return drafts.map((draft) =>
    first !== undefined && meaning(draft) === meaning(first) ? { ...draft, nodeClass: first.nodeClass } : draft,
  );
}

interface Alternative {
  readonly sources: Sources;
  readonly metadata: Metadata;
  readonly weight: number | undefined;
  readonly notes: NoteLog;
  readonly options: ConvertOptions;
}

interface Choices {
  readonly strict: readonly Requirement[];
  readonly lists: readonly Requirement[];
  /** The labels. */
  readonly field: Field;
  readonly notes: NoteLog;
}

function convertAlternative({ sources, metadata, weight, notes, options }: Alternative): PoolDraft {
  const find = (name: string) => findField(sources, name);
  const { labels, requirements: labelled, hints } = convertFirstLabels(find("labels"), notes);
  const strict = [...convertRequirements(find("requirements"), notes), ...convertRegion(sources)];
  const lists = [...convertConstraints(sources, notes), ...convertCapacityTypes(find("provider").at("capacityTypes"))];
  const listed = unlessMentioned(lists, strict);
  const among = { strict, lists: listed, field: find("labels"), notes };
  const chosen = labelled.filter((label) => chooses(label, among));
  const said = unlessMentioned(listed, chosen);
  const written = [...said, ...chosen];
  const mentioned = new Set([...strict, ...written].map(({ key }) => key));
  const added = options.webhookDefaults === false ? [] : webhookDefaults(mentioned, "first");
  noteDefaults(find("requirements"), added, notes);
  const overridable = [...written, ...added].map(({ key }) => key);
  noteOverridable(sources, overridable, notes);
  const body = {
    labels,
    annotations: {},
    taints: convertTaints(sourceOf(sources, "taints"), notes),
    requirements: [...strict, ...written, ...added],
    endings: convertEndings(endingsSource(sources), notes),
    limits: convertLimits(find("limits").at("resources")),
    weight,
  };
  const provider = find("provider");
  const spec = convertProvider({
    spec: provider,
    notes,
    options,
    hints,
    ownClusterName: convertCluster(sources, notes),
  });
  const pool = withDefaultKeys(metadata, overridable);
  return {
    name: metadata.name,
    kubelet: convertKubelet(find("kubeletConfiguration"), notes),
    classPlace: provider,
    nodeClass: { metadata: { name: metadata.name }, spec },
    write: (ref) => writeNodePool(pool, body, ref),
  };
}

/** Whether a label chooses machines: alone, or among those of a list. One that others exclude is told of. */
function chooses({ key, values: [value = ""] = [] }: Requirement, among: Choices): boolean {
  const { strict, lists, field, notes } = among;
  const place = field.entries().find(([written]) => renameLabel(written) === key)?.[1] ?? field;
  const list = lists.find((other) => other.key === key)?.values ?? [value];
  if (strict.some((other) => other.key === key) || !list.includes(value)) {
    notes.dropped(place, `is left out: what else there is about ${key} says otherwise, or the same`);
    return false;
  }
  if (list.length > 1) notes.changed(place, `chooses ${value} among ${list.join(", ")}`);
  return true;
}

function unlessMentioned(requirements: readonly Requirement[], others: readonly Requirement[]): Requirement[] {
  return requirements.filter(({ key }) => !others.some((other) => other.key === key));
}

function sourceOf(sources: Sources, name: string): Field {
  const spec = sources.at(-1) as Field;
  return sources.find((source) => !source.at(name).isAbsent) ?? spec;
}

function endingsSource(sources: Sources): Field {
  const names = ["ttlSeconds", "ttlSecondsAfterEmpty", "ttlSecondsUntilExpired"];
  const spec = sources.at(-1) as Field;
  return sources.find((source) => names.some((name) => !source.at(name).isAbsent)) ?? spec;
}

function convertCapacityTypes(field: Field): Requirement[] {
  const values = field.texts(10);
  return values.length === 0 ? [] : [{ key: capacityTypeLabel, operator: "In", values }];
}

/** Pods chose their own type, zone and so on, and the lists were for those that did not. */
function noteOverridable(sources: Sources, keys: readonly string[], notes: NoteLog): void {
  const [place] = sources;
  if (place === undefined || keys.length === 0) return;
  notes.changed(
    place,
    `gave way to what a pod selects, which the annotation ${defaultRequirementsAnnotation} keeps so; the Go Karpenter does not know it`,
  );
}

function withDefaultKeys(metadata: Metadata, keys: readonly string[]): Metadata {
  if (keys.length === 0) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [defaultRequirementsAnnotation]: keys.join(",") } };
}

/** The controller knows its cluster now. */
function convertCluster(sources: Sources, notes: NoteLog): string | undefined {
  const places = [findField(sources, "cluster"), findField(sources, "provider").at("cluster")];
  const place = places.find((field) => !field.isAbsent);
  if (place === undefined) return undefined;
  notes.changed(
    place,
    "is a setting of the controller now: CLUSTER_NAME for name, CLUSTER_ENDPOINT for endpoint, CLUSTER_CA_BUNDLE for caBundle",
  );
  notes.dropOthers(place, ["name", "endpoint", "caBundle"], "cluster");
  return place.at("name").text();
}
