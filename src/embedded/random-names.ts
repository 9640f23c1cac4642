import type { Random } from "../core/model/seeded-random.ts";

const uidBytes = Buffer.alloc(16);

/** A UUID of version 4. Made in one piece: a text put together bit by bit would keep all its bits in memory. */
export function randomUid(random: Random): string {
  for (let i = 0; i < 16; i += 4) uidBytes.writeUInt32LE(Math.floor(random() * 2 ** 32), i);
  uidBytes[6] = ((uidBytes[6] ?? 0) & 0x0f) | 0x40;
  uidBytes[8] = ((uidBytes[8] ?? 0) & 0x3f) | 0x80;
  const text = uidBytes.toString("hex");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

/** The letters and digits that generated names are made of: no vowels, so no words. */
const nameCharacters = "bcdfghjklmnpqrstvwxz2456789";

/** Five characters, as the API server appends to a generateName. */
export function randomSuffix(random: Random): string {
  return Array.from({ length: 5 }, () => nameCharacters[Math.floor(random() * nameCharacters.length)]).join("");
}
