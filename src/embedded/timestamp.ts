/** The end of the year 9999: no time of the API has a fifth digit for the year. */
const lastOfAll = 253_402_300_799;
/** The beginning of the year 1. */
const firstOfAll = -62_135_596_800;
let lastSecond = Number.NaN;
let lastTimestamp = "";

/** Milliseconds as the API writes a time: whole seconds, in UTC. Much happens within a second, and shares one text. */
export function timestamp(milliseconds: number): string {
  const second = Math.max(firstOfAll, Math.min(Math.floor(milliseconds / 1000), lastOfAll));
  if (second !== lastSecond) {
    lastSecond = second;
    lastTimestamp = new Date(second * 1000).toISOString().replace(".000Z", "Z");
  }
  return lastTimestamp;
}

/** Milliseconds as leases and events write a time: with microseconds. */
export function microTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
