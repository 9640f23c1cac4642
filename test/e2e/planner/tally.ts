/** What a comparison has come to so far. */
export class Tally {
  pods = 0;
  /** Pods that could go somewhere; of planned ones, those that could go where they were planned to. */
  feasible = 0;
  /** Pods that the plan has no place for. */
  refused = 0;
  /** Those of them that would have had one in the end. */
  needless = 0;
  readonly problems: string[] = [];
  readonly #known = new Map<string, number>();

  know(name: string): void {
    this.#known.set(name, (this.#known.get(name) ?? 0) + 1);
  }

  /** As in `3 local volumes, 1 attachments`. */
  get known(): string {
    return Array.from(this.#known, ([name, count]) => `${count} ${name}`).join(", ") || "none";
  }
}
