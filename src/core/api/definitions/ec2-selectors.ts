import { type Rule, type Schema, textLike } from "./schema.ts";

/** More than AWS gives any of its ids; a bound is what lets the API server afford the rules. */
const longestId = 64;
/** What AWS allows a tag. */
export const longestTagValue = 256;

const fewTerms = 30;

function idOf(prefix: string, thing: string): Schema {
  return {
    ...textLike(`^${prefix}-[0-9a-z]+$`, `write the id of ${thing}, such as ${prefix}-0123456789abcdef0`),
    maxLength: longestId,
    description: `The id of ${thing}. It stands alone in its term.`,
  };
}

const tags: Schema = {
  type: "object",
  description: "Tags that it must all have; * stands for any value.",
  maxProperties: 20,
  additionalProperties: { type: "string", maxLength: longestTagValue },
  "x-kubernetes-validations": [
    {
      rule: "self.all(key, key != '' && self[key] != '')",
      message: "a tag to select by has a key and a value: write * for any value",
    },
  ],
};

/** A rule for every term: where the first holds, the others must not. */
function standsAlone(field: string, others: readonly string[]): Rule {
  const besides = others.map((other) => `has(term.${other})`).join(" || ");
  return {
    rule: `self.all(term, !has(term.${field}) || !(${besides}))`,
    message: `${field} says all: leave ${listOf(others)} out of a term with ${field}, or write another term for them`,
  };
}

function saysSomething(fields: readonly string[]): Rule {
  return {
    rule: `self.all(term, ${fields.map((field) => `has(term.${field})`).join(" || ")})`,
    message: `a term selects by ${listOf(fields, "or")}: give each term at least one`,
  };
}

function notEmpty(things: string): Rule {
  return { rule: "self.size() != 0", message: `machines need ${things}: write at least one term` };
}

function listOf(words: readonly string[], last = "and"): string {
  return words.length === 1 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

function terms(description: string, properties: Readonly<Record<string, Schema>>, rules: readonly Rule[]): Schema {
  return {
    type: "array",
    description,
    maxItems: fewTerms,
    items: { type: "object", description: "All that a term says must hold.", properties },
    "x-kubernetes-validations": rules,
  };
}

export const subnetSelectorTerms = terms(
  "Subnets that machines may be in: those that any of the terms is about.",
  { id: idOf("subnet", "a subnet"), tags },
  [notEmpty("subnets"), saysSomething(["tags", "id"]), standsAlone("id", ["tags"])],
);

export const securityGroupSelectorTerms = terms(
  "Security groups of the machines: all that any of the terms is about.",
  {
    id: idOf("sg", "a security group"),
    name: {
      type: "string",
      description: "The name of a security group itself, which is not its tag Name. It stands alone in its term.",
    },
    tags,
  },
  [
    notEmpty("security groups"),
    saysSomething(["tags", "id", "name"]),
    standsAlone("id", ["tags", "name"]),
    // A name beside an id is the rule above.
    standsAlone("name", ["tags"]),
  ],
);

const accountId: Schema = {
  ...textLike("^[0-9]{12}$", "write the number of an AWS account, 12 digits in quotes"),
  maxLength: 12,
  description: "The AWS account that owns the capacity reservation.",
};

export const capacityReservationSelectorTerms = terms(
  "Capacity reservations that machines may use: those that any of the terms is about. None by default.",
  {
    id: idOf("cr", "a capacity reservation"),
    instanceMatchCriteria: {
      type: "string",
      enum: ["open", "targeted"],
      description: "Which launches the reservation takes: all that fit, or those that name it.",
    },
    ownerID: accountId,
    tags,
  },
  [
    saysSomething(["tags", "id", "instanceMatchCriteria"]),
    standsAlone("id", ["tags", "ownerID", "instanceMatchCriteria"]),
  ],
);

export const placementGroupSelector: Schema = {
  type: "object",
  description: "The placement group that machines are launched into. None by default.",
  properties: {
    id: { ...idOf("pg", "a placement group"), description: "The id of the placement group." },
    name: { type: "string", minLength: 1, description: "The name of the placement group." },
  },
  "x-kubernetes-validations": [
    { rule: "has(self.name) || has(self.id)", message: "name the placement group: set name or id" },
    { rule: "!has(self.name) || !has(self.id)", message: "name and id both name the placement group: remove one" },
  ],
};

const alias: Schema = {
  type: "string",
  maxLength: 30,
  description:
    "Images that AWS makes for EKS, as family@version: al2, al2023, bottlerocket, windows2019, windows2022 or windows2025, and a release such as v20240807 or latest, which follows every release. It stands alone.",
  "x-kubernetes-validations": [
    {
      rule: "self.matches(r'^[a-zA-Z0-9]+@.+$')",
      message: "write an alias as family@version, such as al2023@v20240807 or bottlerocket@latest",
    },
    {
      rule: "self.find('^[^@]+') in ['al2', 'al2023', 'bottlerocket', 'windows2019', 'windows2022', 'windows2025']",
      message:
        "there are aliases for al2, al2023, bottlerocket, windows2019, windows2022 and windows2025: choose one of them, or select images by tags, id, name or ssmParameter",
    },
    {
      rule: "!self.startsWith('windows') || self.endsWith('@latest')",
      message: "images of Windows have no releases to choose from: write latest after the @",
    },
  ],
};

export const amiSelectorTerms: Schema = {
  ...terms(
    "Images that machines may start from: those that any of the terms is about. Each machine gets the newest that fits it.",
    {
      alias,
      id: idOf("ami", "an image"),
      name: { type: "string", description: "The name of the image itself, which is not its tag Name; * matches any." },
      owner: {
        type: "string",
        description: "Who owns the image: the number of an account, self, amazon or aws-marketplace.",
      },
      ssmParameter: {
        type: "string",
        description: "The name or ARN of an SSM parameter that holds the id of an image.",
      },
      tags,
    },
    [
      saysSomething(["tags", "id", "name", "alias", "ssmParameter"]),
      standsAlone("id", ["alias", "tags", "name", "owner"]),
      // An id beside an alias is the rule above.
      standsAlone("alias", ["tags", "name", "owner"]),
      {
        rule: "self.size() == 1 || !self.exists(term, has(term.alias))",
        message: "an alias chooses all images: make its term the only one",
      },
    ],
  ),
  minItems: 1,
};
