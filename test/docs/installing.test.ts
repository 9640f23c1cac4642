import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { isObject, readDocuments } from "./manifests.ts";
import { pages, root } from "./pages.ts";
import { commandsIn } from "./shell.ts";

const blocks = pages.flatMap((page) => page.blocks);
const scripts = blocks.filter(({ language }) => language === "sh");
const lineOf = (words: readonly string[]) => words.join(" ");

describe("pages about installing", () => {
  it("name an image wherever they install the chart with AWS", () => {
    const installing = scripts.filter(({ text }) =>
      commandsIn(text).some(
        (words) => lineOf(words).includes("charts/karpenter ") && lineOf(words).includes("clusterName"),
      ),
    );
    assert.ok(installing.length >= 3);
    const without = installing.filter(({ text }) => !text.includes("controller.image.repository="));
    assert.deepEqual(
      without.map(({ where }) => where),
      [],
    );
  });

  it("build and push that image before", () => {
    const page = pages.find(({ path }) => path === "docs/eks/README.md");
    const lines = page?.blocks.flatMap(({ text }) => commandsIn(text).map(lineOf)) ?? [];
    const [build = -1, push = -1, helm = -1] = ["docker build", "docker push", "helm upgrade"].map((start) =>
      lines.findIndex((line) => line.startsWith(start)),
    );
    assert.ok(build >= 0 && push > build && helm > push, `${build} ${push} ${helm}`);
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    assert.match(lines[build] ?? "", new RegExp(`:${version.replaceAll(".", "\\.")} `));
  });

  it("have no whole ConfigMap aws-auth that somebody could apply", () => {
    const whole = blocks
      .filter(({ language }) => language === "yaml")
      .filter(({ text }) => readDocuments(text).some((one) => isObject(one) && one.kind === "ConfigMap"));
    assert.deepEqual(
      whole.map(({ where }) => where),
      [],
    );
  });

  it("delete Provisioners, pools, node classes and the controller in that order", () => {
    const removing = scripts.filter(({ text }) => text.includes("helm uninstall karpenter "));
    assert.ok(removing.length >= 3);
    for (const { where, text } of removing) {
      const order = [
        "kubectl delete provisioners.karpenter.sh,provisioners.provisioning.karpenter.sh --all --all-namespaces",
        "kubectl delete nodepools --all",
        "kubectl wait --for=delete nodeclaims --all",
        "kubectl delete ec2nodeclasses --all",
        "helm uninstall karpenter",
      ].map((line) => text.indexOf(line));
      assert.ok(!order.includes(-1), where);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
        where,
      );
    }
  });
});

describe("docs/eks/create.sh", () => {
  const hasBash = spawnSync("bash", ["--version"]).status === 0;

  /** Runs it with an `aws` that answers as the script says; tells how it ended and what it asked for. */
  function runWith(answers: string): { readonly status: number | null; readonly calls: readonly string[] } {
    const folder = mkdtempSync(join(tmpdir(), "karpenter-create-"));
    try {
      const log = join(folder, "log");
      const aws = `#!/usr/bin/env bash\necho "$1 $2" >> '${log}'\ncase "$1 $2" in\n${answers}\n*) echo a:aws:c:d:e ;;\nesac\n`;
      writeFileSync(join(folder, "aws"), aws);
      chmodSync(join(folder, "aws"), 0o755);
      writeFileSync(log, "");
      const env = {
        ...{ PATH: `${folder}${delimiter}${process.env.PATH}`, PAUSE: "0" },
        ...{ CLUSTER_NAME: "lab", AWS_REGION: "us-west-2" },
      };
      const { status } = spawnSync("bash", [join(root, "docs/eks/create.sh")], { env, encoding: "utf8" });
      return { status, calls: readFileSync(log, "utf8").trim().split("\n") };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("goes on where something is there already", { skip: !hasBash }, () => {
    const there = [
      '"iam create-role" | "iam create-policy") echo "(EntityAlreadyExists) it exists" >&2; exit 254 ;;',
      '"eks create-"*) echo "(ResourceInUseException) in use" >&2; exit 254 ;;',
    ];
    const { status, calls } = runWith(there.join("\n"));
    assert.equal(status, 0);
    assert.deepEqual(calls.slice(-1), ["events put-targets"]);
    assert.equal(calls.filter((call) => call === "eks create-access-entry").length, 1);
  });

  it("asks again while a new role is not known everywhere, and not for ever", { skip: !hasBash }, () => {
    const unknown = '"eks create-access-entry") echo "(InvalidParameterException) invalid principal" >&2; exit 254 ;;';
    const { status, calls } = runWith(unknown);
    assert.equal(status, 1);
    assert.equal(calls.filter((call) => call === "eks create-access-entry").length, 10);
  });

  it("stops at once where something else is wrong", { skip: !hasBash }, () => {
    const denied = '"iam create-role") echo "(AccessDenied) you may not" >&2; exit 254 ;;';
    const { status, calls } = runWith(denied);
    assert.equal(status, 1);
    assert.equal(calls.at(-1), "iam create-role");
  });
});
