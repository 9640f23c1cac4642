/** Does something with each, ten at a time; one that fails keeps none from its turn. Tells what went wrong. */
export async function tryEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as T;
      next++;
      await act(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
  return errors;
}
