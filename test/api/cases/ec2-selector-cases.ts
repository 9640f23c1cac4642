import { ec2NodeClassDefinition } from "../../../src/core/api/definitions/ec2-node-class.ts";
import { type AdmissionCase, casesOf } from "../admission-case.ts";

const { takes, refuses } = casesOf(ec2NodeClassDefinition);

type Write = (spec: object) => object;

const tags = { a: "b" };
const saysNothing = "a term selects by";
const tagToSelectBy = "a tag to select by has a key and a value";
const onlyAllMixed = "the rule of the Go version holds unless all terms are wrong, of which there may be none";
const anywhere = "the pattern of the Go version may match anywhere in the text";

/** What holds for the terms of all lists that select by tags and id. */
function commonCases(field: string, prefix: string, write: (terms: readonly object[]) => object): AdmissionCase[] {
  const id = `${prefix}-0a1`;
  const isLoose = prefix !== "cr";
  const anchored = (one: AdmissionCase): AdmissionCase => (isLoose ? { ...one, unlikeUpstream: anywhere } : one);
  return [
    takes(`${field}: tags`, write([{ tags: { a: "b", c: "*" } }])),
    takes(`${field}: an id`, write([{ id }])),
    takes(`${field}: tags, and an id in another term`, write([{ tags }, { id }])),
    refuses(`${field}: a term of nothing`, write([{}]), saysNothing),
    refuses(`${field}: a term of nothing among others`, write([{ tags }, {}]), saysNothing),
    refuses(`${field}: a tag without a key`, write([{ tags: { "": "b" } }]), tagToSelectBy),
    refuses(`${field}: a tag without a value`, write([{ tags: { a: "" } }]), tagToSelectBy),
    refuses(`${field}: an id with tags`, write([{ id, tags }]), "leave"),
    refuses(`${field}: an id of something else`, write([{ id: "vpc-1" }]), `such as ${prefix}-0123456789abcdef0`),
    anchored(refuses(`${field}: an id and more`, write([{ id: `${id} b` }]), `such as ${prefix}-0123456789abcdef0`)),
    refuses(`${field}: 21 tags`, write([{ tags: manyTags(21) }]), "must have at most 20 items"),
    refuses(`${field}: 31 terms`, write(Array.from({ length: 31 }, () => ({ tags }))), "must have at most 30 items"),
    takes(`${field}: 30 terms of 20 tags`, write(Array.from({ length: 30 }, () => ({ tags: manyTags(20) })))),
  ];
}

function manyTags(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, "x".repeat(256)]));
}

/** `write` makes a node class with these in its spec. */
export function ec2SelectorCases(write: Write): readonly AdmissionCase[] {
  const subnets = (terms: readonly object[]) => write({ subnetSelectorTerms: terms });
  const groups = (terms: readonly object[]) => write({ securityGroupSelectorTerms: terms });
  const reservations = (terms: readonly object[]) => write({ capacityReservationSelectorTerms: terms });
  const mixedAmongGood = (one: AdmissionCase): AdmissionCase => ({ ...one, unlikeUpstream: onlyAllMixed });
  return [
    ...commonCases("subnets", "subnet", subnets),
    refuses("no subnet", subnets([]), "machines need subnets"),
    mixedAmongGood(refuses("one subnet of two mixed", subnets([{ tags }, { id: "subnet-1", tags }]), "leave tags out")),
    ...commonCases("security groups", "sg", groups),
    refuses("no security group", groups([]), "machines need security groups"),
    takes("a security group by name", groups([{ name: "web" }])),
    refuses("a security group by name and tags", groups([{ name: "web", tags }]), "out of a term with name"),
    refuses("a security group by name and id", groups([{ name: "web", id: "sg-1" }]), "out of a term with id"),
    mixedAmongGood(refuses("one group of two mixed", groups([{ tags }, { id: "sg-1", tags }]), "leave tags and name")),
    mixedAmongGood(refuses("a named group of two mixed", groups([{ tags }, { name: "a", tags }]), "leave tags out")),
    ...commonCases("reservations", "cr", reservations),
    mixedAmongGood(takes("no reservation", reservations([]))),
    takes("open reservations", reservations([{ instanceMatchCriteria: "open" }])),
    takes("reservations of an owner", reservations([{ tags, ownerID: "012345678901" }])),
    refuses("reservations of an owner alone", reservations([{ ownerID: "012345678901" }]), saysNothing),
    refuses("reservations of 11 digits", reservations([{ tags, ownerID: "12345678901" }]), "12 digits in quotes"),
    refuses("an id and an owner", reservations([{ id: "cr-1", ownerID: "012345678901" }]), "out of a term with id"),
    refuses("an id and criteria", reservations([{ id: "cr-1", instanceMatchCriteria: "open" }]), "out of a term"),
    refuses("criteria nobody knows", reservations([{ instanceMatchCriteria: "none" }]), "Unsupported value"),
    mixedAmongGood(
      refuses("one reservation of two mixed", reservations([{ tags }, { id: "cr-1", tags }]), "out of a term with id"),
    ),
    ...placementCases(write),
    ...imageCases(write),
  ];
}

function placementCases(write: Write): AdmissionCase[] {
  const group = (selector: object) => write({ placementGroupSelector: selector });
  return [
    takes("a placement group by name", group({ name: "web" })),
    takes("a placement group by id", group({ id: "pg-0a1" })),
    refuses("a placement group without a name", group({}), "name the placement group"),
    refuses("a placement group of an empty name", group({ name: "" }), "should be at least 1 chars long"),
    refuses("a placement group by both", group({ name: "web", id: "pg-1" }), "remove one"),
    refuses("the id of another placement group", group({ id: "a pg-1" }), "such as pg-0123456789abcdef0"),
  ];
}

function imageCases(write: Write): AdmissionCase[] {
  const images = (terms: readonly object[]) => write({ amiSelectorTerms: terms, amiFamily: "Custom" });
  const aliased = (alias: string) => write({ amiSelectorTerms: [{ alias }] });
  const alias = "al2023@latest";
  return [
    ...commonCases("images", "ami", images),
    refuses("no image", images([]), "should have at least 1 items"),
    ...["al2", "al2023", "bottlerocket"].flatMap((family) =>
      ["latest", "v20240807", "1.20.3"].map((version) => {
        return takes(`alias ${family}@${version}`, aliased(`${family}@${version}`));
      }),
    ),
    ...["windows2019", "windows2022", "windows2025"].flatMap((family) => [
      takes(`alias ${family}@latest`, aliased(`${family}@latest`)),
      refuses(`alias ${family}@v1`, aliased(`${family}@v1`), "write latest after the @"),
    ]),
    ...["al2023", "al2023@", "@latest", "", "al 2023@latest"].map((text) =>
      refuses(`alias "${text}"`, aliased(text), "write an alias as family@version"),
    ),
    ...["ubuntu@latest", "AL2023@latest"].map((text) =>
      refuses(`alias ${text}`, aliased(text), "there are aliases for al2"),
    ),
    refuses("an alias of 31 letters", aliased(`al2023@${"1".repeat(24)}`), "Too long"),
    takes("images by name and owner", images([{ name: "a-*", owner: "self" }])),
    takes("images by tags, name and owner", images([{ tags, name: "a-*", owner: "amazon" }])),
    takes("an image by parameter", images([{ ssmParameter: "/images/web" }])),
    refuses("images of an owner alone", images([{ owner: "self" }]), saysNothing),
    refuses("an image by id and name", images([{ id: "ami-1", name: "a" }]), "out of a term with id"),
    refuses("an image by id and owner", images([{ id: "ami-1", owner: "self" }]), "out of a term with id"),
    refuses("an image by id and alias", images([{ id: "ami-1", alias }]), "out of a term with id"),
    refuses("an alias and tags", images([{ alias, tags }]), "out of a term with alias"),
    refuses("an alias and a name", images([{ alias, name: "a" }]), "out of a term with alias"),
    refuses("an alias and an owner", images([{ alias, owner: "self" }]), "out of a term with alias"),
    refuses("an alias and another term", images([{ alias }, { id: "ami-1" }]), "make its term the only one"),
    refuses("two aliases", images([{ alias }, { alias }]), "make its term the only one"),
    refuses("one image of two mixed", images([{ tags }, { id: "ami-1", tags }]), "out of a term with id"),
  ];
}
