/** A sign as it was typed, or the name of a key that types none. */
export type Key = string;

const names: ReadonlyMap<string, Key> = new Map([
  ["\u0003", "interrupt"],
  ["\u0004", "interrupt"],
  ["\u001b", "escape"],
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u007f", "backspace"],
  ["\b", "backspace"],
  ["\u001b[A", "up"],
  ["\u001b[B", "down"],
  ["\u001bOA", "up"],
  ["\u001bOB", "down"],
  ["\u001b[5~", "page-up"],
  ["\u001b[6~", "page-down"],
]);

/** Tells what is pressed on a terminal; returns how to give the keyboard back. */
export function listenToKeys(input: NodeJS.ReadStream, onKey: (key: Key) => void): () => void {
  if (!input.isTTY) return () => {};
  const read = (chunk: string): void => {
    for (const key of keysIn(chunk)) onKey(key);
  };
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.on("data", read);
  input.resume();
  return () => {
    input.off("data", read);
    input.setRawMode(false);
    input.pause();
  };
}

/** What begins with an escape is one key, whatever signs follow; one that has no name here is nothing. */
export function keysIn(chunk: string): readonly Key[] {
  const whole = names.get(chunk);
  if (whole !== undefined) return [whole];
  if (chunk.startsWith("\u001b")) return [];
  return [...chunk].flatMap((sign) => names.get(sign) ?? (/\p{Cc}/u.test(sign) ? [] : sign));
}
