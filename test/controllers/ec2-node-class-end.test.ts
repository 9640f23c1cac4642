import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ec2NodeClasses, nodeClaims } from "../../src/core/api/karpenter-resources.ts";
import { awsError } from "../support/memory-iam.ts";
import { Ec2NodeClassStage } from "./ec2-node-class-stage.ts";

const minute = 60_000;
const hashAnnotation = "karpenter.k8s.aws/ec2nodeclass-hash";
const versionAnnotation = "karpenter.k8s.aws/ec2nodeclass-hash-version";

describe("the end of a node class", () => {
  let stage: Ec2NodeClassStage;
  beforeEach(async () => {
    stage = await Ec2NodeClassStage.open();
    stage.controller();
    await stage.create("default");
  });
  afterEach(() => stage.stop());

  async function end(): Promise<void> {
    await stage.user.delete(ec2NodeClasses, { name: "default" });
    await stage.clock.advance(100);
  }

  it("takes away its profiles and launch templates, and nobody else's", async () => {
    await stage.create("other");
    stage.account.iam.profiles.set("theirs", { path: "/", tags: {}, role: "admin" });
    await end();
    assert.equal(await stage.read("default"), undefined);
    assert.deepEqual(stage.account.removedTemplates, ["default"]);
    const other = String((await stage.status("other")).instanceProfile);
    assert.deepEqual([...stage.account.iam.profiles.keys()].sort(), [other, "theirs"].sort());
    assert.deepEqual(stage.errors, []);
  });

  it("waits for the last claim, and names those that it waits for", async () => {
    for (let index = 0; index < 7; index++) await stage.createClaim(`claim-${index}`, "default");
    await stage.createClaim("foreign", "other");
    await end();
    assert.deepEqual(stage.telemetry.happenings, [
      {
        object: {
          apiVersion: "karpenter.k8s.aws/v1",
          kind: "EC2NodeClass",
          name: "default",
          uid: (await stage.read("default"))?.metadata.uid,
        },
        type: "Normal",
        reason: "WaitingOnNodeClaimTermination",
        message: "Waiting on NodeClaim termination for claim-0, claim-1, claim-2, claim-3, claim-4 and 2 others",
        sameAs: [(await stage.read("default"))?.metadata.uid],
      },
    ]);
    assert.equal(stage.account.iam.profiles.size, 1);
    await stage.clock.advance(10 * minute);
    assert.equal(stage.telemetry.happenings.length, 2);
    for (let index = 0; index < 7; index++) await stage.user.delete(nodeClaims, { name: `claim-${index}` });
    await stage.clock.advance(100);
    assert.equal(await stage.read("default"), undefined);
    assert.equal(stage.account.iam.profiles.size, 0);
  });

  it("is tried again until AWS has let go of everything", async () => {
    const denied = "x is not authorized to perform: iam:DeleteInstanceProfile";
    stage.account.iam.failures.set("deleteInstanceProfile", awsError("AccessDenied", denied, 403));
    await end();
    assert.notEqual(await stage.read("default"), undefined);
    assert.match(
      stage.errors[0] ?? "",
      /clean up after EC2NodeClass "default": .*may not call iam:DeleteInstanceProfile/,
    );
    stage.account.iam.failures.clear();
    await stage.clock.advance(minute);
    assert.equal(await stage.read("default"), undefined);
    assert.equal(stage.account.iam.profiles.size, 0);
  });
});

describe("the hash of a node class", () => {
  let stage: Ec2NodeClassStage;
  beforeEach(async () => {
    stage = await Ec2NodeClassStage.open();
  });
  afterEach(() => stage.stop());

  const annotations = async (name: string): Promise<Record<string, string>> => ({
    ...((await stage.read(name))?.metadata.annotations as Record<string, string> | undefined),
  });
  const ofClaim = (name: string) => Object.fromEntries(stage.cluster.claims.get(name)?.annotations ?? []);

  it("is written on it, and changes with what machines cannot follow", async () => {
    stage.stamper();
    await stage.create("default");
    const before = await annotations("default");
    assert.match(before[hashAnnotation] ?? "", /^\d+$/);
    await stage.patch("default", { spec: { subnetSelectorTerms: [{ tags: { team: "b" } }] } });
    assert.deepEqual(await annotations("default"), before);
    await stage.patch("default", { spec: { userData: "echo" } });
    assert.notEqual((await annotations("default"))[hashAnnotation], before[hashAnnotation]);
  });

  it("made another way is renewed on claims too, so that none drifts for it", async () => {
    const old = { [hashAnnotation]: "1", [versionAnnotation]: "v6" };
    await stage.create("default", {}, { annotations: old });
    await stage.createClaim("ours", "default", old);
    await stage.createClaim("foreign", "other", old);
    stage.stamper();
    await stage.clock.advance(100);
    assert.deepEqual(ofClaim("ours"), await annotations("default"));
    assert.notEqual(ofClaim("ours")[versionAnnotation], "v6");
    assert.deepEqual(ofClaim("foreign"), old);
  });
});
