/** The same as long as nobody changes the spec of this very object. */
export function revisionOf({ uid, generation }: { readonly uid: string; readonly generation: number }): string {
  return `${uid}-${generation}`;
}
