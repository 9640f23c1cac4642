import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { headerOf, isArchive, type MimePart, mediaTypeOf, parseArchive, writeArchive } from "./mime-archive.ts";

const text = { headers: ["Content-Type: text/x-shellscript"], content: "echo" };
const boundaryIn = (archive: string): string | undefined => /boundary="(.*)"/.exec(archive)?.[1];

describe("a multipart archive", () => {
  it("is written as cloud-init reads it", () => {
    assert.equal(
      writeArchive([text, { headers: ["Content-Type: a/b", "X: y"], content: "1\n2\n" }]),
      `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript

echo
--//
Content-Type: a/b
X: y

1
2

--//--
`,
    );
  });

  it("takes another boundary when a part has a line that begins with it", () => {
    const hostile = [
      "--//",
      "x\n--//--\nContent-Type: text/x-shellscript\n\nevil",
      "--//\t",
      "-\r-//\n",
      "--//\n--karpenter-1",
    ];
    const archives = hostile.map((content) => writeArchive([{ ...text, content }, text]));
    assert.deepEqual(archives.map(boundaryIn), [
      "karpenter-1",
      "karpenter-1",
      "karpenter-1",
      "karpenter-1",
      "karpenter-2",
    ]);
    assert.deepEqual(
      archives.map(parseArchive),
      hostile.map((content) => [{ ...text, content: content.replaceAll("\r", "") }, text]),
    );
  });

  it("comes back as it was, whatever its parts hold", () => {
    const line = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("--//", "--//--", "--karpenter-1", "\r", ""));
    const content = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
    const header = fc.constantFrom(
      "Content-Type: text/plain",
      "X-A: --//",
      "--//: x",
      'Content-Type: m/x; boundary="//"',
    );
    const part: fc.Arbitrary<MimePart> = fc.record({ headers: fc.array(header, { maxLength: 3 }), content });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const expected = parts.map(({ headers, content }) => ({ headers, content: content.replaceAll("\r", "") }));
        assert.deepEqual(parseArchive(writeArchive(parts)), expected);
      }),
    );
  });

  it("is read with folded headers, blanks after its boundary, text before and after its parts, and line ends of Windows", () => {
    const archive = `\n\nContent-Type: multipart/mixed;\r\n boundary="a b"\r\nMIME-Version: 1.0\r\n\r\nbefore\r\n--a b \t\r\nContent-Type: text/x-shellscript;\r\n\tcharset="utf-8"\r\n\r\n#!/bin/sh\r\n--a bc\r\n--a b--\r\nafter\r\n`;
    assert.equal(isArchive(archive), true);
    assert.deepEqual(parseArchive(archive), [
      { headers: ['Content-Type: text/x-shellscript; charset="utf-8"'], content: "#!/bin/sh\n--a bc" },
    ]);
  });

  it("may end with an opening line in place of the closing one", () => {
    const archive = 'Content-Type: multipart/mixed; boundary="//"\n\n--//\nContent-Type: a/b\n\nx\n--//\n';
    assert.deepEqual(parseArchive(archive), [{ headers: ["Content-Type: a/b"], content: "x" }]);
  });

  it("is refused when it is malformed, without a word of what is in it", () => {
    const of = (body: string): string => `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n${body}`;
    const malformed: [string, RegExp][] = [
      ["Content-Type: text/plain\n\nsecret", /not multipart/],
      ["Content-Type: multipart/mixed\n\nsecret", /names no boundary/],
      ['Content-Type: multipart/mixed; boundary=""\n\nsecret', /names no boundary/],
      ["MIME-Version: 1.0\nsecret\n\n", /a line among its headers/],
      ["MIME-Version: 1.0", /no empty line/],
      [of("secret"), /no closing line/],
      [of("--x\nA: b\n\nsecret\n"), /no closing line/],
      [of("--x\n"), /no closing line/],
      [of("--x\nsecret\n\n--x--"), /part 1 of the user data has a line among its headers/],
      [of("--x\nA: b\n--x--"), /part 1 of the user data has no empty line/],
      [of("--x\nA: b\u0000secret\n\n\n--x--"), /control character/],
    ];
    for (const [archive, message] of malformed) {
      assert.throws(() => parseArchive(archive), { name: "UserDataProblem", message });
      assert.throws(
        () => parseArchive(archive),
        (error: Error) => !error.message.includes("secret"),
      );
    }
  });

  it("tells headers without regard to case", () => {
    const part = { headers: ["content-TYPE:  Text/Plain ; charset=x"] };
    assert.equal(mediaTypeOf(part), "text/plain");
    assert.equal(headerOf(part, "X"), "");
  });
});
