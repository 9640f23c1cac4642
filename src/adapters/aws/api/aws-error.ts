/** The code of an error that AWS answered with, as its documents spell it; "" for any other error. */
export function errorCodeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { Code, name } = error as { readonly Code?: unknown; readonly name?: unknown };
  // Some services name their exceptions one way and number them another; the code is what is documented.
  if (typeof Code === "string" && Code !== "") return Code;
  return typeof name === "string" && isAnswer(error) ? name : "";
}

/** Whether AWS said no. Without an answer, or with one that stops halfway, nobody knows what has happened. */
export function isAnswer(error: unknown): boolean {
  return statusOf(error) >= 400;
}

/** 0 when there is none. */
function statusOf(error: unknown): number {
  const { $metadata } = (error ?? {}) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode ?? 0;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const notFoundCodes = new Set([
  "InvalidCapacityReservationId.NotFound",
  "InvalidInstanceID.NotFound",
  "InvalidLaunchTemplateName.NotFoundException",
  "InvalidLaunchTemplateId.NotFound",
  "InvalidLaunchTemplateId.NotFoundException",
  "InvalidPlacementGroup.Unknown",
  "QueueDoesNotExist",
  "AWS.SimpleQueueService.NonExistentQueue",
  "NoSuchEntity",
  "NoSuchEntityException",
  "ParameterNotFound",
  "ResourceNotFoundException",
]);

export function isNotFound(error: unknown): boolean {
  return notFoundCodes.has(errorCodeOf(error));
}

const throttlingCodes = new Set([
  "RequestLimitExceeded",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "EC2ThrottledException",
]);

export function isThrottled(error: unknown): boolean {
  return throttlingCodes.has(errorCodeOf(error));
}

/** AWS itself failed; the same call may work later. */
export function isServerFault(error: unknown): boolean {
  return statusOf(error) >= 500;
}

const unauthorizedCodes = new Set(["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"]);

/** AWS knows who asks, and does not allow it. */
export function isUnauthorized(error: unknown): boolean {
  return (unauthorizedCodes.has(errorCodeOf(error)) && !isUntrusted(error)) || isForeignResource(error);
}

/** The role does not trust whoever wants to take it on, as with IRSA and a trust policy for another account. */
function isUntrusted(error: unknown): boolean {
  return /\bsts:AssumeRole/.test(messageOf(error));
}

const credentialCodes = new Set([
  "AuthFailure",
  "ExpiredToken",
  "ExpiredTokenException",
  "RequestExpired",
  "InvalidClientTokenId",
  "UnrecognizedClientException",
  "SignatureDoesNotMatch",
  "InvalidSignatureException",
  "InvalidIdentityToken",
  "InvalidIdentityTokenException",
]);

/** AWS says that the credentials are expired or unknown to it. */
export function isCredentialFailure(error: unknown): boolean {
  const code = errorCodeOf(error);
  return (
    (credentialCodes.has(code) && !isForeignResource(error)) || (unauthorizedCodes.has(code) && isUntrusted(error))
  );
}

/** There were no credentials to ask AWS with: whoever hands them out has none, or does not answer just now. */
export function isWithoutCredentials(error: unknown): boolean {
  const { name } = (error ?? {}) as { readonly name?: unknown };
  return name === "CredentialsProviderError" || errorCodeOf(error).startsWith("IDPCommunicationError");
}

/** One code for two things: strange credentials, and good ones that may not use the image of another account. */
function isForeignResource(error: unknown): boolean {
  return errorCodeOf(error) === "AuthFailure" && /not authorized/i.test(messageOf(error));
}

/** What a dry run that would have worked answers with. */
export function isDryRunSuccess(error: unknown): boolean {
  return errorCodeOf(error) === "DryRunOperation";
}
