import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { apiGroups } from "./case-groups.ts";
import { compareTranscripts, describeVerdict, judge } from "./compare.ts";
import { knownDifferences } from "./differences.ts";
import { startEmbeddedApi } from "./embedded-api.ts";
import { pendingCases } from "./pending-cases.ts";
import { record } from "./recorder.ts";
import { readRecordings } from "./recordings.ts";

const embedded = await startEmbeddedApi();

describe("the embedded API answers as a real kube-apiserver was recorded to answer", () => {
  after(() => embedded.stop());
  for (const group of apiGroups) {
    const recordings = readRecordings(group.name);
    for (const contractCase of group.cases) {
      it(`${contractCase.name}: ${contractCase.about}`, {
        skip: pendingCases.includes(contractCase.name),
      }, async () => {
        const recorded = recordings.get(contractCase.name);
        assert.ok(recorded, 'nothing is recorded: run "npm run e2e -- --only contract --record"');
        const known = knownDifferences.filter((entry) => entry.contractCase === contractCase.name);
        const verdict = judge(compareTranscripts(recorded, await record(contractCase, embedded)), known);
        const isSame = verdict.unexpected.length + verdict.outdated.length === 0;
        assert.ok(isSame, describeVerdict(contractCase.name, verdict));
      });
    }
  }

  it("has no recording or known difference of a case that is no more", () => {
    const names = new Set(apiGroups.flatMap(({ cases }) => cases.map(({ name }) => name)));
    const recorded = apiGroups.flatMap(({ name }) => [...readRecordings(name).keys()]);
    const listed = knownDifferences.map(({ contractCase }) => contractCase);
    assert.deepEqual(
      [...recorded, ...listed].filter((name) => !names.has(name)),
      [],
    );
  });
});
