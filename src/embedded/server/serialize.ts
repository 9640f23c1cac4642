/** A change goes to every watcher, so the latest objects are turned into text once for all of them. */
const latest = new Map<object, string>();
const mostKept = 1024;
/** Longer texts are not worth their memory. */
const longestKept = 16 * 1024;

/** As JSON. What is given must not change afterwards. */
export function serialize(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const known = latest.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  // Lists and tables are made for one answer; only objects that are stored come again.
  if (text.length <= longestKept && "metadata" in value && !("items" in value) && !("rows" in value)) keep(value, text);
  return text;
}

function keep(value: object, text: string): void {
  latest.set(value, text);
  if (latest.size <= mostKept) return;
  const [oldest] = latest.keys();
  if (oldest !== undefined) latest.delete(oldest);
}
