import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { readLogOptions } from "../api/read-log-options.ts";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";

async function start() {
  const clock = new VirtualClock(0);
  const cluster = new EmbeddedCluster({ clock, seed: 1, without: ["scheduler", "workloads", "kubelet"] });
  const path = "/api/v1/namespaces/default/pods";
  const spec = { containers: [{ name: "main", image: "example.com/main:1" }] };
  const { body } = await cluster.transport.send({ method: "POST", path, body: { metadata: { name: "one" }, spec } });
  const log = cluster.logs.attach(({ metadata }) => metadata?.name === "one");
  const read = (query: string) => {
    const seen: string[] = [];
    const options = readLogOptions(new URLSearchParams(query), "one", clock.now());
    const answer = cluster.logs.read(body as Pod, options);
    const stop = answer.start({ deliver: (text) => seen.push(text), end: () => seen.push("end") });
    return { seen, stop };
  };
  return { clock, cluster, log, read, path };
}

describe("PodLogs", () => {
  it("shows what was written, whole or the end of it, with times if wanted", async () => {
    const { clock, log, read } = await start();
    log.write("one\ntwo\n");
    await clock.advance(5000);
    log.write("three");
    assert.deepEqual(read("").seen, ["one\ntwo\nthree\n", "end"]);
    assert.deepEqual(read("tailLines=1").seen, ["three\n", "end"]);
    assert.deepEqual(read("sinceSeconds=2&timestamps=true").seen, ["1970-01-01T00:00:05.000Z three\n", "end"]);
  });

  it("cuts what is too long, and refuses what makes no sense", async () => {
    const { log, read } = await start();
    log.write("one\ntwo");
    assert.deepEqual(read("limitBytes=5").seen, ["one\nt", "end"]);
    const wrong = ["tailLines=-5", "tailLines=x", "sinceTime=x", "sinceSeconds=0", "limitBytes=0"];
    for (const query of wrong)
      assert.throws(() => read(query), /must be greater than|invalid syntax|cannot parse/, query);
  });

  it("follows until the reader has enough", async () => {
    const { log, read } = await start();
    log.write("before");
    const { seen, stop } = read("follow=true");
    log.write("while");
    stop();
    log.write("after");
    assert.deepEqual(seen, ["before\n", "while\n"]);
  });

  it("follows until the pod has ended", async () => {
    const { cluster, read, path } = await start();
    const { seen } = read("follow=true");
    const body = { status: { phase: "Succeeded" } };
    await cluster.transport.send({
      method: "PATCH",
      path: `${path}/one/status`,
      contentType: "application/merge-patch+json",
      body,
    });
    assert.deepEqual(seen, ["end"]);
  });

  it("follows until the pod is gone", async () => {
    const { cluster, read, path } = await start();
    const { seen } = read("follow=true");
    await cluster.transport.send({ method: "DELETE", path: `${path}/one` });
    assert.deepEqual(seen, ["end"]);
  });
});
