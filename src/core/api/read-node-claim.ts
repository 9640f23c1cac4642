import type { NodeClaim } from "../model/node-claim.ts";
import type { RequirementEntry } from "../model/requirement-entries.ts";
import { intersection, makeRequirement, type Requirement, type Requirements } from "../model/requirements.ts";
import { nameObject, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { readDuration } from "./read-duration.ts";
import { readObjectIdentity } from "./read-object-identity.ts";
import { readRequirement } from "./read-requirement.ts";
import { readResources } from "./read-resources.ts";
import { readTaints } from "./read-taints.ts";

export function readNodeClaim(wire: unknown): Read<NodeClaim> {
  const claim = openObject(wire, nameObject(wire, "NodeClaim"));
  const metadata = claim.at("metadata");
  const spec = claim.at("spec");
  const status = claim.at("status");
  const nodeClassRef = spec.at("nodeClassRef");
  const requirementEntries = spec
    .at("requirements")
    .items()
    .flatMap((item) => readRequirement(item) ?? []);
  return claim.log.conclude({
    ...readObjectIdentity(metadata),
    labels: metadata.at("labels").labels(),
    annotations: metadata.at("annotations").labels(),
    requirements: joinRequirements(requirementEntries),
    requirementEntries,
    taints: readTaints(spec.at("taints")),
    startupTaints: readTaints(spec.at("startupTaints")),
    requests: readResources(spec.at("resources").at("requests")),
    nodeClassRef: {
      group: nodeClassRef.at("group").text() ?? "",
      kind: nodeClassRef.at("kind").text() ?? "",
      name: nodeClassRef.at("name").text() ?? "",
    },
    terminationGracePeriod: readDuration(spec.at("terminationGracePeriod")),
    expireAfter: readDuration(spec.at("expireAfter")),
    providerId: status.at("providerID").text() ?? "",
    nodeName: status.at("nodeName").text() ?? "",
    imageId: status.at("imageID").text() ?? "",
    capacity: readResources(status.at("capacity")),
    allocatable: readResources(status.at("allocatable")),
    conditions: readConditions(claim),
    lastPodEventTime: status.at("lastPodEventTime").time(),
  });
}

function joinRequirements(entries: readonly RequirementEntry[]): Requirements {
  const joined = new Map<string, Requirement>();
  for (const { key, operator, values, minValues } of entries) {
    const requirement = makeRequirement(operator, values, minValues);
    const known = joined.get(key);
    joined.set(key, known === undefined ? requirement : intersection(known, requirement));
  }
  return joined;
}
