import assert from "node:assert/strict";
import { it } from "node:test";
import type { ImageTerm } from "../node-class/ec2-node-class.ts";
import { isImageId, queriesForTerms, queryForIds } from "./image-queries.ts";

const none: ImageTerm = {
  alias: undefined,
  tags: new Map(),
  id: undefined,
  name: undefined,
  owner: undefined,
  ssmParameter: undefined,
};
const available = { Name: "state", Values: ["available"] };

it("asks for names of our own and of Amazon only, unless the term names an owner", () => {
  const terms = [
    { ...none, name: "my-*" },
    { ...none, name: "my-*", owner: "123456789012" },
    {
      ...none,
      tags: new Map([
        ["team", "a"],
        ["any", "*"],
      ]),
    },
    { ...none, id: "ami-1" },
    { ...none, ssmParameter: "/x" },
  ];
  assert.deepEqual(queriesForTerms(terms), [
    { Filters: [{ Name: "name", Values: ["my-*"] }, available], Owners: ["self", "amazon"], IncludeDeprecated: true },
    { Filters: [{ Name: "name", Values: ["my-*"] }, available], Owners: ["123456789012"], IncludeDeprecated: true },
    {
      Filters: [{ Name: "tag:team", Values: ["a"] }, { Name: "tag-key", Values: ["any"] }, available],
      IncludeDeprecated: true,
    },
  ]);
});

it("asks for all ids at once, each once", () => {
  assert.deepEqual(queryForIds(["ami-2", "ami-1", "ami-2"]), {
    Filters: [{ Name: "image-id", Values: ["ami-1", "ami-2"] }, available],
    IncludeDeprecated: true,
  });
});

it("knows an id from a pattern that matches the images of strangers", () => {
  const isOne = ["ami-0abc", "ami-*", "ami-?", "*", "ami-", "snap-1", "ami-1\nami-2"].map(isImageId);
  assert.deepEqual(isOne, [true, false, false, false, false, false, false]);
});
