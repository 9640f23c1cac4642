import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { ApiError } from "../api/api-error.ts";
import type { ApiAnswer, ApiRequest, BodyAnswer } from "../api/api-request.ts";
import { errorAnswer } from "../api/api-server.ts";
import { largestBody, tooLarge } from "../api/read-body.ts";
import type { Exchange, Serve } from "../faults/exchange.ts";
import { PacedStream } from "./paced-stream.ts";
import { serialize } from "./serialize.ts";

export interface HttpServerOptions {
  readonly serve: Serve;
  readonly port: number;
  /** Without it the server speaks plain HTTP, in which clients send no credentials. */
  readonly security?: { readonly key: string; readonly certificate: string; readonly token: string };
}

export interface RunningServer {
  /** As in `https://127.0.0.1:6443`. */
  readonly url: string;
  close(): Promise<void>;
}

const anonymousPaths = /^\/(healthz|livez|readyz|version)(\/|\?|$)/;
const loopbackHosts = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Serves the API on the loopback interface, to clients that know the token. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const { security, serve } = options;
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    // One request that goes wrong in a way that nobody thought of must not end all others.
    answer(incoming, response, { serve, token: security?.token }).catch(() => response.destroy());
  };
  const server: Server =
    security === undefined
      ? createHttpServer(listener)
      : createHttpsServer({ key: security.key, cert: security.certificate }, listener);
  const sockets = new Set<Socket>();
  server.on(security === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  // Watches live long, and clients keep connections for the next request.
  Object.assign(server, { requestTimeout: 0, keepAliveTimeout: 120_000, headersTimeout: 30_000 });
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${security === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      reject(
        isTaken
          ? new Error(
              `Cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port, or 0 for any`,
              { cause: error },
            )
          : error,
      );
    });
    server.listen(port, "127.0.0.1", () => resolve());
  });
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  to: { serve: Serve; token: string | undefined },
): Promise<void> {
  try {
    const refusal = refuse(incoming, to.token);
    if (refusal !== undefined) return send(response, refusal);
    const request = await readRequest(incoming);
    await respond(response, await to.serve(request));
  } catch (error) {
    // Once an answer has begun there is no other way to say that it went wrong.
    if (response.headersSent || response.destroyed) response.destroy();
    else send(response, errorAnswer(error) as BodyAnswer);
  }
}

/** A page in a browser can reach the loopback interface too, by a name of its own: only our own names are served. */
function refuse({ headers, url = "/" }: IncomingMessage, token: string | undefined): BodyAnswer | undefined {
  const failure = (error: ApiError): BodyAnswer => errorAnswer(error) as BodyAnswer;
  if (!loopbackHosts.test(headers.host ?? "")) {
    return failure(
      new ApiError(
        403,
        "Forbidden",
        `the host ${JSON.stringify(headers.host ?? "")} is not served here; use 127.0.0.1`,
      ),
    );
  }
  if (headers.origin !== undefined)
    return failure(new ApiError(403, "Forbidden", "requests of web pages are not served here"));
  if (token === undefined || anonymousPaths.test(url) || isBearer(headers.authorization, token)) return undefined;
  return failure(new ApiError(401, "Unauthorized", "Unauthorized"));
}

/** The name of the scheme may be written in any case. */
function isBearer(authorization: string | undefined, token: string): boolean {
  const [scheme, given] = (authorization ?? "").split(" ");
  return scheme?.toLowerCase() === "bearer" && given === token;
}

async function readRequest(incoming: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > largestBody) throw tooLarge();
    chunks.push(chunk as Buffer);
  }
  return {
    method: incoming.method ?? "GET",
    target: incoming.url ?? "/",
    headers: incoming.headers as Record<string, string | undefined>,
    ...(size === 0 ? {} : { body: Buffer.concat(chunks) }),
  };
}

async function respond(response: ServerResponse, { answer: given, dropsAfter }: Exchange): Promise<void> {
  if (given === undefined) return void response.destroy();
  if (given.kind !== "body") return stream(response, given);
  if (dropsAfter === undefined) return send(response, given);
  // Half an answer, and then nothing.
  response.writeHead(given.status, { "content-type": given.contentType, "content-length": 1_000_000 });
  response.write(serialize(given.body).slice(0, dropsAfter), () => response.destroy());
}

function send(
  response: ServerResponse,
  { status, contentType, body, warnings = [], retryAfterSeconds }: BodyAnswer,
): void {
  const text = typeof body === "string" ? body : `${serialize(body)}\n`;
  const bytes = Buffer.from(text);
  if (warnings.length > 0) response.setHeader("warning", [...new Set(warnings)].map(warningHeader));
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  response.writeHead(status, {
    ...(contentType === "" ? {} : { "content-type": contentType }),
    "content-length": bytes.length,
    "cache-control": "no-cache, private",
  });
  response.end(bytes);
}

/** Headers carry bytes, and Node one byte for each character. */
function warningHeader(warning: string): string {
  return Buffer.from(`299 - ${JSON.stringify(warning)}`).toString("latin1");
}

function stream(response: ServerResponse, given: Exclude<ApiAnswer, BodyAnswer>): void {
  // It may have left while it waited.
  if (response.destroyed) return;
  const contentType = given.kind === "watch" ? "application/json" : "text/plain";
  response.writeHead(200, {
    "content-type": contentType,
    "transfer-encoding": "chunked",
    "cache-control": "no-cache, private",
  });
  response.flushHeaders();
  const paced = new PacedStream(response);
  const end = (): void => paced.end();
  const stop =
    given.kind === "watch"
      ? given.start({
          deliver: ({ type, object }) => paced.write(() => `{"type":"${type}","object":${serialize(object)}}\n`),
          end,
        })
      : given.start({ deliver: (text) => paced.write(() => text), end });
  response.on("close", stop);
}
