/** Asks once for all who want to know at the same time. Nobody gets the answer to a question put before theirs. */
export class SharedQuestion<Answer> {
  readonly #put: () => Promise<Answer>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Answer> | undefined;

  constructor(put: () => Promise<Answer>) {
    this.#put = put;
  }

  ask(): Promise<Answer> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      const answer = this.#put();
      this.#last = answer.catch(() => {});
      return answer;
    });
    return this.#next;
  }
}
