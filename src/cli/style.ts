import { styleText } from "node:util";

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** Colours for a terminal that wants them, plain text for a pipe. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const paint =
    (name: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      styleText(name, text, { stream });
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
  };
}
