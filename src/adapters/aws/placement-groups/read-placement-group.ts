import type { DescribePlacementGroupsCommandInput, PlacementGroup as Told } from "@aws-sdk/client-ec2";
import type { PlacementGroup } from "../aws-parts.ts";
import type { PlacementGroupTerm } from "../node-class/ec2-node-class.ts";

/** Only a group that machines can be launched into. */
export function placementGroupQuery({ id, name }: PlacementGroupTerm): DescribePlacementGroupsCommandInput {
  const Filters = [{ Name: "state", Values: ["available"] }];
  return id === undefined ? { GroupNames: [name ?? ""], Filters } : { GroupIds: [id], Filters };
}

/** As we understand it. Throws when it is of a kind that nobody knew when this was written. */
export function readPlacementGroup(told: Told): PlacementGroup {
  const { GroupId: id = "", GroupName: name = "", Strategy: strategy, PartitionCount = 0 } = told;
  if (strategy !== "cluster" && strategy !== "partition" && strategy !== "spread") {
    throw new Error(
      `placement group ${id} (${name}) has the strategy "${strategy}"; choose one with cluster, partition or spread`,
    );
  }
  return { id, name, strategy, partitions: strategy === "partition" ? PartitionCount : 0 };
}

/** The same for the same group. */
export function keyOf({ id, name }: PlacementGroupTerm): string {
  return id === undefined ? `name ${name ?? ""}` : `id ${id}`;
}
