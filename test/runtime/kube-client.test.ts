import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KubeClient } from "../../src/runtime/kube-client.ts";
import { nodes } from "../../src/runtime/resources.ts";

describe("KubeClient", () => {
  it("lists page by page", async () => {
    const paths: string[] = [];
    const kube = new KubeClient({
      transport: {
        send: async ({ path }) => {
          paths.push(path);
          const isFirst = !path.includes("continue");
          const items = [{ metadata: { name: isFirst ? "a" : "b" } }];
          return { status: 200, body: { metadata: isFirst ? { continue: "a b" } : {}, items } };
        },
        watch: async () => () => {},
      },
    });
    assert.deepEqual(
      (await kube.list(nodes)).map(({ metadata }) => metadata.name),
      ["a", "b"],
    );
    assert.deepEqual(paths, ["/api/v1/nodes?limit=500", "/api/v1/nodes?limit=500&continue=a%20b"]);
  });

  it("tells a namespace that is being deleted from a request that is forbidden", async () => {
    for (const [reason, isNamespaceTerminating] of [
      ["NamespaceTerminating", true],
      ["Other", false],
    ] as const) {
      const body = { message: "forbidden", details: { causes: [{ reason }] } };
      const kube = new KubeClient({
        transport: { send: async () => ({ status: 403, body }), watch: async () => () => {} },
      });
      const answer = await kube.patch(nodes, { name: "a" }, { body: {} });
      assert.equal(!answer.ok && answer.refusal.isNamespaceTerminating, isNamespaceTerminating);
    }
  });
});
