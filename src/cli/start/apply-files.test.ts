import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { simulationDefinitions } from "../../core/api/definitions/custom-resource-definitions.ts";
import { EmbeddedCluster } from "../../embedded/cluster.ts";
import { loadManifests } from "../../embedded/manifests.ts";
import { VirtualClock } from "../../embedded/time/virtual-clock.ts";
import { CliError } from "../cli-error.ts";
import { applyFiles, hasPools } from "./apply-files.ts";

const pool = (name: string, nodeClassRef: string, more = ""): string => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec: {${more} template: {spec: {requirements: [], nodeClassRef: ${nodeClassRef}}}}
`;
const simulated = "{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}";

describe("one's own manifests", () => {
  let folder: string;
  let cluster: EmbeddedCluster;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const problemsOf = (...files: string[]): string[] => {
    try {
      applyFiles(cluster, files);
      return [];
    } catch (error) {
      assert.ok(error instanceof CliError);
      return error.message.replaceAll(`${folder}/`, "").split("\n");
    }
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "apply-files-"));
    cluster = new EmbeddedCluster({ clock: new VirtualClock(0), seed: 1 });
    loadManifests(cluster, simulationDefinitions.map((definition) => JSON.stringify(definition)).join("\n---\n"));
  });
  after(() => {
    cluster.stop();
    rmSync(folder, { recursive: true });
  });

  it("are refused all at once, each with the object, the reason and what to do", () => {
    const wrong = file(
      "wrong.yaml",
      `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
---
apiVersion: v1
kind: Pod
metadata: {name: lost, namespace: nowhere}
spec: {containers: [{name: main, image: main}]}
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: mine}
---
kind: Gadget
spec: {}
${pool("heavy", simulated, "weight: 1000,")}`,
    );
    const aws = file("aws.yaml", pool("aws", "{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}"));
    assert.deepEqual(problemsOf(wrong, aws), [
      "Cannot use the manifests:",
      "  wrong.yaml: Cannot load EC2NodeClass default: no resource serves EC2NodeClass of karpenter.k8s.aws/v1. " +
        'Machines are simulated here: leave it out, and let pools refer to the KWOKNodeClass "default"',
      '  wrong.yaml: Cannot load Pod nowhere/lost: namespaces "nowhere" not found. Put its Namespace before it',
      "  wrong.yaml: Cannot load Gadget mine: no resource serves Gadget of example.com/v1. " +
        "Put its CustomResourceDefinition before it",
      "  wrong.yaml: Cannot load Gadget: the object has no apiVersion",
      '  wrong.yaml: Cannot load NodePool heavy: NodePool.karpenter.sh "heavy" is invalid: spec.weight: ' +
        "Invalid value: 1000: spec.weight in body should be less than or equal to 100",
      '  NodePool aws refers to the EC2NodeClass "default" of karpenter.k8s.aws, and machines are simulated here. ' +
        "Say nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}",
    ]);
    cluster.api.delete({ definition: poolDefinition(cluster), name: "aws" });
  });

  it("are there afterwards when nothing is wrong with them", () => {
    const had = hasPools(cluster);
    assert.deepEqual(problemsOf(file("good.yaml", pool("mine", simulated))), []);
    assert.deepEqual([had, hasPools(cluster)], [false, true]);
  });

  it("are refused when they cannot be read", () => {
    assert.match(problemsOf(join(folder, "missing.yaml"))[0] ?? "", /^Cannot read missing\.yaml: ENOENT/);
  });
});

function poolDefinition({ api }: EmbeddedCluster): NonNullable<ReturnType<typeof api.registry.ofKind>> {
  const definition = api.registry.ofKind("karpenter.sh/v1", "NodePool");
  assert.ok(definition);
  return definition;
}
