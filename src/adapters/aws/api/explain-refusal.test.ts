import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { awsError } from "../../../../test/support/memory-iam.ts";
import { isCredentialFailure, isUnauthorized, isWithoutCredentials, messageOf } from "./aws-error.ts";
import { explainRefusal } from "./explain-refusal.ts";

const explain = (error: Error) => messageOf(explainRefusal(error, "ec2:CreateFleet"));
const withoutCredentials = Object.assign(new Error("connect ECONNREFUSED 169.254.170.23:80"), {
  name: "CredentialsProviderError",
});

describe("why AWS refuses a call", () => {
  it("names the action that a policy lacks", () => {
    const error = awsError("UnauthorizedOperation", "You are not authorized to perform this operation.", 403);
    assert.match(explain(error), /^AWS refuses ec2:CreateFleet: allow it in the policy of the controller's role \(You/);
  });

  for (const error of [
    awsError("ExpiredToken", "The security token included in the request is expired", 403),
    awsError("AuthFailure", "AWS was not able to validate the provided access credentials", 401),
    awsError("SignatureDoesNotMatch", "The request signature we calculated does not match", 403),
    awsError("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", 403),
    awsError("InvalidIdentityToken", "No OpenIDConnect provider found in your account", 400),
    awsError("IDPCommunicationError", "An error occurred while connecting to the identity provider", 400),
    withoutCredentials,
  ]) {
    it(`says where credentials come from, and nothing of policies, for ${error.name}`, () => {
      assert.match(explain(error), /^no success with ec2:CreateFleet: the controller has no credentials/);
      assert.match(explain(error), /IRSA.*Pod Identity.*environment/);
      assert.doesNotMatch(explain(error), /policy/);
      assert.equal(isUnauthorized(error), false);
    });
  }

  it("tells what AWS said of credentials from what it could not be asked with", () => {
    assert.equal(isCredentialFailure(awsError("ExpiredToken")), true);
    assert.equal(isWithoutCredentials(awsError("ExpiredToken")), false);
    assert.equal(isCredentialFailure(withoutCredentials), false);
    assert.equal(isWithoutCredentials(withoutCredentials), true);
    // It passes, and nothing turns False for it at once.
    assert.equal(isWithoutCredentials(awsError("IDPCommunicationError")), true);
    assert.equal(isCredentialFailure(awsError("IDPCommunicationError")), false);
  });

  it("takes an image of another account for a missing permission", () => {
    const error = awsError("AuthFailure", "Not authorized for images: [ami-1]", 403);
    assert.equal(isCredentialFailure(error), false);
    assert.equal(isUnauthorized(error), true);
  });

  it("leaves everything else as it is", () => {
    const error = awsError("RequestLimitExceeded");
    assert.equal(explainRefusal(error, "ec2:CreateFleet"), error);
  });
});
