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
});
