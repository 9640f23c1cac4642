/** What generated names are made of: no vowels, so no words. */
const characters = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for a pod template: equal templates have the same, and a count of collisions makes another. */
export function templateHash(template: unknown, collisionCount = 0): string {
  const text = `${canonical(template)}${collisionCount === 0 ? "" : `#${collisionCount}`}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => characters[digit.charCodeAt(0) % characters.length]).join("");
}

/** The same text however the keys are ordered. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
