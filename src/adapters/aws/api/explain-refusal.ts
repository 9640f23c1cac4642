import { isUnauthorized, messageOf } from "./aws-error.ts";

/** The error, which names the action that the controller's role lacks where AWS refused it. */
export function explainRefusal(error: unknown, action: string): unknown {
  if (!isUnauthorized(error)) return error;
  const message = `AWS refuses ${action}: allow it in the policy of the controller's role (${messageOf(error)})`;
  return new Error(message, { cause: error });
}
