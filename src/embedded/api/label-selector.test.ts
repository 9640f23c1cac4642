import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labelSelectorMatch, parseLabelSelector } from "./label-selector.ts";

const labels = { app: "web", size: "10", "example.com/x": "" };

describe("parseLabelSelector", () => {
  it("selects by every operator", () => {
    const matching = [
      "",
      "app",
      "app=web",
      "app==web,size",
      "app!=db",
      "none!=x",
      "app in (db, web)",
      "app notin (db)",
      "!none",
      "size>9",
      "size<11",
      "example.com/x=",
      "size in (,10)",
    ];
    const others = [
      "none",
      "app=db",
      "app!=web",
      "app in (db)",
      "app in ()",
      "app notin (web)",
      "!app",
      "size>10",
      "app>1",
      "toString",
    ];
    assert.deepEqual(
      [matching, others].map((texts) => texts.map((text) => parseLabelSelector(text)(labels))),
      [matching.map(() => true), others.map(() => false)],
    );
  });

  it("says what it cannot read", () => {
    const refusal = (text: string): string => {
      try {
        parseLabelSelector(text);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    const inTerm = "unable to parse requirement: ";
    assert.deepEqual(
      ["a===b", "a in b", "a in (b", "=b", "a,,b", "a=b c", "a notin", "a~b", "a>x", "a,"].map(refusal),
      [
        `${inTerm}found '=', expected: identifier`,
        `${inTerm}found 'b' expected: '('`,
        `${inTerm}found '', expected: ',' or ')'`,
        "found '=', expected: !, identifier, or 'end of string'",
        "found ',', expected: identifier after ','",
        "found 'c', expected: ',' or 'end of string'",
        `${inTerm}found '' expected: '('`,
        `${inTerm}<nil>: Invalid value: "a~b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `${inTerm}values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
        "found '', expected: identifier after ','",
      ],
    );
  });
});

describe("labelSelectorMatch", () => {
  it("selects nothing without a selector and everything with an empty one", () => {
    assert.deepEqual([labelSelectorMatch(undefined)(labels), labelSelectorMatch({})(labels)], [false, true]);
  });

  it("wants all that the selector says", () => {
    const app = { matchLabels: { app: "web" } };
    const matches = [
      app,
      { ...app, matchExpressions: [{ key: "size", operator: "In", values: ["10"] }] },
      { ...app, matchExpressions: [{ key: "size", operator: "DoesNotExist" }] },
      { matchExpressions: [{ key: "size", operator: "Odd" }] },
    ].map((selector) => labelSelectorMatch(selector)(labels));
    assert.deepEqual(matches, [true, true, false, false]);
  });
});
