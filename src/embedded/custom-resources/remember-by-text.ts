const most = 64;

/**
 * A function that makes nothing twice of equal JSON: all clusters of a process have much the same definitions, and a
 * large schema takes long to read. What it answers is shared, and must not be changed.
 */
export function rememberByText<Value, Made>(make: (value: Value) => Made): (value: Value) => Made {
  const known = new Map<string, { readonly made: Made }>();
  return (value) => {
    const text = textOf(value);
    if (text === undefined) return make(value);
    const before = known.get(text);
    if (before !== undefined) return before.made;
    const made = make(value);
    known.set(text, { made });
    // The oldest goes, so that a client that sends one definition after the other fills no memory.
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return made;
  };
}

/** Undefined for what is nested so deeply that the stack does not suffice. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}
