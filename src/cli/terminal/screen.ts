/** Where to draw: a terminal, or what stands in for one. */
export interface Terminal {
  write(text: string): unknown;
}

const control = "\u001b[";
/** The other screen, no cursor, no wrapping of long lines. */
const enter = `${control}?1049h${control}?25l${control}?7l`;
const leave = `${control}?7h${control}?25h${control}?1049l`;
/** Terminals that know them show what is between only when it is whole. */
const [beginFrame, endFrame] = [`${control}?2026h`, `${control}?2026l`];
const clear = `${control}2J`;

/** A full screen that writes only the lines that have changed. */
export class Screen {
  readonly #terminal: Terminal;
  #shown: readonly string[] | undefined;
  #isOpen = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  open(): void {
    this.#isOpen = true;
    this.#terminal.write(enter);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#terminal.write(leave);
  }

  /** What is on it is not to be relied on any more, as after a change of size. */
  forget(): void {
    this.#shown = undefined;
  }

  /** The lines from the top; what was below them is wiped. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const before = this.#shown;
    const rows = Math.max(lines.length, before?.length ?? 0);
    let changes = before === undefined ? clear : "";
    for (let row = 0; row < rows; row++) {
      const line = lines[row] ?? "";
      if (before !== undefined && before[row] === line) continue;
      if (before === undefined && line === "") continue;
      // Wiped first: after a line as wide as the screen the cursor still stands on its last sign.
      changes += `${control}${row + 1};1H${control}2K${line}`;
    }
    this.#shown = [...lines];
    if (changes !== "") this.#terminal.write(beginFrame + changes + endFrame);
  }
}
