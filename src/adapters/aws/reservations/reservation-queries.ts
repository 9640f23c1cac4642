import type { DescribeCapacityReservationsCommandInput } from "@aws-sdk/client-ec2";
import { tagFilters } from "../network/selector-filters.ts";
import type { CapacityReservationTerm } from "../node-class/ec2-node-class.ts";

export interface ReservationQuery {
  /** The same for two that ask for the same. */
  readonly key: string;
  readonly input: Pick<DescribeCapacityReservationsCommandInput, "Filters" | "CapacityReservationIds">;
}

/** One request for each term: an id that EC2 does not know fails the whole request. */
export function reservationQueries(terms: readonly CapacityReservationTerm[]): readonly ReservationQuery[] {
  const queries = new Map<string, ReservationQuery>();
  for (const input of terms.flatMap(inputsOf)) {
    const key = JSON.stringify(input);
    queries.set(key, { key, input });
  }
  return [...queries.values()];
}

/** An owner alone would ask for all that others share with us, and so asks for nothing. */
function inputsOf({ id, tags, ownerID, instanceMatchCriteria }: CapacityReservationTerm): ReservationQuery["input"][] {
  const state = { Name: "state", Values: ["active"] };
  if (id !== undefined) return [{ CapacityReservationIds: [id], Filters: [state] }];
  if (tags.size === 0 && instanceMatchCriteria === undefined) return [];
  const filter = (Name: string, value: string | undefined) => (value === undefined ? [] : [{ Name, Values: [value] }]);
  return [
    {
      Filters: [
        state,
        ...filter("owner-id", ownerID),
        ...[...tagFilters(tags)].sort((left, right) => (String(left.Name) < String(right.Name) ? -1 : 1)),
        ...filter("instance-match-criteria", instanceMatchCriteria),
      ],
    },
  ];
}
