import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { parse } from "yaml";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { serveCluster } from "../../src/embedded/server/serve-cluster.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";
import { apiGroups } from "../contract/case-groups.ts";
import { compareTranscripts, describeVerdict, judge } from "../contract/compare.ts";
import { knownDifferences } from "../contract/differences.ts";
import { record } from "../contract/recorder.ts";
import { readRecordings } from "../contract/recordings.ts";
import { createHttpTransport } from "../contract/transport.ts";
import { contractTransport, withoutHeaders } from "./contract-over-kube-transport.ts";
import { connectTo } from "./served-access.ts";

const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["scheduler", "workloads", "kubelet"] });
const served = await serveCluster(cluster);
const kube = connectTo(served);
const { clusters, users } = parse(served.kubeconfig);
const ca = Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString();
const plain = createHttpTransport({
  server: served.url,
  credentials: { ca } as { ca: string; cert: string; key: string },
  headers: { authorization: `Bearer ${users[0].user.token}` },
});
const transport = contractTransport(kube, plain);
const api = { transport, compact: async () => cluster.api.store.compact(), settledMs: 100 };

/** A watch at the path of one object is answered with the object, which is no stream, and our transport says so. */
const noStream = "watch-one";

describe("over HTTPS and our transport, the embedded API answers as a real kube-apiserver was recorded to answer", () => {
  after(async () => {
    plain.close();
    await kube.close();
    await served.close();
    cluster.stop();
  });

  for (const { name, cases } of apiGroups) {
    const recordings = readRecordings(name);
    it(name, async () => {
      for (const contractCase of cases.filter((each) => each.name !== noStream)) {
        const recorded = recordings.get(contractCase.name);
        assert.ok(recorded);
        const known = knownDifferences.filter((entry) => entry.contractCase === contractCase.name);
        const seen = await record(contractCase, api);
        const { unexpected } = judge(compareTranscripts(withoutHeaders(recorded), withoutHeaders(seen)), known);
        // Which differences are still there is for the suite that compares all of the answer.
        assert.ok(unexpected.length === 0, describeVerdict(contractCase.name, { unexpected, outdated: [] }));
      }
    });
  }

  it("and most requests are such as it can carry", () => {
    assert.ok(transport.taken > 1000, `${transport.taken} requests`);
  });
});
