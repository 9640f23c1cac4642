import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { awsError } from "../../../../test/support/memory-iam.ts";
import { explainRefusal } from "../api/explain-refusal.ts";
import { explainFailure, shorten } from "./explain-failure.ts";

const actions = ["ec2:DescribeImages", "ssm:GetParameter"];

describe("why AWS did not tell", () => {
  it("names the action that AWS names", () => {
    const error = awsError(
      "AccessDenied",
      "User: x is not authorized to perform: ssm:GetParameter on resource: y",
      403,
    );
    assert.deepEqual(explainFailure(error, actions), {
      kind: "refused",
      reason: "Unauthorized",
      message:
        "the controller's role may not call ssm:GetParameter: allow it in the policy of that role (User: x is not authorized to perform: ssm:GetParameter on resource: y)",
    });
  });

  it("names those that it may have been where AWS does not", () => {
    const { message } = explainFailure(awsError("UnauthorizedOperation", "No.", 403), actions);
    assert.match(message, /may not call ec2:DescribeImages or ssm:GetParameter:/);
  });

  it("finds what AWS answered among the causes", () => {
    const wrapped = new Error("cannot look for images", { cause: awsError("UnauthorizedOperation", "No.", 403) });
    assert.equal(explainFailure(wrapped, actions).kind, "refused");
    const busy = new Error("cannot look for images", { cause: awsError("RequestLimitExceeded", "Slowly.", 400) });
    assert.equal(explainFailure(busy, actions).kind, "unavailable");
  });

  for (const code of [
    "ExpiredToken",
    "RequestExpired",
    "InvalidClientTokenId",
    "UnrecognizedClientException",
    "AuthFailure",
  ]) {
    it(`tells ${code} from a missing permission`, () => {
      const failure = explainFailure(awsError(code, "No.", 403), actions);
      assert.match(failure.message, /IRSA.*Pod Identity.*environment/);
      assert.equal(failure.kind === "refused" && failure.reason, "CredentialsRejected");
    });
  }

  it("says what AWS said of credentials once, whoever has explained it before", () => {
    const error = explainRefusal(awsError("ExpiredToken", "It is expired.", 403), "ec2:DescribeSubnets");
    const { message } = explainFailure(error, actions);
    assert.match(message, /^the controller has no credentials that AWS accepts \(It is expired\.\): check/);
  });

  it("knows when there are no credentials at all, which may pass", () => {
    const error = Object.assign(new Error("Could not load credentials from any providers"), {
      name: "CredentialsProviderError",
    });
    const failure = explainFailure(explainRefusal(error, "ec2:DescribeSubnets"), actions);
    assert.equal(failure.kind, "without-credentials");
    assert.match(failure.message, /\(Could not load credentials from any providers\).*IRSA/);
  });

  for (const error of [
    awsError("RequestLimitExceeded", "Slowly.", 503),
    awsError("InternalError", "Oh.", 500),
    Object.assign(new Error("connect ECONNREFUSED"), { $metadata: { attempts: 5 } }),
  ]) {
    it(`calls nothing wrong because of ${error.message}`, () => {
      assert.equal(explainFailure(error, actions).kind, "unavailable");
    });
  }

  it("tells any other refusal with its code", () => {
    assert.deepEqual(
      explainFailure(awsError("LimitExceeded", "Too many profiles.", 409), ["iam:CreateInstanceProfile"]),
      {
        kind: "refused",
        reason: "ResolutionFailed",
        message: "AWS refuses iam:CreateInstanceProfile: LimitExceeded: Too many profiles.",
      },
    );
  });

  it("is bounded, and the same each time", () => {
    assert.equal(shorten("No. Encoded authorization failure message: aB-_9 Ask."), "No. Ask.");
    assert.equal(shorten("No (RequestID: 1-2-3)"), "No");
    assert.equal(shorten("No, request id: 1-2-3"), "No");
    assert.equal(shorten("x".repeat(9_000)).length, 2_003);
  });
});
