/**
 * For so long, what AWS has launched may be missing from what it lists. AWS names no bound; it is a matter of seconds.
 * Whoever would do harm by taking a machine for missing waits so long.
 */
export const listLag = 30_000;
