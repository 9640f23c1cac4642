import type { Filter } from "@aws-sdk/client-ec2";
import type { Labels } from "../../../core/model/labels.ts";
import type { SecurityGroupTerm, SubnetTerm } from "../node-class/ec2-node-class.ts";

/** What one request to EC2 asks for: all filters hold. */
export type Filters = readonly Filter[];

/** One request for each term with tags, and one for all ids together. */
export function subnetFilters(terms: readonly SubnetTerm[]): readonly Filters[] {
  return [...byTags(terms.filter(({ id }) => id === undefined)), ...oneOf("subnet-id", terms, ({ id }) => id)];
}

/** A name is that of the group itself, and not its tag `Name`. */
export function securityGroupFilters(terms: readonly SecurityGroupTerm[]): readonly Filters[] {
  const isTagged = ({ id, name }: SecurityGroupTerm): boolean => id === undefined && name === undefined;
  return [
    ...byTags(terms.filter(isTagged)),
    ...oneOf("group-id", terms, ({ id }) => id),
    ...oneOf("group-name", terms, ({ id, name }) => (id === undefined ? name : undefined)),
  ];
}

/** EC2 itself understands `*` and `?` within a value; `*` alone would leave out tags whose value is empty. */
export function tagFilters(tags: Labels): Filters {
  return [...tags].map(([key, value]) =>
    value === "*" ? { Name: "tag-key", Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
}

/** A term without tags would ask for everything there is, and so asks for nothing. */
function byTags(terms: readonly { readonly tags: Labels }[]): readonly Filters[] {
  return terms.filter(({ tags }) => tags.size > 0).map(({ tags }) => tagFilters(tags));
}

function oneOf<Term>(
  filter: string,
  terms: readonly Term[],
  textOf: (term: Term) => string | undefined,
): readonly Filters[] {
  const values = new Set(terms.map(textOf).filter((value) => value !== undefined));
  return values.size === 0 ? [] : [[{ Name: filter, Values: [...values] }]];
}
