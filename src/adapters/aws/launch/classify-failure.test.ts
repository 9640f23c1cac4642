import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classifyFailure, describeFailures, isCapacityShortage } from "./classify-failure.ts";

describe("classifyFailure", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["AuthFailure.ServiceLinkedRoleCreationNotPermitted", "", "SpotSLRCreationFailed"],
    ["UnauthorizedOperation", "You are not authorized to perform this operation", "Unauthorized"],
    ["UnauthorizedOperation", "with an explicit deny in a service control policy", "Unauthorized"],
    ["AuthFailure", "Not authorized for images: [ami-1]", "AMIAuthorizationFailure"],
    ["InvalidParameter", "sg-1 and subnet-1 belong to different networks", "SecurityGroupSubnetVPCMismatch"],
    ["InvalidParameterValue", "parameter iamInstanceProfile.name is invalid", "InstanceProfileNameInvalid"],
    ["InvalidLaunchTemplateId.NotFound", "", "LaunchTemplateNotFound"],
    ["InvalidUserData.Malformed", "User data is limited to 16384 bytes", "UserDataSizeLimitExceeded"],
    ["InvalidAMIID.Malformed", "", "InvalidAMIID"],
    ["InvalidAMIID.NotFound", "", "AMINotFound"],
    ["RequestExpired", "Request has expired.", "CredentialsRejected"],
    ["RequestLimitExceeded", "", "RequestLimitExceeded"],
    ["InternalError", "", "InternalError"],
    ["InvalidParameterCombination", "is not eligible for Free Tier", "FreeTierIneligible"],
    ["MaxFleetCountExceeded", "", "FleetQuotaExceeded"],
    ["PendingVerification", "", "AccountPendingVerification"],
    ["MaxSpotInstanceCountExceeded", "", "SpotQuotaExceeded"],
    ["VcpuLimitExceeded", "", "VCPULimitExceeded"],
    ["InsufficientFreeAddressesInSubnet", "", "InsufficientFreeAddressesInSubnet"],
    ["SomethingNew", "", "LaunchFailed"],
  ];
  for (const [code, message, reason] of cases) {
    it(`calls ${code} ${message} ${reason}`, () => assert.equal(classifyFailure({ code, message }), reason));
  }

  it("tells shortages from mistakes", () => {
    assert.ok(isCapacityShortage({ code: "InsufficientInstanceCapacity", message: "" }));
    assert.ok(isCapacityShortage({ code: "Unsupported", message: "" }));
    assert.ok(!isCapacityShortage({ code: "InvalidAMIID.NotFound", message: "" }));
  });

  it("says each thing once", () => {
    const failure = { code: "A", message: "b" };
    assert.equal(describeFailures([failure, failure, { code: "C", message: "d" }]), "A: b; C: d");
  });
});
