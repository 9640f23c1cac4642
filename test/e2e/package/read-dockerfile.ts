export interface Step {
  readonly instruction: string;
  readonly rest: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

/** The stages of a Dockerfile. It knows no more of the language than ours uses. */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: { base: string; name: string | undefined; steps: Step[] }[] = [];
  for (const line of lines) {
    const [, instruction = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === "") throw new Error(`Cannot read the Dockerfile: ${line}`);
    if (instruction === "FROM") {
      const [, base = "", name] = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ base, name, steps: [] });
    } else stages.at(-1)?.steps.push({ instruction, rest });
  }
  return stages;
}

/** The words of an instruction in its JSON form, which no shell reads. */
export function readWords(stage: Stage | undefined, instruction: string): readonly string[] {
  const step = stage?.steps.findLast((candidate) => candidate.instruction === instruction);
  const list = /\[.*\]$/.exec(step?.rest ?? "")?.[0];
  if (list === undefined) throw new Error(`The Dockerfile has no ${instruction} in its JSON form`);
  return JSON.parse(list) as string[];
}

export interface Copy {
  /** The stage that it copies from; the build context when undefined. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export function readCopy({ rest }: Step): Copy {
  const [, from, paths = ""] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
  const sources = paths.split(/\s+/);
  const target = sources.pop() ?? "";
  return { from, sources, target };
}

/** Whether .dockerignore lets a path of the repository into the build. */
export function contextFilter(ignores: string): (path: string) => boolean {
  const rules = ignores.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return (path) => {
    const decisive = rules.findLast((rule) => matches(path, rule.replace(/^!/, "")));
    return decisive === undefined || decisive.startsWith("!");
  };
}

function matches(path: string, pattern: string): boolean {
  if (pattern === "*") return true;
  if (pattern.startsWith("**/*")) return path.endsWith(pattern.slice(4));
  return path === pattern || path.startsWith(`${pattern}/`);
}
