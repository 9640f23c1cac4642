/** ` (did you mean "…"?)` when there is a name that somebody may have meant, otherwise nothing. */
export function nearestName(given: string, known: readonly string[]): string {
  const limit = Math.max(2, Math.floor(given.length / 3));
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const isBeginning = given.length > 2 && name.startsWith(given);
    const distance = isBeginning ? 1 : editsBetween(given.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (nearest === undefined || distance < nearest.distance)) nearest = { name, distance };
  }
  return nearest === undefined ? "" : ` (did you mean "${nearest.name}"?)`;
}

/** How many letters have to be added, dropped or changed to get from one word to the other. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one.slice(0, 100)].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (letter === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
