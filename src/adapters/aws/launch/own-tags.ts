import type { Labels } from "../../../core/model/labels.ts";
import { clusterNameTag, nodeClassTag, nodePoolTag, ownedTag } from "../names.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";

/** On everything that is made for a node class. Users cannot replace those by which it is found again. */
export function ownTags(nodeClass: Ec2NodeClass, clusterName: string, nodePool: string): Labels {
  return new Map([
    ...nodeClass.spec.tags,
    [ownedTag(clusterName), "owned"],
    [nodePoolTag, nodePool],
    [clusterNameTag, clusterName],
    [nodeClassTag, nodeClass.name],
  ]);
}
