import type { Style } from "../../src/cli/style.ts";

const asItIs = (text: string): string => text;

/** For comparing what is drawn with text. */
export const plainStyle: Style = {
  bold: asItIs,
  dim: asItIs,
  red: asItIs,
  green: asItIs,
  yellow: asItIs,
  cyan: asItIs,
};
