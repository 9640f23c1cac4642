/** A price as AWS writes it; undefined when it is none, or nothing, which is what AWS writes for what is not sold. */
export function readPrice(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^\d{1,9}(\.\d{1,20})?(e-\d{1,2})?$/i.test(text)) return undefined;
  const price = Number(text);
  return price > 0 ? price : undefined;
}

/** Whether it looks like the name of an instance type; nothing else is kept. */
export function isTypeName(text: unknown): text is string {
  return typeof text === "string" && /^[a-z0-9-]{1,32}\.[a-z0-9-]{1,32}$/.test(text);
}
