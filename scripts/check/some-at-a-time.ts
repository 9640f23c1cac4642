/** Begins with the first items, and with the next whenever one is done. The worker is the number of the queue that takes it. */
export async function someAtATime<Item>(
  count: number,
  items: readonly Item[],
  act: (item: Item, worker: number) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const work = async (worker: number) => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item, worker);
  };
  await Promise.all(Array.from({ length: Math.min(count, queue.length) }, (_, worker) => work(worker)));
}
