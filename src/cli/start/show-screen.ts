import { styleFor } from "../style.ts";
import { drawFrame, type View } from "./draw-frame.ts";
import { Screen } from "./screen.ts";

/** Often enough to follow, seldom enough to read. */
const drawEvery = 250;

/** Shows the view full screen until it is told to stop; returns how. */
export function showScreen(terminal: NodeJS.WriteStream, look: () => View): () => void {
  const screen = new Screen(terminal);
  const style = styleFor(terminal);
  const draw = (): void => {
    const { columns = 80, rows = 24 } = terminal;
    screen.draw(drawFrame(look(), { columns, rows }, style));
  };
  const resize = (): void => {
    screen.forget();
    draw();
  };
  screen.open();
  draw();
  const timer = setInterval(draw, drawEvery);
  terminal.on("resize", resize);
  return () => {
    clearInterval(timer);
    terminal.off("resize", resize);
    screen.close();
  };
}
