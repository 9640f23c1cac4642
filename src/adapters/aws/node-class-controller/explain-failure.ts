import {
  errorCodeOf,
  isAnswer,
  isCredentialFailure,
  isServerFault,
  isThrottled,
  isUnauthorized,
  isWithoutCredentials,
  messageOf,
} from "../api/aws-error.ts";
import { credentialProblem } from "../api/explain-refusal.ts";

/** Why AWS did not tell what was asked for. */
export type Failure =
  /** It will not, until somebody changes something. */
  | { readonly kind: "refused"; readonly reason: string; readonly message: string }
  /** It may the next time. */
  | { readonly kind: "unavailable"; readonly message: string }
  /** It was not asked, for want of credentials: whoever hands them out may only have been restarted. */
  | { readonly kind: "without-credentials"; readonly message: string };

export const credentialReason = "CredentialsRejected";
const mostCharacters = 2_000;

/** `actions` are those that may have failed, as policies write them; AWS often says itself which it was. */
export function explainFailure(error: unknown, actions: readonly string[]): Failure {
  const cause = answerWithin(error);
  const said = shorten(messageOf(error));
  const code = errorCodeOf(cause);
  const credentials = shorten(credentialProblem(shorten(messageOf(cause))));
  if (isCredentialFailure(cause)) return { kind: "refused", reason: credentialReason, message: credentials };
  if (isWithoutCredentials(cause)) return { kind: "without-credentials", message: credentials };
  if (isUnauthorized(cause)) {
    const action = /not authorized to perform:? ([\w-]+:\w+)/.exec(messageOf(cause))?.[1] ?? actions.join(" or ");
    const message = `the controller's role may not call ${action}: allow it in the policy of that role (${said})`;
    return { kind: "refused", reason: "Unauthorized", message: shorten(message) };
  }
  if (!isAnswer(cause) || isThrottled(cause) || isServerFault(cause)) {
    const why = code === "" ? said : code;
    return { kind: "unavailable", message: `no success with ${actions.join(" or ")}, which is tried again: ${why}` };
  }
  const coded = said.includes(code) ? said : `${code}: ${said}`;
  return { kind: "refused", reason: "ResolutionFailed", message: `AWS refuses ${actions.join(" or ")}: ${coded}` };
}

/** For a condition: bounded, and the same for the same failure, because every change is written. */
export function shorten(message: string): string {
  const lasting = message
    // A new one each time, and nobody can read it.
    .replace(/\s*Encoded authorization failure message: [\w-]+/g, "")
    .replace(/[,;]?\s*\(?request ?id:? [\w-]+\)?/gi, "");
  return lasting.length > mostCharacters ? `${lasting.slice(0, mostCharacters)}...` : lasting;
}

/** Parts of the provider say in their own words what failed; what AWS answered is among the causes. */
function answerWithin(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isAnswer(cause) || isWithoutCredentials(cause)) return cause;
  }
  return error;
}
