const serviceLinkedRoleCode = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";

const capacityCodes = new Set([
  "InsufficientInstanceCapacity",
  "MaxSpotInstanceCountExceeded",
  "VcpuLimitExceeded",
  "UnfulfillableCapacity",
  "Unsupported",
  "InsufficientFreeAddressesInSubnet",
  "MaxFleetCountExceeded",
  "ReservationCapacityExceeded",
]);

/** A failure that AWS told, be it for a whole call or for one of the offerings in it. */
export interface LaunchFailure {
  readonly code: string;
  readonly message: string;
}

/** Whether something else, or the same later, can be had. */
export function isCapacityShortage({ code }: LaunchFailure): boolean {
  return capacityCodes.has(code);
}

/** Whether the account lacks the role without which there is no spot at all. */
export function isSpotForbidden({ code }: LaunchFailure): boolean {
  return code === serviceLinkedRoleCode;
}

const unauthorized = /UnauthorizedOperation|AccessDenied|AuthFailure/;

/** In this order: the first that matches what AWS said. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/AuthFailure\.ServiceLinkedRoleCreationNotPermitted/, "SpotSLRCreationFailed"],
  [/InvalidParameter.*belong to different networks/s, "SecurityGroupSubnetVPCMismatch"],
  [/iamInstanceProfile\.name is invalid/i, "InstanceProfileNameInvalid"],
  [/InvalidLaunchTemplateId\.NotFound|InvalidLaunchTemplateName\.NotFound/, "LaunchTemplateNotFound"],
  [/User data is limited to/i, "UserDataSizeLimitExceeded"],
  [/InvalidAMIID\.Malformed/, "InvalidAMIID"],
  [/InvalidAMIID\.NotFound/, "AMINotFound"],
  [/ExpiredToken|RequestExpired|InvalidClientTokenId|InvalidIdentityToken/, "CredentialsRejected"],
  [/RequestLimitExceeded/, "RequestLimitExceeded"],
  [/InternalError/, "InternalError"],
  [/not eligible for Free Tier/i, "FreeTierIneligible"],
  [/MaxFleetCountExceeded/, "FleetQuotaExceeded"],
  [/PendingVerification/, "AccountPendingVerification"],
  [/MaxSpotInstanceCountExceeded/, "SpotQuotaExceeded"],
  [/VcpuLimitExceeded/, "VCPULimitExceeded"],
  [/InsufficientFreeAddressesInSubnet/, "InsufficientFreeAddressesInSubnet"],
];

/** One word for why a launch failed, as conditions and metrics show it. */
export function classifyFailure({ code, message }: LaunchFailure): string {
  const text = `${code}: ${message}`;
  if (unauthorized.test(text) && code !== serviceLinkedRoleCode) {
    return /Not authorized for images/i.test(text) ? "AMIAuthorizationFailure" : "Unauthorized";
  }
  return reasons.find(([pattern]) => pattern.test(text))?.[1] ?? "LaunchFailed";
}

/** Each thing that went wrong once. */
export function describeFailures(failures: readonly LaunchFailure[]): string {
  return [...new Set(failures.map(({ code, message }) => `${code}: ${message}`))].join("; ");
}
