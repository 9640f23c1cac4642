import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { securityGroupFilters, subnetFilters } from "./selector-filters.ts";

const tags = (entries: Record<string, string>) => new Map(Object.entries(entries));
const subnet = (term: { tags?: Record<string, string>; id?: string }) => ({
  tags: tags(term.tags ?? {}),
  id: term.id,
});
const group = (term: { tags?: Record<string, string>; id?: string; name?: string }) => ({
  ...subnet(term),
  name: term.name,
});

describe("filters of subnets", () => {
  it("ask once for each term with tags, and once for all ids", () => {
    const terms = [
      subnet({ tags: { team: "a", "kubernetes.io/cluster/c": "*" } }),
      subnet({ id: "subnet-1" }),
      subnet({ tags: { team: "b*" } }),
      subnet({ id: "subnet-2" }),
      subnet({ id: "subnet-1" }),
    ];
    assert.deepEqual(subnetFilters(terms), [
      [
        { Name: "tag:team", Values: ["a"] },
        { Name: "tag-key", Values: ["kubernetes.io/cluster/c"] },
      ],
      [{ Name: "tag:team", Values: ["b*"] }],
      [{ Name: "subnet-id", Values: ["subnet-1", "subnet-2"] }],
    ]);
  });

  it("never ask for everything", () => {
    assert.deepEqual(subnetFilters([]), []);
    assert.deepEqual(subnetFilters([subnet({})]), []);
  });

  it("carry hostile tags as they are, each in its own filter", () => {
    const terms = [subnet({ tags: { "a=b&Filter.2.Name=vpc-id": "x,y\n<z>" } })];
    assert.deepEqual(subnetFilters(terms), [[{ Name: "tag:a=b&Filter.2.Name=vpc-id", Values: ["x,y\n<z>"] }]]);
  });
});

describe("filters of security groups", () => {
  it("ask for tags term by term, for ids together, and for names together", () => {
    const terms = [
      group({ name: "web" }),
      group({ id: "sg-1" }),
      group({ tags: { team: "a" } }),
      group({ name: "db" }),
      group({ id: "sg-2" }),
    ];
    assert.deepEqual(securityGroupFilters(terms), [
      [{ Name: "tag:team", Values: ["a"] }],
      [{ Name: "group-id", Values: ["sg-1", "sg-2"] }],
      [{ Name: "group-name", Values: ["web", "db"] }],
    ]);
  });
});
