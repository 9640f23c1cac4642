import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DryRunServer, isObject, readDocuments, unknownValues, wholeOf } from "./manifests.ts";
import { type Block, pages, root } from "./pages.ts";
import { heredocsIn } from "./shell.ts";

const blocks = pages.flatMap((page) => page.blocks);

describe("manifests in the documents", () => {
  const server = new DryRunServer();
  before(() => server.start());
  after(() => server.stop());

  async function problemsOf(block: Pick<Block, "text" | "comment">): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const document of readDocuments(block.text)) {
      const whole = isObject(document) ? document : wholeOf(block);
      if (whole !== undefined) problems.push(await server.refusal(whole));
      else if (!block.comment.startsWith("not checked: ")) {
        problems.push(
          ...unknownValues(document).map((name) => `${name} is neither an object nor a value of the chart`),
        );
      }
    }
    return problems.filter((problem) => problem !== "");
  }

  for (const block of blocks.filter(({ language }) => language === "yaml")) {
    it(`${block.where} is taken by the API server, or has values that the chart knows`, async () => {
      assert.deepEqual(await problemsOf(block), []);
    });
  }

  for (const { where, text } of blocks.filter(({ language }) => language === "sh")) {
    for (const manifest of heredocsIn(text)) {
      it(`${where} pipes objects that the API server takes`, async () => {
        assert.deepEqual(await problemsOf({ text: manifest, comment: "" }), []);
      });
    }
  }

  for (const name of readdirSync(join(root, "docs/eks")).filter((file) => file.startsWith("first-"))) {
    it(`docs/eks/${name} is taken by the API server`, async () => {
      const text = readFileSync(join(root, "docs/eks", name), "utf8");
      assert.deepEqual(await problemsOf({ text, comment: "" }), []);
    });
  }

  it("are refused when they are wrong", async () => {
    const pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {limit: {cpu: 1}}\n";
    assert.equal((await problemsOf({ text: pool, comment: "" })).length, 1);
    assert.equal((await problemsOf({ text: "setings: {clusterName: a}\n", comment: "" })).length, 1);
    const fragment = { text: "spec: {weight: heavy}\n", comment: "part of a NodePool" };
    assert.equal((await problemsOf(fragment)).length, 1);
  });
});

it("JSON in the documents can be parsed", () => {
  for (const { where, text } of blocks.filter(({ language }) => language === "json")) {
    assert.doesNotThrow(() => JSON.parse(text), where);
  }
});
