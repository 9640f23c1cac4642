import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brokenLink, pages, root } from "./pages.ts";

const files = { has: (path: string) => existsSync(join(root, path)) };

describe("the documents", () => {
  it("link to files and headings that are there", () => {
    const broken = pages.flatMap((page) => page.links.flatMap((link) => brokenLink(page, link, files) ?? []));
    assert.deepEqual(broken, []);
  });

  it("have a page of contents that leaves none out", () => {
    const [index] = pages.filter(({ path }) => path === "docs/README.md");
    const listed = new Set((index?.links ?? []).map((link) => join("docs", link.split("#")[0] ?? "")));
    const missing = pages.filter(
      ({ path }) => path.startsWith("docs/") && !path.startsWith("docs/decisions/") && path !== "docs/README.md",
    );
    assert.deepEqual(
      missing.map(({ path }) => path).filter((path) => !listed.has(join(path))),
      [],
    );
  });

  it("have no block without a language, and no language that is not looked at", () => {
    const looked = new Set(["sh", "yaml", "json", "ts", "text"]);
    const others = pages
      .filter(({ path }) => path !== "ARCHITECTURE.md")
      .flatMap(({ blocks }) => blocks.filter(({ language, comment }) => !looked.has(language) && comment === ""));
    assert.deepEqual(
      others.map(({ where, language }) => `${where} ${language}`),
      [],
    );
  });
});

it("a link is broken when its file or its heading is not there", () => {
  const [page] = pages;
  assert.ok(page);
  assert.equal(brokenLink(page, "https://example.com/nowhere", files), undefined);
  assert.match(brokenLink(page, "docs/nowhere.md", files) ?? "", /no file/);
  assert.match(brokenLink(page, "docs/aws.md#nowhere", files) ?? "", /no heading/);
});
