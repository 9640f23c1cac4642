import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecordingTelemetry } from "../../test/support/recording-telemetry.ts";
import { VirtualClock } from "../embedded/time/virtual-clock.ts";
import { describeRequest, measureTransport } from "./measure-transport.ts";

describe("A measured transport", () => {
  it("counts answers and their absence, and tells how long they took", async () => {
    const clock = new VirtualClock(0);
    const { metrics, numbers, observations } = new RecordingTelemetry();
    const answers = [{ status: 201, body: {} }, new Error("the connection broke")];
    const transport = measureTransport(
      {
        send: () =>
          new Promise((resolve, reject) => {
            const answer = answers.shift();
            clock.after(2_000, () => (answer instanceof Error ? reject(answer) : answer && resolve(answer)));
          }),
        watch: () => assert.fail("nobody watches"),
      },
      { clock, metrics },
    );
    const outcomes = Promise.allSettled([
      transport.send({ method: "POST", path: "/apis/karpenter.sh/v1/nodeclaims" }),
      transport.send({ method: "GET", path: "/api/v1/nodes?limit=500" }),
    ]);
    await clock.advance(2_000);
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.deepEqual(
      [...numbers],
      [
        ['client_go_request_total{code="201",method="POST"}', 1],
        ['client_go_request_total{code="<error>",method="GET"}', 1],
      ],
    );
    const create = 'verb="CREATE",group="karpenter.sh",version="v1",kind="nodeclaims",subresource=""';
    assert.deepEqual(observations.get(`client_go_request_duration_seconds{${create}}`), [2]);
  });

  it("knows what a request is about by its path", () => {
    const about = (method: "GET" | "POST" | "PATCH", path: string) =>
      Object.values(describeRequest({ method, path })).join(" ");
    assert.deepEqual(
      [
        about("GET", "/api/v1/pods?limit=500"),
        about("POST", "/api/v1/namespaces/default/pods/web/eviction"),
        about("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/karpenter-leader-election"),
        about("PATCH", "/apis/karpenter.sh/v1/nodepools/default/status"),
        about("GET", "/api/v1/namespaces/default"),
        about("GET", "/version"),
      ],
      [
        "LIST  v1 pods ",
        "CREATE  v1 pods eviction",
        "GET coordination.k8s.io v1 leases ",
        "PATCH karpenter.sh v1 nodepools status",
        "GET  v1 namespaces ",
        "LIST    ",
      ],
    );
  });
});
