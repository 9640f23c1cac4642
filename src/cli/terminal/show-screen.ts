import { type Style, styleFor } from "../style.ts";
import { Screen } from "./screen.ts";

/** Often enough to follow, seldom enough to read. */
const drawEvery = 250;

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ShownScreen {
  /** At once, as after a key. */
  redraw(): void;
  /** Gives the terminal back. */
  stop(): void;
}

/** Shows a frame full screen, again and again, until it is told to stop. */
export function showScreen(
  terminal: NodeJS.WriteStream,
  frame: (size: Size, style: Style) => readonly string[],
): ShownScreen {
  const screen = new Screen(terminal);
  const style = styleFor(terminal);
  const redraw = (): void => {
    const { columns = 80, rows = 24 } = terminal;
    screen.draw(frame({ columns, rows }, style));
  };
  const resize = (): void => {
    screen.forget();
    redraw();
  };
  const stop = (): void => {
    clearInterval(timer);
    terminal.off("resize", resize);
    process.off("exit", stop);
    screen.close();
  };
  screen.open();
  redraw();
  const timer = setInterval(redraw, drawEvery);
  terminal.on("resize", resize);
  // Whatever ends the process, the terminal must be usable afterwards.
  process.once("exit", stop);
  return { redraw, stop };
}
