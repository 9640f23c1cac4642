export type Key = "quit" | "more" | "less";

const keys: ReadonlyMap<string, Key> = new Map([
  ["q", "quit"],
  ["\u0003", "quit"],
  ["\u0004", "quit"],
  ["+", "more"],
  ["=", "more"],
  ["-", "less"],
]);

/** Tells what is pressed on a terminal; returns how to give the keyboard back. */
export function listenToKeys(input: NodeJS.ReadStream, onKey: (key: Key) => void): () => void {
  if (!input.isTTY) return () => {};
  const read = (chunk: string): void => {
    // What begins like this is an arrow or the like, whatever signs follow.
    if (chunk.startsWith("\u001b")) return;
    for (const sign of chunk) {
      const key = keys.get(sign);
      if (key !== undefined) onKey(key);
    }
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
