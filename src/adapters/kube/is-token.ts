/** Whether it can go out in a header; servers decide on the rest. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
