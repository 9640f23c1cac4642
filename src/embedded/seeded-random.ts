/** Numbers in [0, 1) that depend on nothing but the seed. */
export type Random = () => number;

/** A small generator of 32-bit state (mulberry32): plenty for names, ties and faults, and the same everywhere. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const hexadecimal = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));

/** A UUID of version 4. */
export function randomUid(random: Random): string {
  let text = "";
  for (let i = 0; i < 16; i++) {
    let byte = Math.floor(random() * 256);
    if (i === 6) byte = (byte & 0x0f) | 0x40;
    if (i === 8) byte = (byte & 0x3f) | 0x80;
    if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
    text += hexadecimal[byte];
  }
  return text;
}

/** The letters and digits that generated names are made of: no vowels, so no words. */
const nameCharacters = "bcdfghjklmnpqrstvwxz2456789";

/** Five characters, as the API server appends to a generateName. */
export function randomSuffix(random: Random): string {
  let text = "";
  for (let i = 0; i < 5; i++) text += nameCharacters[Math.floor(random() * nameCharacters.length)];
  return text;
}
