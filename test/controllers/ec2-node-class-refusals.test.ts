import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ObservedQueueHealth } from "../../src/adapters/aws/interruption/queue-health.ts";
import { awsError } from "../support/memory-iam.ts";
import { Ec2NodeClassStage } from "./ec2-node-class-stage.ts";

const minute = 60_000;

describe("the node-class controller", () => {
  let stage: Ec2NodeClassStage;
  beforeEach(async () => {
    stage = await Ec2NodeClassStage.open();
  });
  afterEach(() => stage.stop());

  it("says that the queue of interruptions is missing, stays ready, and takes it back", async () => {
    const queue = new ObservedQueueHealth();
    stage.account.queue = queue;
    stage.controller();
    await stage.create("default");
    assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    queue.observe(new Error("there is no queue: create it", { cause: awsError("QueueDoesNotExist") }));
    await stage.clock.advance(100);
    assert.deepEqual(await stage.conditions("default"), [
      "InterruptionQueueReady=False QueueNotFound: there is no queue: create it",
      "Ready=True",
    ]);
    queue.observe("followed");
    await stage.clock.advance(100);
    assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
  });

  describe("when AWS refuses", () => {
    it("names the action that the role lacks, and goes on once it may", async () => {
      const { iam } = stage.account;
      iam.failures.set(
        "createInstanceProfile",
        awsError(
          "AccessDenied",
          "User: arn:x is not authorized to perform: iam:CreateInstanceProfile on resource: y",
          403,
        ),
      );
      stage.controller();
      await stage.create("default");
      assert.match(
        (await stage.conditions("default"))[0] ?? "",
        /^InstanceProfileReady=False Unauthorized: the controller's role may not call iam:CreateInstanceProfile: allow it/,
      );
      iam.failures.clear();
      await stage.clock.advance(2 * minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("says where credentials come from when they have expired", async () => {
      stage.controller();
      await stage.create("default");
      stage.account.networkFailures.set(
        "a",
        awsError("ExpiredToken", "The security token included in the request is expired"),
      );
      await stage.clock.advance(minute);
      assert.match(
        (await stage.conditions("default")).join("\n"),
        /SubnetsReady=False CredentialsRejected: .*is expired.*IRSA.*Pod Identity.*environment/,
      );
      stage.account.networkFailures.clear();
      await stage.clock.advance(2 * minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("writes the same refusal once, although each has another code in it", async () => {
      let count = 0;
      stage.account.rehearsal = () => {
        throw awsError("UnauthorizedOperation", `Not allowed. Encoded authorization failure message: x${++count}`, 403);
      };
      stage.controller();
      await stage.create("default");
      const before = await stage.version("default");
      await stage.clock.advance(5 * minute);
      assert.equal(await stage.version("default"), before);
      assert.ok(count > 3 && count < 25, String(count));
    });

    it("waits a minute for whoever hands out credentials before it calls anything wrong", async () => {
      stage.controller();
      await stage.create("default");
      const gone = Object.assign(new Error("connect ECONNREFUSED 169.254.170.23:80"), {
        name: "CredentialsProviderError",
      });
      stage.account.networkFailures.set("a", gone);
      // What was found lasts for a minute; then comes the first failure.
      await stage.clock.advance(minute + 50_000);
      assert.ok(stage.errors.length > 2, stage.errors.join());
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
      stage.account.networkFailures.clear();
      await stage.clock.advance(2 * minute);
      // Another outage, which has nothing to do with the first.
      stage.account.networkFailures.set("a", gone);
      await stage.clock.advance(minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
      await stage.clock.advance(3 * minute);
      assert.match(
        (await stage.conditions("default")).join("\n"),
        /SubnetsReady=False CredentialsRejected: .*ECONNREFUSED.*IRSA.*Pod Identity.*environment/,
      );
      stage.account.networkFailures.clear();
      await stage.clock.advance(minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("says of a new node class that there are no credentials, and what to do", async () => {
      stage.account.networkFailures.set(
        "a",
        Object.assign(new Error("Could not load credentials from any providers"), { name: "CredentialsProviderError" }),
      );
      stage.controller();
      await stage.create("default");
      assert.match(
        (await stage.conditions("default")).join("\n"),
        /SubnetsReady=Unknown AWSUnavailable: the controller has no credentials that AWS accepts .*IRSA/,
      );
    });

    it("shows what the rehearsal of a launch was refused for, and tries again after a minute", async () => {
      stage.account.rehearsal = () => ({
        kind: "refused",
        reason: "CreateFleetAuthCheckFailed",
        message: "the controller's role may not call ec2:CreateFleet",
        isLasting: true,
      });
      stage.controller();
      await stage.create("default");
      assert.equal(
        (await stage.conditions("default"))[1],
        "ValidationSucceeded=False CreateFleetAuthCheckFailed: the controller's role may not call ec2:CreateFleet",
      );
      stage.account.rehearsal = () => ({ kind: "allowed" });
      await stage.clock.advance(minute - 1_000);
      assert.equal(stage.account.rehearsals, 1);
      await stage.clock.advance(2_000);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("tries again soon when it may be different then", async () => {
      stage.account.rehearsal = () =>
        stage.account.rehearsals < 4
          ? { kind: "refused", reason: "InstanceProfileNotFound", message: "no profile", isLasting: false }
          : { kind: "allowed" };
      stage.controller();
      await stage.create("default");
      assert.equal(
        (await stage.conditions("default"))[1],
        "ValidationSucceeded=False InstanceProfileNotFound: no profile",
      );
      await stage.clock.advance(10_000);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
    });

    it("cannot use AL2023 without the addresses of services, and other images without them", async () => {
      stage.account.serviceCidr = () => {
        throw awsError("ResourceNotFoundException", "No cluster found for name: prod.", 404);
      };
      stage.controller();
      await stage.create("default");
      await stage.create("bottled", { amiSelectorTerms: [{ alias: "bottlerocket@latest" }] });
      assert.match(
        (await stage.conditions("default"))[1] ?? "",
        /^ValidationSucceeded=False ClusterCIDRResolutionFailed: .*"prod".*No cluster found/,
      );
      assert.deepEqual(await stage.conditions("bottled"), ["Ready=True"]);
    });
  });

  describe("when AWS is busy", () => {
    it("leaves conditions as they are, and says so in the log", async () => {
      stage.controller();
      await stage.create("default");
      stage.account.networkFailures.set("a", awsError("RequestLimitExceeded", "Request limit exceeded.", 503));
      await stage.clock.advance(3 * minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
      assert.equal(stage.errors[0], "Reconciler error default: Request limit exceeded.");
      assert.ok(stage.errors.length < 20, String(stage.errors.length));
    });

    it("knows nothing yet of a new node class, and others go on", async () => {
      stage.account.networkFailures.set("b", awsError("InternalError", "An internal error has occurred", 500));
      stage.controller();
      await stage.create("poor", { subnetSelectorTerms: [{ tags: { team: "b" } }] });
      await stage.create("rich");
      assert.deepEqual(await stage.conditions("poor"), [
        "Ready=Unknown ReconcilingDependents: SubnetsReady=Unknown, ValidationSucceeded=Unknown",
        "SubnetsReady=Unknown AWSUnavailable: no success with ec2:DescribeSubnets, which is tried again: InternalError",
        "ValidationSucceeded=Unknown DependenciesNotReady: waits for SubnetsReady",
      ]);
      assert.deepEqual(await stage.conditions("rich"), ["Ready=True"]);
      stage.account.networkFailures.clear();
      await stage.clock.advance(minute);
      assert.deepEqual(await stage.conditions("poor"), ["Ready=True"]);
    });

    it("rehearses a launch again, ever more slowly, and calls nothing wrong meanwhile", async () => {
      stage.account.rehearsal = () => ({ kind: "unknown", message: "EC2 is busy" });
      stage.controller();
      await stage.create("default");
      assert.deepEqual(await stage.conditions("default"), [
        "Ready=Unknown ReconcilingDependents: ValidationSucceeded=Unknown",
        "ValidationSucceeded=Unknown AwaitingReconciliation: EC2 is busy",
      ]);
      await stage.clock.advance(3 * minute);
      assert.ok(stage.account.rehearsals > 5 && stage.account.rehearsals < 12, String(stage.account.rehearsals));
      stage.account.rehearsal = () => ({ kind: "allowed" });
      await stage.clock.advance(minute);
      assert.deepEqual(await stage.conditions("default"), ["Ready=True"]);
      assert.deepEqual(stage.errors, []);
    });
  });
});
