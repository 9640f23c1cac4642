import { type ControlPlane, startControlPlane } from "../../../scripts/lab/control-plane.ts";
import { apiGroups, type CaseGroup, workloadGroups } from "../../contract/case-groups.ts";
import { compareTranscripts, describeVerdict, judge } from "../../contract/compare.ts";
import { knownDifferences } from "../../contract/differences.ts";
import { type EmbeddedApi, startEmbeddedApi, startEmbeddedCluster } from "../../contract/embedded-api.ts";
import { recordGroup } from "../../contract/record-group.ts";
import type { ApiUnderTest } from "../../contract/recorder.ts";
import { readRecordings, removeOtherRecordings, writeRecordings } from "../../contract/recordings.ts";
import type { Transcript } from "../../contract/transcript.ts";
import { createHttpTransport } from "../../contract/transport.ts";
import type { Suite, SuiteContext } from "../suite.ts";

/** The server would keep snapshots for continued lists, so that none ever expires. */
const apiserverFlags = ["--feature-gates=ListFromCacheSnapshot=false"];

/** The real API server, the recordings of it, and the embedded API: all three must have answered the same. */
export const contractSuite: Suite = {
  name: "contract",
  async run(context) {
    const { progress } = context;
    const problems = [
      ...(await compare({
        groups: apiGroups,
        plane: await startControlPlane({ apiserverFlags, progress }),
        embedded: await startEmbeddedApi(),
        context,
      })),
      ...(await compare({
        groups: workloadGroups,
        plane: await startControlPlane({ hasControllerManager: true, hasScheduler: true, hasKwok: true, progress }),
        embedded: await startEmbeddedCluster(),
        context,
      })),
    ];
    if (context.isRecording) removeOtherRecordings([...apiGroups, ...workloadGroups].map(({ name }) => name));
    return problems;
  },
};

interface Comparison {
  readonly groups: readonly CaseGroup[];
  readonly plane: ControlPlane;
  readonly embedded: EmbeddedApi;
  readonly context: SuiteContext;
}

async function compare({ groups, plane, embedded, context }: Comparison): Promise<string[]> {
  const real = realApi(plane);
  try {
    const problems: string[] = [];
    for (const group of groups) problems.push(...(await runGroup({ group, real, embedded, context })));
    return problems;
  } finally {
    real.transport.close();
    await embedded.stop();
    await plane.stop();
  }
}

interface GroupRun {
  readonly group: CaseGroup;
  readonly real: ApiUnderTest;
  readonly embedded: ApiUnderTest;
  readonly context: SuiteContext;
}

async function runGroup({ group, real, embedded, context }: GroupRun): Promise<string[]> {
  const started = performance.now();
  const seen = await recordGroup(group, real);
  if (context.isRecording) writeRecordings(group.name, seen);
  const problems = compareWithRecordings(seen, readRecordings(group.name));
  problems.push(...compareWithEmbedded(seen, await recordGroup(group, embedded)));
  const seconds = (performance.now() - started) / 1000;
  context.took(group.name, seconds);
  context.progress(
    `${group.name}: ${group.cases.length} cases, ${problems.length} that differ, ${seconds.toFixed(1)} s`,
  );
  return problems;
}

type Transcripts = ReadonlyMap<string, Transcript>;

function compareWithRecordings(seen: Transcripts, recorded: Transcripts): string[] {
  return [...seen].flatMap(([name, transcript]) => {
    const unexpected = compareTranscripts(transcript, recorded.get(name) ?? []);
    if (unexpected.length === 0) return [];
    const text = describeVerdict(name, { unexpected, outdated: [] }).replaceAll("embedded:", "recorded:");
    return [`${text}\n  The recording is old: renew it with "npm run e2e -- --only contract --record".`];
  });
}

function compareWithEmbedded(seen: Transcripts, embedded: Transcripts): string[] {
  return [...seen].flatMap(([name, transcript]) => {
    const known = knownDifferences.filter(({ contractCase }) => contractCase === name);
    const verdict = judge(compareTranscripts(transcript, embedded.get(name) ?? []), known);
    return verdict.unexpected.length + verdict.outdated.length === 0 ? [] : [describeVerdict(name, verdict)];
  });
}

function realApi(plane: ControlPlane): ApiUnderTest {
  return {
    transport: createHttpTransport(plane),
    settledMs: 1500,
    async compact(revision) {
      const body = JSON.stringify({ revision, physical: true });
      const response = await fetch(`${plane.etcd}/v3/kv/compaction`, { method: "POST", body });
      if (!response.ok) throw new Error(`etcd does not compact to revision ${revision}: ${await response.text()}`);
    },
  };
}
