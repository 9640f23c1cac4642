import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { apiGroups, type CaseGroup, workloadGroups } from "./case-groups.ts";
import { compareTranscripts, describeVerdict, judge } from "./compare.ts";
import { knownDifferences } from "./differences.ts";
import { startEmbeddedApi, startEmbeddedCluster } from "./embedded-api.ts";
import { type ApiUnderTest, record } from "./recorder.ts";
import { readRecordings } from "./recordings.ts";

const api = await startEmbeddedApi();
const cluster = await startEmbeddedCluster();

describe("the embedded API answers as a real kube-apiserver was recorded to answer", () => {
  after(() => api.stop());
  for (const group of apiGroups) testGroup(group, api);
});

describe("the embedded cluster comes to rest where a real one was recorded to rest", { concurrency: true }, () => {
  after(() => cluster.stop());
  for (const group of workloadGroups) testGroup(group, cluster);
});

describe("the recordings", () => {
  it("are of cases that there are, and so are the known differences", () => {
    const groups = [...apiGroups, ...workloadGroups];
    const names = groups.flatMap(({ cases }) => cases.map(({ name }) => name));
    const recorded = groups.flatMap(({ name }) => [...readRecordings(name).keys()]);
    const listed = knownDifferences.map(({ contractCase }) => contractCase);
    assert.deepEqual(
      [...recorded, ...listed].filter((name) => !names.includes(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length, "two cases have the same name");
  });
});

function testGroup(group: CaseGroup, embedded: ApiUnderTest): void {
  const recordings = readRecordings(group.name);
  for (const contractCase of group.cases) {
    it(`${contractCase.name}: ${contractCase.about}`, async () => {
      const recorded = recordings.get(contractCase.name);
      assert.ok(recorded, 'nothing is recorded: run "npm run e2e -- --only contract --record"');
      const known = knownDifferences.filter((entry) => entry.contractCase === contractCase.name);
      const verdict = judge(compareTranscripts(recorded, await record(contractCase, embedded)), known);
      const isSame = verdict.unexpected.length + verdict.outdated.length === 0;
      assert.ok(isSame, describeVerdict(contractCase.name, verdict));
    });
  }
}
