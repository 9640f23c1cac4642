/** What EC2 takes, before base64. */
export const mostUserDataBytes = 16_384;

export type EncodedUserData = { readonly base64: string; readonly bytes: number } | { readonly problem: string };

/** `own` is what the node class brings along, so that its author can see how much of it is theirs. */
export function encodeUserData(text: string, own: string | undefined): EncodedUserData {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > mostUserDataBytes) return { problem: tooLong(bytes.length, own) };
  return { base64: bytes.toString("base64"), bytes: bytes.length };
}

export function tooLong(bytes: number, own: string | undefined): string {
  const share = Buffer.byteLength(own ?? "", "utf8");
  return `the user data of a machine would be ${bytes} bytes (${share} of them spec.userData), and EC2 takes at most ${mostUserDataBytes}: shorten spec.userData, for example by fetching what it does from elsewhere`;
}
