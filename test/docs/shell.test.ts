import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { describeCommands, type KarpenterCommands } from "./karpenter-commands.ts";
import { problemOfCommand } from "./known-commands.ts";
import { pages, root } from "./pages.ts";
import { commandsIn, flagsOf, missingFiles, type Words } from "./shell.ts";

interface Script {
  readonly where: string;
  readonly text: string;
}

const folder = join(root, "docs/eks");
const scripts: readonly Script[] = [
  ...pages.flatMap(({ blocks }) =>
    blocks.filter(({ language, comment }) => language === "sh" && !comment.startsWith("not checked: ")),
  ),
  ...readdirSync(folder)
    .filter((name) => name.endsWith(".sh"))
    .map((name) => ({ where: `docs/eks/${name}`, text: readFileSync(join(folder, name), "utf8") })),
];
const { scripts: npmScripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};
const npmCommands = new Set(["install", "publish", "pack", "ci", "test", "start"]);

describe("commands in the documents", () => {
  let karpenter: KarpenterCommands = new Map();
  before(async () => {
    karpenter = await describeCommands();
  });

  function problemOf(words: Words): string | undefined {
    const [program = "", first = "", second = ""] = words;
    if (program === "npm") {
      if (first === "run") return second in npmScripts ? undefined : `npm has no script "${second}"`;
      return npmCommands.has(first) ? undefined : `npm ${first} is not known`;
    }
    if (program === "karpenter" || program === "bin/karpenter") {
      if (first === "--version" || first === "--help") return undefined;
      const flags = karpenter.get(first);
      if (flags === undefined) return `there is no command karpenter ${first}`;
      const unknown = flagsOf(words).filter((flag) => !flags.has(flag));
      return unknown.length === 0 ? undefined : `karpenter ${first} has no ${unknown.join(", ")}`;
    }
    return problemOfCommand(words);
  }

  for (const { where, text } of scripts) {
    it(`${where} has commands and flags that there are, and names files that are there`, () => {
      const commands = commandsIn(text);
      assert.deepEqual([...commands.flatMap((words) => problemOf(words) ?? []), ...commands.flatMap(missingFiles)], []);
    });
  }

  it("are noticed when there is no such command or flag", () => {
    const wrong = "kubectl gett pods\naws iam create-role --rolename a\nhelm upgrade --instal a b\nnpm run nothing\n";
    assert.equal(commandsIn(wrong).flatMap((words) => problemOf(words) ?? []).length, 4);
    assert.equal(
      commandsIn("bin/karpenter plan --scenaro a | cat\n").flatMap((words) => problemOf(words) ?? []).length,
      1,
    );
    assert.deepEqual(commandsIn("kubectl apply -f charts/nowhere\n").flatMap(missingFiles), ["charts/nowhere"]);
  });

  it("can be parsed by bash", (test) => {
    if (spawnSync("bash", ["--version"]).status !== 0) return test.skip("there is no bash");
    const faulty = scripts.flatMap(({ where, text }) => {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
      return status === 0 ? [] : [`${where}: ${stderr}`];
    });
    assert.deepEqual(faulty, []);
  });
});
