import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { KubeRequest } from "../../ports/kube-transport.ts";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";
import { type ServedCluster, serveCluster } from "./serve-cluster.ts";

const start = () =>
  new EmbeddedCluster({ clock: new VirtualClock(0), seed: 1, without: ["scheduler", "workloads", "kubelet"] });
const maps = "/api/v1/namespaces/default/configmaps";

/** One after the other, on a cluster of its own for each transport. */
const requests: readonly KubeRequest[] = [
  { method: "GET", path: "/api/v1" },
  { method: "POST", path: maps, body: { metadata: { name: "one" }, data: { a: "1" } } },
  { method: "POST", path: maps, body: { metadata: { name: "Bad Name" } } },
  { method: "POST", path: maps, body: { metadata: { generateName: "some-" } } },
  { method: "PATCH", path: `${maps}/one`, contentType: "application/merge-patch+json", body: { data: { b: "2" } } },
  {
    method: "PATCH",
    path: `${maps}/one`,
    contentType: "application/json-patch+json",
    body: [{ op: "test", path: "/data/b", value: "3" }],
  },
  { method: "PUT", path: `${maps}/one`, body: { metadata: { name: "one", resourceVersion: "1" } } },
  { method: "GET", path: `${maps}?limit=1` },
  { method: "GET", path: maps, accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  { method: "DELETE", path: `${maps}/one` },
  { method: "GET", path: `${maps}/one` },
  { method: "GET", path: "/nowhere" },
];

describe("both transports", () => {
  const [inProcess, overHttp] = [start(), start()];
  let served: ServedCluster;
  before(async () => {
    served = await serveCluster(overHttp, { isPlain: true });
  });
  after(() => served.close());

  it("give the same answers to the same requests", async () => {
    for (const request of requests) {
      const { method, path, contentType = "application/json", accept = "application/json", body } = request;
      const headers = { accept, "content-type": contentType };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${served.url}${path}`, { method, headers, ...text });
      const received = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      const answer = await inProcess.transport.send(request);
      const expected = { status: response.status, body: isJson ? JSON.parse(received) : received };
      // What is shared within the process has fields that are undefined nowhere, or JSON would differ.
      assert.deepEqual({ status: answer.status, body: answer.body }, expected, `${method} ${path}`);
    }
  });

  it("leave out of a body what JSON leaves out", async () => {
    const body = { metadata: { name: "odd", labels: undefined }, data: { a: undefined, b: "1" } };
    const answer = await inProcess.transport.send({ method: "POST", path: maps, body });
    assert.deepEqual([answer.status, (answer.body as { data: object }).data], [201, { b: "1" }]);
  });

  it("let nobody change what is stored", async () => {
    const { body } = await inProcess.transport.send({ method: "GET", path: `${maps}/odd` });
    assert.throws(() => Object.assign((body as { data: object }).data, { b: "2" }), TypeError);
  });

  it("stream more than a socket takes at once, whole and in order", async () => {
    const definition = overHttp.api.registry.builtIn("", "configmaps");
    const count = 10_000;
    const data = { text: "x".repeat(2_000) };
    for (let i = 0; i < count; i++) {
      overHttp.api.create(
        definition,
        { metadata: { name: `big-${String(i).padStart(5, "0")}` }, data },
        { namespace: "kube-public" },
      );
    }
    const path = "/api/v1/namespaces/kube-public/configmaps?watch=true";
    const response = await fetch(`${served.url}${path}`);
    // The clock of this cluster is virtual: a watch delivers when it is told to.
    const clock = overHttp.clock as VirtualClock;
    const names: string[] = [];
    let rest = "";
    await clock.advance(1);
    for await (const chunk of response.body ?? []) {
      const lines = (rest + Buffer.from(chunk).toString()).split("\n");
      rest = lines.pop() ?? "";
      names.push(
        ...lines.map((line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name),
      );
      if (names.length === count) break;
    }
    assert.deepEqual([names.length, names.toSorted()], [count, names]);
  });
});
