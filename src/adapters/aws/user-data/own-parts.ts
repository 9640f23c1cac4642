import { LineCounter, parseAllDocuments } from "yaml";
import { headerOf, isArchive, type MimePart, mediaTypeOf, parseArchive } from "./mime-archive.ts";
import { UserDataProblem } from "./user-data-problem.ts";

const nodeConfigType = "application/node.eks.aws";

export function shellPart(content: string): MimePart {
  return { headers: ['Content-Type: text/x-shellscript; charset="us-ascii"'], content };
}

export function nodeConfigPart(content: string): MimePart {
  return { headers: [`Content-Type: ${nodeConfigType}`], content };
}

/** What a node class brings along, as parts: those it has, or all of it as a script. */
export function ownParts(userData: string | undefined): MimePart[] {
  if (userData === undefined || userData.trim() === "") return [];
  return isArchive(userData) ? parseArchive(userData) : [shellPart(userData)];
}

/** The same for machines that read a NodeConfig, which may also be all there is. */
export function ownPartsWithNodeConfig(userData: string | undefined): MimePart[] {
  const parts = ownParts(userData);
  if (userData !== undefined && isArchive(userData)) {
    for (const part of parts) checkNodeConfig(part);
    return parts;
  }
  return parts.map((part) => (isNodeConfig(part.content) ? nodeConfigPart(part.content) : part));
}

/** A part in another encoding is for nodeadm to read. */
function checkNodeConfig(part: MimePart): void {
  if (mediaTypeOf(part) !== nodeConfigType || headerOf(part, "Content-Transfer-Encoding") !== "") return;
  const reading = readYaml(part.content);
  if (reading.kind === "mapping") return;
  const where = reading.kind === "invalid" ? `is not YAML at line ${reading.line}` : "is not a mapping";
  throw new UserDataProblem(`a part of the user data has type ${nodeConfigType} but ${where}`);
}

function isNodeConfig(text: string): boolean {
  // To YAML, most of a script is a comment or looks like a mapping.
  if (text.trimStart().startsWith("#!")) return false;
  const reading = readYaml(text);
  if (reading.kind === "invalid" && /^(?:apiVersion:\s*["']?node\.eks\.aws\/|kind:\s*["']?NodeConfig\b)/m.test(text)) {
    throw new UserDataProblem(`the user data look like a NodeConfig, but are not YAML at line ${reading.line}`);
  }
  return reading.kind === "mapping";
}

type YamlReading = { readonly kind: "mapping" | "other" } | { readonly kind: "invalid"; readonly line: number };

function readYaml(text: string): YamlReading {
  const lineCounter = new LineCounter();
  const [document] = parseAllDocuments(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const error = document?.errors[0];
  if (error?.code === "RESOURCE_EXHAUSTION") throw unfoldsTooFar();
  if (error !== undefined) return { kind: "invalid", line: lineCounter.linePos(error.pos[0]).line };
  let value: unknown;
  try {
    value = document?.toJS({ maxAliasCount: 100 });
  } catch {
    throw unfoldsTooFar();
  }
  return { kind: typeof value === "object" && value !== null && !Array.isArray(value) ? "mapping" : "other" };
}

/** Aliases of aliases, or nesting beyond all measure: no machine should have to read this. */
function unfoldsTooFar(): UserDataProblem {
  return new UserDataProblem("the user data are YAML that unfolds too far: use fewer aliases and less nesting");
}
