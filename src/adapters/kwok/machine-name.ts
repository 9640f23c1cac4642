import { createHash } from "node:crypto";

const prefix = "kwok://";

/** The same for the same claim, always: whoever launches it again after a crash finds the machine that is there. */
export function nodeNameFor({ name, uid }: { readonly name: string; readonly uid: string }): string {
  return `kwok-${name}-${shortHash(uid)}`;
}

export function providerIdOf(nodeName: string): string {
  return `${prefix}${nodeName}`;
}

/** Undefined for the id of a machine that is not ours. */
export function nodeNameOf(providerId: string): string | undefined {
  return providerId.startsWith(prefix) && providerId.length > prefix.length
    ? providerId.slice(prefix.length)
    : undefined;
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
