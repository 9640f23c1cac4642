import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { startHttpServer } from "../../src/embedded/server/http-server.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";
import { VirtualClock } from "../../src/embedded/time/virtual-clock.ts";
import type { ApiUnderTest } from "./recorder.ts";
import { createHttpTransport } from "./transport.ts";

export interface EmbeddedApi extends ApiUnderTest {
  stop(): Promise<void>;
}

/** The embedded API over HTTP on loopback, without controllers. */
export async function startEmbeddedApi(): Promise<EmbeddedApi> {
  return await serve(
    new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["scheduler", "workloads", "kubelet"] }),
  );
}

/** The whole embedded cluster, in which time passes some fifty times as fast. */
export async function startEmbeddedCluster(): Promise<EmbeddedApi> {
  const clock = new VirtualClock(Date.now());
  const served = await serve(new EmbeddedCluster({ clock, seed: 1 }));
  let isOver = false;
  const passTime = async () => {
    while (!isOver) {
      await clock.advance(100);
      await sleep(1);
    }
  };
  const hasPassed = passTime();
  return {
    ...served,
    settledMs: 5_000,
    now: () => clock.now(),
    async stop() {
      isOver = true;
      await hasPassed;
      await served.stop();
    },
  };
}

async function serve(cluster: EmbeddedCluster): Promise<EmbeddedApi> {
  const server = await startHttpServer({ serve: cluster.serve, port: 0 });
  const transport = createHttpTransport({ server: server.url });
  return {
    transport,
    compact: async () => cluster.api.store.compact(),
    settledMs: 100,
    async stop() {
      transport.close();
      await server.close();
      cluster.stop();
    },
  };
}
