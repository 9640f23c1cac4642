/** Named checks, each of which rejects or throws with the reason while something is not well. */
export type Checks = ReadonlyMap<string, () => void | Promise<void>>;

interface Question {
  /** As in `readyz`. */
  readonly endpoint: string;
  readonly checks: Checks;
  /** One check by its name; all of them when undefined. */
  readonly only: string | undefined;
  readonly isVerbose: boolean;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** `ok`, or what each check says. Reasons are told, because whoever may ask the pod may also read its log. */
export async function answerChecks({ endpoint, checks, only, isVerbose }: Question): Promise<Answer> {
  const asked = [...checks].filter(([name]) => only === undefined || name === only);
  if (asked.length === 0 && only !== undefined) {
    return { status: 404, text: `There is no check "${only}"; there are ${[...checks.keys()].join(", ")}.` };
  }
  const results = await Promise.all(asked.map(async ([name, check]) => ({ name, reason: await reasonAgainst(check) })));
  const isWell = results.every(({ reason }) => reason === undefined);
  if (isWell && !isVerbose) return { status: 200, text: "ok" };
  const lines = results.map(({ name, reason }) =>
    reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`,
  );
  return {
    status: isWell ? 200 : 500,
    text: [...lines, `${endpoint} check ${isWell ? "passed" : "failed"}`].join("\n"),
  };
}

async function reasonAgainst(check: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
