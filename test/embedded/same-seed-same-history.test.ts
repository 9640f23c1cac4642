import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { KubeRequest } from "../../src/ports/kube-transport.ts";

const start = Date.parse("2026-01-01T00:00:00Z");

function node(name: string): object {
  const resources = { cpu: "4", memory: "16Gi", pods: "110" };
  return {
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    status: { capacity: resources, allocatable: resources },
  };
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const containers = [{ name: "main", image: "example.com/main:1", resources: { requests: { cpu: "500m" } } }];
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

/** Six hours in which much happens and some of it goes wrong, as the text of everything that ever changed. */
async function history(seed: number): Promise<string> {
  const clock = new VirtualClock(start);
  const cluster = new EmbeddedCluster({ clock, seed });
  const lines: string[] = [];
  for (const definition of cluster.api.registry.all()) {
    if (definition.storedAs !== undefined) continue;
    cluster.api.collection(definition).subscribe(({ type, object }) => {
      lines.push(`${clock.now()} ${type} ${JSON.stringify(object)}`);
    });
  }
  /** A client that tries again until it is heard, as clients do, and notes what it heard. */
  const send = async (request: KubeRequest): Promise<void> => {
    for (;;) {
      const answer = await cluster.transport.send(request).catch((error: Error) => error);
      const outcome = answer instanceof Error ? answer.message : String(answer.status);
      lines.push(`${clock.now()} ${request.method} ${request.path} ${outcome}`);
      if (!(answer instanceof Error) && answer.status < 500 && answer.status !== 429) return;
      await new Promise<void>((resolve) => {
        clock.after(1_000, resolve);
      });
    }
  };
  const watch = (path: string): void => {
    const again = (why: string): void => {
      lines.push(`${clock.now()} ${why}`);
      clock.after(500, () => watch(path));
    };
    const opening = cluster.transport.watch(
      { method: "GET", path },
      {
        onEvent: ({ type, object }) => lines.push(`${clock.now()} watched ${type} ${JSON.stringify(object)}`),
        onEnd: () => again("watch ended"),
        onRefusal: ({ status }) => again(`watch refused: ${status}`),
      },
    );
    void opening.catch((error: Error) => again(error.message));
  };
  watch("/api/v1/pods?watch=true&allowWatchBookmarks=true");
  cluster.faults.inject({ effect: "refuse", status: 503, probability: 0.2 });
  cluster.faults.inject({ effect: "drop", at: "answer", probability: 0.1 });
  cluster.faults.inject({ effect: "cut-watch", afterMs: 600_000, probability: 0.5 });
  const story = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await send({ method: "POST", path: "/api/v1/nodes", body: node(`node-${i}`) });
    for (let i = 0; i < 3; i++) {
      await send({
        method: "POST",
        path: "/apis/apps/v1/namespaces/default/deployments",
        body: deployment(`web-${i}`, 3 + i),
      });
    }
    cluster.kubelets.flap("node-1", 300);
    const path = "/apis/apps/v1/namespaces/default/deployments/web-1";
    await send({ method: "PATCH", path, contentType: "application/merge-patch+json", body: { spec: { replicas: 9 } } });
    await send({ method: "DELETE", path: "/api/v1/nodes/node-3" });
  };
  void story();
  await clock.advance(6 * 3_600_000);
  cluster.stop();
  return lines.join("\n");
}

describe("a cluster under virtual time", () => {
  it("has the same history for the same seed, byte for byte", async () => {
    const [first, second] = [await history(7), await history(7)];
    assert.ok(first.length > 1_000_000, `much has happened: ${first.length} bytes`);
    assert.equal(hash(second), hash(first));
    assert.equal(second, first);
  });

  it("has another history for another seed", async () => {
    assert.notEqual(hash(await history(8)), hash(await history(7)));
  });
});

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
