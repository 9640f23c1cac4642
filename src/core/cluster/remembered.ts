/** The same function, which gives the same object again when it is asked again about the same things. */
export function remembered<First extends object, Second, Result>(
  work: (first: First, second: Second) => Result,
): (first: First, second: Second) => Result {
  const last = new WeakMap<First, { readonly second: Second; readonly result: Result }>();
  return (first, second) => {
    const known = last.get(first);
    if (known !== undefined && known.second === second) return known.result;
    const result = work(first, second);
    last.set(first, { second, result });
    return result;
  };
}
