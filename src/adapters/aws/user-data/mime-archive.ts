import { UserDataProblem } from "./user-data-problem.ts";

export interface MimePart {
  /** Each a line `Name: value`. */
  readonly headers: readonly string[];
  readonly content: string;
}

const fieldPattern = /^[!-9;-~]+:/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: to keep them out is what it is for
const controlPattern = /[\x00-\x08\x0a-\x1f\x7f]/;

/** Whether user data are several parts already. */
export function isArchive(text: string): boolean {
  return /^\s*(?:MIME-Version|Content-Type):/i.test(text);
}

/** The value of a header, without regard to the case of its name; "" for none. */
export function headerOf({ headers }: Pick<MimePart, "headers">, name: string): string {
  const start = `${name.toLowerCase()}:`;
  const line = headers.find((header) => header.toLowerCase().startsWith(start)) ?? start;
  return line.slice(start.length).trim();
}

export function mediaTypeOf(part: Pick<MimePart, "headers">): string {
  return (headerOf(part, "Content-Type").split(";")[0] ?? "").trim().toLowerCase();
}

/** The parts of user data; throws a UserDataProblem for what is not well formed, so that no part is lost unseen. */
export function parseArchive(text: string): MimePart[] {
  const { headers, content } = splitHeaders(withoutReturns(text).trimStart().split("\n"), "the user data");
  const boundary = boundaryOf({ headers });
  const parts: MimePart[] = [];
  /** Of the part that is being read; undefined before the first and after the last. */
  let lines: string[] | undefined;
  let isClosed = false;
  const end = (): void => {
    if (lines !== undefined) parts.push(splitHeaders(lines, `part ${parts.length + 1} of the user data`));
  };
  for (const line of content.split("\n")) {
    const after = line.startsWith(`--${boundary}`) ? line.slice(boundary.length + 2).trimEnd() : undefined;
    if (after === "" || after === "--") {
      end();
      isClosed = after === "--";
      lines = isClosed ? undefined : [];
      if (isClosed) break;
    } else lines?.push(line);
  }
  // An opening line at the very end is a common slip for the closing one.
  const isSlip = lines?.every((line) => line.trim() === "") ?? false;
  if (!isClosed && !(isSlip && parts.length > 0)) {
    throw new UserDataProblem("the multipart user data has no closing line (its boundary between two pairs of dashes)");
  }
  return parts;
}

/** One text that cloud-init and nodeadm take apart into exactly these parts, without carriage returns. */
export function writeArchive(parts: readonly MimePart[]): string {
  const written = parts.map(({ headers, content }) => withoutReturns([...headers, "", content].join("\n")));
  const boundary = freeBoundary(written);
  const body = written.map((part) => `--${boundary}\n${part}\n`).join("");
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n${body}--${boundary}--\n`;
}

/** One that starts no line of any part. */
function freeBoundary(parts: readonly string[]): string {
  const isFree = (boundary: string): boolean => !parts.some((part) => `\n${part}`.includes(`\n--${boundary}`));
  if (isFree("//")) return "//";
  let number = 1;
  while (!isFree(`karpenter-${number}`)) number += 1;
  return `karpenter-${number}`;
}

function splitHeaders(lines: readonly string[], what: string): MimePart {
  const empty = lines.findIndex((line) => line.trim() === "");
  if (empty < 0) throw new UserDataProblem(`${what} has no empty line between its headers and what follows`);
  const headers: string[] = [];
  for (const line of lines.slice(0, empty)) {
    const previous = headers.at(-1);
    if (controlPattern.test(line)) throw new UserDataProblem(`${what} has a control character among its headers`);
    if (/^[ \t]/.test(line) && previous !== undefined) headers[headers.length - 1] = `${previous} ${line.trim()}`;
    else if (fieldPattern.test(line)) headers.push(line.trimEnd());
    else throw new UserDataProblem(`${what} has a line among its headers that is none (they read \`Name: value\`)`);
  }
  return { headers, content: lines.slice(empty + 1).join("\n") };
}

function boundaryOf(message: Pick<MimePart, "headers">): string {
  if (!mediaTypeOf(message).startsWith("multipart/")) {
    throw new UserDataProblem(
      "the user data begin with headers, but Content-Type is not multipart: leave the headers out",
    );
  }
  const parameter = /;\s*boundary=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(headerOf(message, "Content-Type"));
  const boundary = parameter?.[1]?.replace(/\\(.)/g, "$1") ?? parameter?.[2] ?? "";
  if (boundary.trim() === "")
    throw new UserDataProblem("the Content-Type of the multipart user data names no boundary");
  return boundary;
}

function withoutReturns(text: string): string {
  return text.replaceAll("\r", "");
}
