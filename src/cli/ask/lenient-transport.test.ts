import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeResponse, KubeTransport } from "../../ports/kube-transport.ts";
import { LenientTransport } from "./lenient-transport.ts";

function transportOf(answers: Readonly<Record<string, KubeResponse | Error>>): {
  transport: LenientTransport;
  failures: (Error | KubeResponse)[];
} {
  const failures: (Error | KubeResponse)[] = [];
  const inner: KubeTransport = {
    async send({ path }) {
      const answer = answers[path] ?? new Error("nobody there");
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async watch({ path }) {
      throw new Error(`no watch of ${path}`);
    },
  };
  return { transport: new LenientTransport(inner, (failure) => failures.push(failure)), failures };
}

const list = "/apis/karpenter.sh/v1/nodepools?limit=500";
const ignored = { onEvent: () => {}, onRefusal: () => {}, onEnd: () => {} };

describe("a lenient transport", () => {
  it("takes what a cluster does not know, or keeps to itself, for empty, and remembers it", async () => {
    for (const status of [404, 403]) {
      const { transport, failures } = transportOf({ [list]: { status, body: { message: "no" } } });
      const { body } = await transport.send({ method: "GET", path: list });
      await transport.watch({ method: "GET", path: `${list}&watch=true` }, ignored);
      assert.deepEqual(body, { items: [], metadata: { resourceVersion: "0" } });
      assert.deepEqual(transport.gaps, [{ plural: "nodepools", isForbidden: status === 403, message: "no" }]);
      assert.deepEqual(failures, []);
    }
  });

  it("does not do without nodes and pods, nor with somebody whom the server does not know", async () => {
    const answers = { "/api/v1/nodes": { status: 403, body: {} }, [list]: { status: 401, body: {} } };
    const { transport, failures } = transportOf(answers);
    for (const path of Object.keys(answers)) await transport.send({ method: "GET", path });
    assert.deepEqual(failures, Object.values(answers));
    assert.deepEqual(transport.gaps, []);
  });

  it("tells of a server that does not answer", async () => {
    const { transport, failures } = transportOf({});
    await assert.rejects(transport.send({ method: "GET", path: list }));
    await assert.rejects(transport.watch({ method: "GET", path: list }, ignored));
    assert.equal(failures.length, 2);
  });
});
