/** Something in a manifest that its owner should mend: an error keeps it from working, a warning is probably not meant. */
export interface Finding {
  readonly severity: "error" | "warning";
  /** Kind and name. */
  readonly object: string;
  /** Where in the object, "" for all of it. */
  readonly path: string;
  /** To follow the path. */
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}

/** The word that was probably meant, if any is near enough. */
export function nearestWord(word: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 6)) + 1;
  for (const candidate of words) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

/** How many signs must be put in, taken out or replaced. Words are no longer than names may be. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
