import type { Clock } from "../ports/clock.ts";
import type { KubeRequest, KubeTransport } from "../ports/kube-transport.ts";
import type { Metrics } from "../ports/telemetry.ts";

export interface TransportMeter {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "add" | "observe">;
}

/** The same transport, and metrics of what the API server is asked, what it answers, and how long that takes. */
export function measureTransport(transport: KubeTransport, { clock, metrics }: TransportMeter): KubeTransport {
  return {
    async send(request) {
      const { method } = request;
      const started = clock.now();
      let code = "<error>";
      try {
        const response = await transport.send(request);
        code = String(response.status);
        return response;
      } finally {
        metrics.add("client_go_request_total", { code, method });
        metrics.observe("client_go_request_duration_seconds", describeRequest(request), (clock.now() - started) / 1000);
      }
    },
    watch: (request, watch) => transport.watch(request, watch),
  };
}

const path =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/(?<kind>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<subresource>.+))?)?$/;

const verbs = { POST: "CREATE", PUT: "UPDATE", PATCH: "PATCH", DELETE: "DELETE" } as const;

/** What a request is about, told from its path. */
export function describeRequest({ method, path: whole }: Pick<KubeRequest, "method" | "path">) {
  const [bare = ""] = whole.split("?", 1);
  const { group = "", version = "", kind = "", name, subresource = "" } = path.exec(bare)?.groups ?? {};
  const verb = method === "GET" ? (name === undefined ? "LIST" : "GET") : verbs[method];
  return { verb, group, version, kind, subresource };
}
