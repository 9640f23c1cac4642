/** Terms as manifests write them, without what they do not say. */
export function describeTerms(terms: unknown): string {
  return JSON.stringify(terms, (_, value: unknown) => {
    if (!(value instanceof Map)) return value;
    return value.size === 0 ? undefined : Object.fromEntries(value);
  });
}
