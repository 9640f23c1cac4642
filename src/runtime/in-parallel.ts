/** So many at once, begun in their order. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const next = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const item of next) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}
