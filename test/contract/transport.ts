// How a contract case reaches an API server: requests as they are, with nothing tidied up on the way.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface WireStream {
  readonly status: number;
  readonly headers: WireResponse["headers"];
  /** Ends when the server ends the stream or after `close`. */
  readonly lines: AsyncIterable<string>;
  close(): void;
}

export interface Transport {
  send(request: WireRequest): Promise<WireResponse>;
  stream(request: WireRequest): Promise<WireStream>;
  close(): void;
}

export interface Endpoint {
  /** As in `https://127.0.0.1:6443`. */
  readonly server: string;
  readonly credentials?: { readonly ca: string; readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export function createHttpTransport(endpoint: Endpoint): Transport {
  const { protocol, hostname, port } = new URL(endpoint.server);
  const isSecure = protocol === "https:";
  const agent = isSecure
    ? new HttpsAgent({ ...endpoint.credentials, keepAlive: true })
    : new HttpAgent({ keepAlive: true });
  const open = (wire: WireRequest): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { method, path } = wire;
    const headers = { ...endpoint.headers, ...wire.headers };
    // The path goes out as it is: dots, double slashes and escapes are part of what is tried.
    const options: RequestOptions = { hostname, port, method, path, headers, agent, timeout: 60_000 };
    const request = (isSecure ? httpsRequest : httpRequest)(options, resolve);
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error(`no answer to ${method} ${path}`)));
    request.end(wire.body);
    return promise;
  };
  return {
    async send(wire) {
      const response = await open(wire);
      let body = "";
      response.setEncoding("utf8");
      for await (const chunk of response) body += chunk;
      return { status: response.statusCode ?? 0, headers: headersOf(response), body };
    },
    async stream(wire) {
      const response = await open(wire);
      response.on("error", () => {});
      return {
        status: response.statusCode ?? 0,
        headers: headersOf(response),
        lines: createInterface({ input: response }),
        close: () => void response.destroy(),
      };
    },
    close: () => agent.destroy(),
  };
}

/** Warnings come as several headers, which Node would join. */
function headersOf(response: IncomingMessage): WireResponse["headers"] {
  const warnings = response.headersDistinct.warning;
  return { ...response.headers, warning: warnings };
}
