import type { CaseGroup } from "./case-groups.ts";
import type { ContractCase } from "./contract-case.ts";
import { type ApiUnderTest, record } from "./recorder.ts";
import type { Transcript } from "./transcript.ts";

const casesAtOnce = 6;

/** By name of the case, in the order of the group. */
export async function recordGroup(group: CaseGroup, api: ApiUnderTest): Promise<ReadonlyMap<string, Transcript>> {
  const transcripts = new Map<string, Transcript>(group.cases.map(({ name }) => [name, []]));
  const run = async (contractCase: ContractCase) => {
    try {
      transcripts.set(contractCase.name, await record(contractCase, api));
    } catch (cause) {
      throw new Error(`Cannot run case "${contractCase.name}": ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    }
  };
  const together = group.cases.filter(({ runsAlone }) => runsAlone !== true).values();
  await Promise.all(
    Array.from({ length: casesAtOnce }, async () => {
      for (const contractCase of together) await run(contractCase);
    }),
  );
  for (const contractCase of group.cases) if (contractCase.runsAlone === true) await run(contractCase);
  return transcripts;
}
