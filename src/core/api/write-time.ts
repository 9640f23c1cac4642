/** Milliseconds since 1970 as objects write a time: whole seconds, in UTC. */
export function writeTime(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
