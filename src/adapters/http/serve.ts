import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerChecks, type Checks } from "./answer-checks.ts";
import { captureCpuProfile, captureHeapSnapshot } from "./capture-profile.ts";

export interface MetricsServerOptions {
  readonly port: number;
  /** All interfaces by default. */
  readonly host?: string;
  readonly metrics: { readonly contentType: string; scrape(): AsyncIterable<string> };
  readonly enableProfiling: boolean;
  /** What was decided about which nodes go, the newest first. */
  readonly decisions: () => readonly unknown[];
}

export interface HealthServerOptions {
  readonly port: number;
  /** All interfaces by default. */
  readonly host?: string;
  readonly healthChecks: Checks;
  readonly readyChecks: Checks;
}

export interface Serving {
  /** The real one where port 0 was asked for. */
  readonly port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** Serves `/metrics`, `/decisions`, and profiles below `/debug/pprof` when they are enabled. */
export function serveMetrics(options: MetricsServerOptions): Promise<Serving> {
  const { metrics, enableProfiling, decisions, ...where } = options;
  return serve(where, async (url, response) => {
    if (url.pathname === "/metrics") {
      response.setHeader("content-type", metrics.contentType);
      await send(response, metrics.scrape());
    } else if (url.pathname === "/decisions") {
      answerDecisions(url, response, decisions());
    } else if (url.pathname.startsWith("/debug/pprof")) {
      if (enableProfiling) await answerProfile(url, response);
      else say(response, 404, "Profiling is off; start the controller with --enable-profiling to turn it on.");
    } else {
      say(response, 404, "Not found; there are /metrics and /decisions.");
    }
  });
}

function answerDecisions(url: URL, response: ServerResponse, decisions: readonly unknown[]): void {
  const limit = Number(url.searchParams.get("limit") ?? decisions.length);
  if (!Number.isInteger(limit) || limit < 0) {
    say(response, 400, "limit must be a whole number, at least 0");
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(`${JSON.stringify({ decisions: decisions.slice(0, limit) })}\n`);
}

/** Serves `/healthz` and `/readyz`, each of their checks below them, and all results with `?verbose`. */
export function serveHealth({ healthChecks, readyChecks, ...where }: HealthServerOptions): Promise<Serving> {
  const endpoints = new Map([
    ["healthz", healthChecks],
    ["readyz", readyChecks],
  ]);
  return serve(where, async (url, response) => {
    const [, endpoint = "", ...rest] = url.pathname.split("/");
    const checks = endpoints.get(endpoint);
    if (checks === undefined) return say(response, 404, "Not found; there are /healthz and /readyz.");
    const only = rest.filter((part) => part !== "")[0];
    const question = { endpoint, checks, only, isVerbose: url.searchParams.has("verbose") };
    const { status, text } = await answerChecks(question);
    say(response, status, text);
  });
}

const longestProfileSeconds = 300;
const profileHint = `CPU profile: /debug/pprof/profile?seconds=30 (.cpuprofile). Heap snapshot: /debug/pprof/heap (.heapsnapshot).
Both open in the developer tools of Chrome and in Visual Studio Code.`;

async function answerProfile(url: URL, response: ServerResponse): Promise<void> {
  switch (url.pathname) {
    case "/debug/pprof/profile": {
      const seconds = Number(url.searchParams.get("seconds") ?? 30);
      if (!(seconds > 0 && seconds <= longestProfileSeconds)) {
        return say(response, 400, `seconds must be a number above 0 and at most ${longestProfileSeconds}`);
      }
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      const profile = await captureCpuProfile(seconds * 1_000, gone.signal);
      attach(response, "karpenter.cpuprofile").end(profile);
      return;
    }
    case "/debug/pprof/heap":
      return captureHeapSnapshot(attach(response, "karpenter.heapsnapshot"));
    default:
      return say(response, url.pathname.replace(/\/$/, "") === "/debug/pprof" ? 200 : 404, profileHint);
  }
}

function attach(response: ServerResponse, fileName: string): ServerResponse {
  return response.writeHead(200, {
    "content-type": "application/json",
    "content-disposition": `attachment; filename="${fileName}"`,
  });
}

/**
 * Each piece is gone before the next one is asked for, and they share a buffer: left to the stream, tens of megabytes
 * would pile up, and the memory that they were in would stay in pieces ever after.
 */
async function send(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  let buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const mostBytes = 3 * piece.length;
    if (buffer.length < mostBytes) buffer = Buffer.alloc(mostBytes);
    const bytes = buffer.subarray(0, buffer.write(piece));
    await new Promise<void>((resolve, reject) => {
      response.write(bytes, (error) => (error == null ? resolve() : reject(error)));
    });
  }
  response.end();
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

interface Where {
  readonly port: number;
  readonly host?: string;
}

async function serve(where: Where, answer: (url: URL, response: ServerResponse) => Promise<void>): Promise<Serving> {
  const server = createServer((request, response) => {
    handle(request, response, answer).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else say(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  await listen(server, where);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (url: URL, response: ServerResponse) => Promise<void>,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") return say(response, 405, "Only GET is answered here.");
  const url = URL.parse(request.url ?? "/", "http://localhost");
  return url === null ? say(response, 400, "The path cannot be read.") : answer(url, response);
}

/** A port that cannot be had. */
export class ListenError extends Error {
  constructor({ host = "*", port }: Where, cause: Error) {
    super(`Cannot listen on ${host}:${port}: ${cause.message}; choose another port`, { cause });
  }
}

function listen(server: Server, where: Where): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(new ListenError(where, error));
    });
    server.listen(where, resolve);
  });
}
