/** Keeps work that can go nowhere until one of the counts that it was judged by has changed. */
export class WaitingRoom<Work> {
  private readonly waiting = new Set<Work>();
  private readonly byCount = new Map<object, Work[]>();
  private readonly touched = new Set<object>();

  /** Work that is judged by no count waits for ever. */
  add(work: Work, counts: readonly object[]): void {
    this.waiting.add(work);
    for (const count of counts) {
      const known = this.byCount.get(count);
      if (known) known.push(work);
      else this.byCount.set(count, [work]);
    }
  }

  changed(counts: readonly object[]): void {
    for (const count of counts) this.touched.add(count);
  }

  /** Takes out what waits for something that has changed since it was last asked for. */
  woken(): Work[] {
    const woken = new Set<Work>();
    for (const count of this.touched) {
      for (const work of this.byCount.get(count) ?? []) if (this.waiting.delete(work)) woken.add(work);
      this.byCount.delete(count);
    }
    this.touched.clear();
    return [...woken];
  }

  everybody(): Iterable<Work> {
    return this.waiting;
  }
}
