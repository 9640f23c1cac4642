import { createHash } from "node:crypto";
import { launchTemplatePrefix } from "../names.ts";

/** The same for the same content, so that nothing is made twice and nothing has to be remembered. */
export function templateNameFor(content: unknown): string {
  return `${launchTemplatePrefix}${createHash("sha256").update(canonical(content)).digest("hex").slice(0, 32)}`;
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}
