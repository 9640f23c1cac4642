import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
let folder = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "karpenter-convert-"));
});
after(() => rmSync(folder, { recursive: true }));

function convert(input: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "convert", ...args], {
    encoding: "utf8",
    input,
    env: { ...process.env, NO_COLOR: "1", CLUSTER_NAME: "" },
  });
  return { status, stdout, stderr };
}

const template = `apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: a}
spec: {subnetSelector: {team: web}, securityGroupSelector: {team: web}, instanceProfile: nodes}
`;
const provisioner = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: a}
spec: {providerRef: {name: a}, ttlSecondsAfterEmpty: 30}
`;

describe("karpenter convert", () => {
  it("writes YAML to standard output, and what changed to standard error", () => {
    const { status, stdout, stderr } = convert(`${template}---\n${provisioner}`, "-f", "-");
    const kinds = parseAllDocuments(stdout).map((document) => document.toJS().kind);
    assert.deepEqual([status, kinds], [0, ["EC2NodeClass", "NodePool"]]);
    assert.match(stderr, /^changed Provisioner a: spec\.ttlSecondsAfterEmpty is consolidationPolicy WhenEmpty/m);
    assert.doesNotMatch(stderr, /^error/m);
  });

  it("converts several files together, into a file for each object", () => {
    const files = [template, provisioner].map((text, index) => {
      const path = join(folder, `${index}.yaml`);
      writeFileSync(path, text);
      return path;
    });
    const out = join(folder, "out");
    const { status, stdout } = convert("", "-f", ...files, "-o", out);
    assert.deepEqual([status, stdout], [0, ""]);
    assert.deepEqual(readdirSync(out).sort(), ["ec2nodeclass-a.yaml", "nodepool-a.yaml"]);
    assert.equal(parse(readFileSync(join(out, "nodepool-a.yaml"), "utf8")).spec.disruption.consolidateAfter, "30s");
  });

  it("tells what is wrong, writes the rest, and fails", () => {
    const bad = template.replace("name: a", "name: bad").replace("instanceProfile: nodes", "launchTemplate: mine");
    const refused = provisioner
      .replace("name: a", "name: c")
      .replace("spec: {", "spec: {labels: {karpenter.sh/x: z}, ");
    const text = [bad, template, refused, "a: &a [*a]\n", "7\n", "a: [\n"].join("---\n");
    const { status, stdout, stderr } = convert(text, "-f", "-", "--cluster-name", "demo");
    assert.equal(status, 1);
    assert.deepEqual(
      parseAllDocuments(stdout).map((document) => document.toJS().metadata.name),
      ["a"],
    );
    assert.match(stderr, /^error {3}AWSNodeTemplate bad: spec\.launchTemplate must not be set: /m);
    assert.match(stderr, /^error {3}NodePool c: spec\.template\.metadata\.labels is refused: .*set by Karpenter/m);
    assert.match(stderr, /^error {3}standard input, document 6 cannot be read: /m);
    assert.match(stderr, /^error {3}Object without a name is nested too deeply\.$/m);
    assert.match(stderr, /^error {3}Object without a name must be an object\.$/m);
  });

  it("writes no pool whose node class the API would refuse", () => {
    const bad = template.replace(
      "instanceProfile: nodes",
      'instanceProfile: nodes, tags: {"karpenter.sh/nodepool": x}',
    );
    const { status, stdout, stderr } = convert(`${bad}---\n${provisioner}`, "-f", "-");
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^error {3}EC2NodeClass a: spec\.tags /m);
    assert.match(
      stderr,
      /^error {3}NodePool a: spec\.template\.spec\.nodeClassRef\.name is EC2NodeClass a, which has/m,
    );
  });

  it("stays in its folder and in its line, whatever objects are called", () => {
    const text = `{"apiVersion": "v1", "kind": "../Pod", "metadata": {"name": "../../x\\u001b[2J"}}
---
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a\\nb"}, "spec": {"nodeSelector": {"karpenter.sh/provisioner-name": "a"}}}
`;
    const out = join(folder, "odd");
    const { status, stderr } = convert(text, "-f", "-", "-o", out);
    assert.equal(status, 0);
    assert.deepEqual(readdirSync(out).sort(), [".._pod-.._.._x_2j.yaml", "pod-a_b.yaml"]);
    assert.match(stderr, /^changed Pod a\\nb: spec\.nodeSelector\["karpenter\.sh\/provisioner-name"\] is called/m);
  });

  it("leaves out the defaults of webhooks on request, and knows the images of a version", () => {
    const args = ["--no-webhook-defaults", "--kubernetes-version", "1.34"];
    const [nodeClass, pool] = parseAllDocuments(convert(`${template}---\n${provisioner}`, "-f", "-", ...args).stdout);
    assert.deepEqual(
      [nodeClass?.toJS().spec.amiSelectorTerms, pool?.toJS().spec.template.spec.requirements],
      [[{ alias: "al2023@latest" }], []],
    );
  });

  it("says that a file is missing or empty", () => {
    assert.match(convert("", "-f", join(folder, "none.yaml")).stderr, /^error: Cannot read .*none\.yaml: ENOENT/);
    assert.match(convert("# nothing\n", "-f", "-").stderr, /^error: Cannot use -: there is no object in it\.$/m);
  });
});
