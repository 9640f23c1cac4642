import type { Field } from "../../../core/api/field.ts";
import type {
  CapacityReservationTerm,
  ImageTerm,
  PlacementGroupTerm,
  SecurityGroupTerm,
  SubnetTerm,
} from "./ec2-node-class.ts";
import { textOf } from "./read-machine-parts.ts";

const mostTags = 20;

interface CommonTerm {
  readonly tags: SubnetTerm["tags"];
  readonly id: string | undefined;
}

function readCommon(term: Field): CommonTerm {
  const tags = term.at("tags");
  tags.entries(mostTags);
  return { tags: tags.labels(), id: textOf(term.at("id")) };
}

/** A term that says nothing would be about all that there is in the account. */
function refuseEmpty(term: Field, { tags, id }: CommonTerm, others: readonly (string | undefined)[] = []): void {
  if (tags.size > 0 || [id, ...others].some((text) => text !== undefined)) return;
  term.note("must say what it selects by, and says nothing");
}

export function readSubnetTerm(term: Field): SubnetTerm {
  const common = readCommon(term);
  refuseEmpty(term, common);
  return common;
}

export function readSecurityGroupTerm(term: Field): SecurityGroupTerm {
  const common = readCommon(term);
  const name = textOf(term.at("name"));
  refuseEmpty(term, common, [name]);
  return { ...common, name };
}

export function readReservationTerm(term: Field): CapacityReservationTerm {
  const common = readCommon(term);
  const instanceMatchCriteria = term.at("instanceMatchCriteria").choice(["open", "targeted"]);
  refuseEmpty(term, common, [instanceMatchCriteria]);
  return { ...common, ownerID: textOf(term.at("ownerID")), instanceMatchCriteria };
}

export function readImageTerm(term: Field): ImageTerm {
  const common = readCommon(term);
  const alias = textOf(term.at("alias"));
  const name = textOf(term.at("name"));
  const ssmParameter = textOf(term.at("ssmParameter"));
  refuseEmpty(term, common, [alias, name, ssmParameter]);
  return { ...common, alias, name, owner: textOf(term.at("owner")), ssmParameter };
}

export function readPlacementGroup(selector: Field): PlacementGroupTerm | undefined {
  if (selector.isAbsent) return undefined;
  const id = textOf(selector.at("id"));
  const name = textOf(selector.at("name"));
  if ((id === undefined) === (name === undefined)) selector.note("must have either a name or an id");
  return { id, name };
}
