import type { DescribeImagesCommandInput, Filter } from "@aws-sdk/client-ec2";
import { tagFilters } from "../network/selector-filters.ts";
import type { ImageTerm } from "../node-class/ec2-node-class.ts";

/** A filter understands `*` and `?`, so that what is not an id could match the images of strangers. */
export function isImageId(text: string): boolean {
  return /^ami-[0-9a-z]+$/.test(text);
}

/** One query for all ids. */
export function queryForIds(ids: readonly string[]): DescribeImagesCommandInput {
  return query([{ Name: "image-id", Values: [...new Set(ids)].sort() }], []);
}

/** One query for each term that names neither an alias, an id nor a parameter. */
export function queriesForTerms(terms: readonly ImageTerm[]): DescribeImagesCommandInput[] {
  return terms
    .filter(({ alias, id, ssmParameter }) => alias === undefined && id === undefined && ssmParameter === undefined)
    .map(queryForTerm);
}

function queryForTerm({ name, owner, tags }: ImageTerm): DescribeImagesCommandInput {
  const byName = name === undefined ? [] : [{ Name: "name", Values: [name] }];
  const filters = [...byName, ...tagFilters(tags)];
  if (owner !== undefined) return query(filters, [owner]);
  // Anybody may publish an image under any name; tags, in contrast, are seen only by the account that set them.
  return query(filters, name === undefined ? [] : ["self", "amazon"]);
}

function query(filters: readonly Filter[], owners: readonly string[]): DescribeImagesCommandInput {
  return {
    Filters: [...filters, { Name: "state", Values: ["available"] }],
    ...(owners.length === 0 ? {} : { Owners: [...owners] }),
    IncludeDeprecated: true,
  };
}
