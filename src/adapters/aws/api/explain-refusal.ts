import { isCredentialFailure, isUnauthorized, isWithoutCredentials, messageOf } from "./aws-error.ts";

/** The error, which says what to do about the controller's role or its credentials where that is what is wrong. */
export function explainRefusal(error: unknown, action: string): unknown {
  const said = messageOf(error);
  if (isCredentialFailure(error) || isWithoutCredentials(error)) {
    return new Error(`no success with ${action}: ${credentialProblem(said)}`, { cause: error });
  }
  if (!isUnauthorized(error)) return error;
  const message = `AWS refuses ${action}: allow it in the policy of the controller's role (${said})`;
  return new Error(message, { cause: error });
}

/** What is wrong with the credentials, whoever has found out, and where they come from. */
export function credentialProblem(said: string): string {
  return `the controller has no credentials that AWS accepts (${said}): check the role of its service account (the annotation eks.amazonaws.com/role-arn for IRSA, or its EKS Pod Identity association), whom that role trusts, or the AWS variables of its environment, and that they have not expired`;
}
