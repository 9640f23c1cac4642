import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { EmbeddedCluster } from "../cluster.ts";
import { VirtualClock } from "../time/virtual-clock.ts";

const without = ["scheduler", "workloads", "kubelet"] as const;
const cluster = new EmbeddedCluster({ clock: new VirtualClock(0), seed: 1, without });
const maps = "/api/v1/namespaces/default/configmaps";

function status(method: string, target: string, body?: string, type = "application/json"): number {
  const headers = { accept: "application/json", "content-type": type };
  const answer = cluster.server.handle({ method, target, headers, ...(body === undefined ? {} : { body }) });
  return answer.kind === "body" ? answer.status : 200;
}

const types = [
  "application/json",
  "application/yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const words = fc.constantFrom(
  ...[
    "api",
    "apis",
    "v1",
    "apps",
    "namespaces",
    "default",
    "configmaps",
    "pods",
    "..",
    ".",
    "",
    "%2e%2e",
    "%00",
    "%zz",
  ],
  ...["__proto__", "constructor", "status", "scale", "eviction", "log", "watch", "openapi", "v3", "version"],
);
const queries = fc.constantFrom(
  "",
  "?watch=1",
  "?limit=-1",
  "?continue=x",
  "?labelSelector=((",
  "?fieldSelector=,,=",
  "?dryRun=",
);
const keys = fc.constantFrom(
  ...[
    "metadata",
    "name",
    "labels",
    "data",
    "spec",
    "containers",
    "__proto__",
    "constructor",
    "finalizers",
    "ownerReferences",
  ],
  ...[
    "apiVersion",
    "kind",
    "$patch",
    "$setElementOrder/finalizers",
    "$retainKeys",
    "managedFields",
    "uid",
    "op",
    "path",
  ],
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    tie("leaf"),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(keys, tie("tree"), { maxKeys: 5 }),
  ),
  leaf: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), keys),
}));

/** The server's own words for what the real one calls its fault too. */
const isOwnFault = (code: number) => code >= 500 && code !== 504;

describe("whatever somebody sends", () => {
  it("by any path, the answer blames the sender or succeeds", () => {
    const path = fc.array(words, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`);
    const methods = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW");
    fc.assert(
      fc.property(methods, path, queries, (method, target, query) => {
        const code = status(method, `${target}${query}`);
        // A namespace of dots is a bad key to the real server as well.
        assert.ok(!isOwnFault(code) || /\/namespaces\/(\.|%2e)/.test(target), `${method} ${target}${query}: ${code}`);
      }),
      { numRuns: 2000 },
    );
  });

  it("in any body, nothing is taken for a mistake of ours that the real server would not own up to", () => {
    status("POST", maps, '{"metadata":{"name":"one","finalizers":["a/b"]},"data":{"a":"1"}}');
    fc.assert(
      fc.property(fc.constantFrom("POST", "PUT", "PATCH"), fc.constantFrom(...types), tree, (method, type, body) => {
        const target = method === "POST" ? `${maps}?dryRun=All` : `${maps}/one?dryRun=All&fieldManager=me`;
        const headers = { accept: "application/json", "content-type": type };
        const answer = cluster.server.handle({ method, target, headers, body: JSON.stringify(body) });
        const { reason } = (answer.kind === "body" ? answer.body : {}) as { reason?: string };
        assert.notEqual(reason, "InternalError", JSON.stringify([method, type, body, answer]));
      }),
      { numRuns: 1500 },
    );
    assert.equal("polluted" in {}, false);
  });

  it("deep, long or broken bodies are refused", () => {
    const deep = `{"metadata":{"name":"x"},"data":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`;
    const long = JSON.stringify({ metadata: { name: "x" }, data: { a: "x".repeat(2_000_000) } });
    const many = JSON.stringify({
      metadata: { name: "x", finalizers: Array.from({ length: 50_000 }, () => "bad name") },
    });
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]`;
    assert.deepEqual(
      [
        status("POST", maps, deep),
        status("POST", maps, long),
        status("POST", maps, many),
        status("POST", maps, bomb, "application/yaml"),
        status("POST", maps, "\u0000\uffff"),
        status("POST", maps, "x".repeat(4_000_000)),
      ],
      [400, 422, 422, 400, 400, 413],
    );
  });
});
