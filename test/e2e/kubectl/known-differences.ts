/** Command lines whose output is known to differ, and why. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([]);
