import { parseDuration } from "../../model/duration.ts";
import type { Field } from "../field.ts";
import { nodeClaims } from "../karpenter-resources.ts";
import { type Endings, expiryIsForceful } from "./convert-disruption.ts";
import { convertKubelet } from "./convert-kubelet.ts";
import { convertLimits } from "./convert-limits.ts";
import { convertNodeLabels, convertRequirements } from "./convert-requirements.ts";
import { convertTaints } from "./convert-taints.ts";
import { ec2NodeClass, type PoolDraft, type Ref } from "./drafts.ts";
import type { NoteLog } from "./note.ts";
import { convertMetadata, convertNodeAnnotations } from "./write-metadata.ts";
import { writeNodePool } from "./write-node-pool.ts";

const claimFields = ["taints", "startupTaints", "requirements", "resources", "kubelet", "nodeClassRef"];
const laterFields = ["expireAfter", "terminationGracePeriod"];

/** A NodePool of `karpenter.sh/v1beta1`. */
export function convertBetaPool(object: Field, notes: NoteLog): PoolDraft {
  const metadata = convertMetadata(object, notes);
  const spec = object.at("spec");
  const template = spec.at("template");
  const nodes = template.at("spec");
  notes.dropOthers(spec, ["template", "disruption", "limits", "weight"], "NodePool v1beta1");
  notes.dropOthers(template.at("metadata"), ["labels", "annotations"], "the template's metadata");
  notes.dropOthers(nodes, [...claimFields, ...laterFields], "the template of NodePool v1beta1");
  if (!nodes.at("resources").isAbsent) notes.dropped(nodes.at("resources"), "is left out: pods say what they need");
  const body = {
    labels: convertNodeLabels(template.at("metadata").at("labels"), notes),
    annotations: convertNodeAnnotations(template.at("metadata").at("annotations"), notes),
    taints: convertTaints(nodes, notes),
    requirements: convertRequirements(nodes.at("requirements"), notes),
    endings: convertBetaEndings(spec, notes),
    limits: convertLimits(spec.at("limits")),
    weight: spec.at("weight").integer(1, 100),
    terminationGracePeriod: nodes.at("terminationGracePeriod").text(),
  };
  return {
    name: metadata.name,
    kubelet: convertKubelet(nodes.at("kubelet"), notes),
    classPlace: nodes.at("nodeClassRef"),
    nodeClass: convertRef(nodes.at("nodeClassRef"), notes),
    write: (ref) => writeNodePool(metadata, body, ref),
  };
}

/** A NodeClaim of `karpenter.sh/v1beta1`: a node that somebody wants, or that was there when it was saved. */
export function convertBetaClaim(object: Field, notes: NoteLog): PoolDraft {
  const metadata = convertMetadata(object, notes);
  const spec = object.at("spec");
  notes.dropOthers(spec, [...claimFields, ...laterFields], "NodeClaim v1beta1");
  const taints = convertTaints(spec, notes);
  const requirements = convertRequirements(spec.at("requirements"), notes);
  const { requests } = spec.at("resources").record() ?? {};
  const expireAfter = readDurationOrNever(spec.at("expireAfter")) ?? "Never";
  if (spec.at("expireAfter").isAbsent) {
    notes.changed(
      spec.at("expireAfter"),
      "was said by the pool, and is Never here: correct it if this node should expire",
    );
  }
  return {
    name: metadata.name,
    kubelet: convertKubelet(spec.at("kubelet"), notes),
    classPlace: spec.at("nodeClassRef"),
    nodeClass: convertRef(spec.at("nodeClassRef"), notes),
    write: (nodeClassRef) => ({
      apiVersion: `${nodeClaims.group}/${nodeClaims.version}`,
      kind: nodeClaims.kind,
      metadata,
      spec: {
        nodeClassRef,
        requirements,
        ...taints,
        ...(requests === undefined ? {} : { resources: { requests } }),
        expireAfter,
      },
    }),
  };
}

function convertRef(field: Field, notes: NoteLog): Ref {
  notes.dropOthers(field, ["apiVersion", "group", "kind", "name"], "nodeClassRef");
  const [group] = (field.at("apiVersion").text() ?? "").split("/");
  return {
    group: field.at("group").text() || group || ec2NodeClass.group,
    kind: field.at("kind").text() || ec2NodeClass.kind,
    name: field.at("name").requiredText(),
  };
}

const policies: ReadonlyMap<string, string> = new Map([
  ["WhenUnderutilized", "WhenEmptyOrUnderutilized"],
  ["WhenEmptyOrUnderutilized", "WhenEmptyOrUnderutilized"],
  ["WhenEmpty", "WhenEmpty"],
]);

function convertBetaEndings(spec: Field, notes: NoteLog): Endings {
  const disruption = spec.at("disruption");
  notes.dropOthers(disruption, ["consolidationPolicy", "consolidateAfter", "expireAfter", "budgets"], "disruption");
  const policyField = disruption.at("consolidationPolicy");
  const written = policyField.choice([...policies.keys()]) ?? "WhenUnderutilized";
  const consolidationPolicy = policies.get(written);
  if (!policyField.isAbsent && consolidationPolicy !== written) {
    notes.changed(policyField, `is called ${consolidationPolicy} now`);
  }
  const { budgets } = disruption.record() ?? {};
  const afterField = disruption.at("consolidateAfter");
  const consolidateAfter = readDurationOrNever(afterField);
  if (consolidateAfter === undefined) {
    notes.changed(afterField, "was not set, which is 0s: write a longer time for fewer moves");
  } else {
    notes.changed(afterField, "counts from the last time that a pod came to a node or left it");
  }
  return {
    disruption: {
      consolidationPolicy,
      consolidateAfter: consolidateAfter ?? "0s",
      ...(budgets === undefined || budgets === null ? {} : { budgets }),
    },
    expireAfter: convertBetaExpiry(spec, notes),
  };
}

function convertBetaExpiry(spec: Field, notes: NoteLog): string {
  const fields = [spec.at("disruption").at("expireAfter"), spec.at("template").at("spec").at("expireAfter")];
  const [field] = fields;
  const expireAfter = fields.map(readDurationOrNever).find((text) => text !== undefined) ?? "720h";
  const where = "template.spec.expireAfter";
  if (field !== undefined) {
    const forceful = expireAfter === "Never" ? "" : `, ${expiryIsForceful}`;
    notes.changed(field, `is ${where}: ${expireAfter} now${forceful}`);
  }
  return expireAfter;
}

function readDurationOrNever(field: Field): string | undefined {
  const text = field.text();
  if (text === undefined || text === "Never") return text;
  if (parseDuration(text) === undefined) field.reject('must be a duration such as "1h30m", or "Never"');
  return text;
}
