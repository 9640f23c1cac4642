import { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import { startHttpServer } from "../../src/embedded/server/http-server.ts";
import { systemClock } from "../../src/embedded/time/system-clock.ts";
import type { ApiUnderTest } from "./recorder.ts";
import { createHttpTransport } from "./transport.ts";

export interface EmbeddedApi extends ApiUnderTest {
  stop(): Promise<void>;
}

/** The embedded API over HTTP on loopback, without controllers. */
export async function startEmbeddedApi(): Promise<EmbeddedApi> {
  const cluster = new EmbeddedCluster({ clock: systemClock, seed: 1, without: ["scheduler", "workloads", "kubelet"] });
  const server = await startHttpServer({ serve: cluster.serve, port: 0 });
  const transport = createHttpTransport({ server: server.url });
  return {
    transport,
    compact: async () => cluster.api.store.compact(),
    async stop() {
      transport.close();
      await server.close();
      cluster.stop();
    },
  };
}
