import type { KubeRequest } from "../../ports/kube-transport.ts";

/** That there was no whole answer, and why. */
export function noAnswer({ method, path }: KubeRequest, cause: unknown): Error {
  return new Error(`No whole answer to ${method} ${path}: ${reasonOf(cause)}`, { cause });
}

export function tooLate(request: KubeRequest, timeoutMs: number): Error {
  return noAnswer(request, new Error(`${timeoutMs / 1000} s have passed`));
}

/** Where several addresses were tried, the error of all of them has no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === "") return cause.errors.map(reasonOf).join(", ");
  return cause instanceof Error ? cause.message : String(cause);
}
