import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Screen } from "./screen.ts";

const esc = "\u001b[";
const frame = (text: string): string => `${esc}?2026h${text}${esc}?2026l`;

function open(): { screen: Screen; written: string[] } {
  const written: string[] = [];
  const screen = new Screen({ write: (text) => written.push(text) });
  screen.open();
  written.length = 0;
  return { screen, written };
}

describe("a screen", () => {
  it("writes everything first, then only the lines that changed", () => {
    const { screen, written } = open();
    screen.draw(["one", "", "three"]);
    screen.draw(["one", "two", "three"]);
    screen.draw(["one", "two", "three"]);
    assert.deepEqual(written, [
      frame(`${esc}2J${esc}1;1H${esc}2Kone${esc}3;1H${esc}2Kthree`),
      frame(`${esc}2;1H${esc}2Ktwo`),
    ]);
  });

  it("wipes lines that are no longer there", () => {
    const { screen, written } = open();
    screen.draw(["one", "two"]);
    screen.draw(["one"]);
    assert.equal(written[1], frame(`${esc}2;1H${esc}2K`));
  });

  it("writes everything again after a change of size", () => {
    const { screen, written } = open();
    screen.draw(["one"]);
    screen.forget();
    screen.draw(["one"]);
    assert.equal(written[1], written[0]);
  });

  it("gives the terminal back as it was, once, and draws no more", () => {
    const { screen, written } = open();
    screen.close();
    screen.close();
    screen.draw(["late"]);
    assert.deepEqual(written, [`${esc}?7h${esc}?25h${esc}?1049l`]);
  });
});
