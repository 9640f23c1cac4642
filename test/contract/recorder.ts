import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Call, ContractCase, Json, Recorder, Watch, WatchEvent, WatchOptions } from "./contract-case.ts";
import { normalize } from "./normalize.ts";
import type { Step, Transcript } from "./transcript.ts";
import type { Transport, WireRequest, WireResponse } from "./transport.ts";

/** An API server that cases can be run against. */
export interface ApiUnderTest {
  readonly transport: Transport;
  compact(resourceVersion: string): Promise<void>;
  /** For how long an answer must stay the same until nothing more is expected to happen, by its own clock. */
  readonly settledMs: number;
  /** Its own clock, which a busy machine may hold up; the machine's unless it says so. */
  readonly now?: () => number;
}

type RawStep = { -readonly [Key in keyof Step]: Step[Key] } & { events?: unknown[] };

const comparedHeaders = ["content-type", "warning", "retry-after", "allow", "location"];
const patienceMs = 30_000;
/** How often an answer is looked at while it must stay the same. */
const looks = 10;
/** Between two looks where the clock of the API is not that of the machine. */
const shortPauseMs = 10;
/** In which an answer must have come to rest, in times that it must stay at rest. */
const settlePatience = 100;

/** What the case saw, made comparable. */
export async function record(contractCase: ContractCase, api: ApiUnderTest): Promise<Transcript> {
  const steps: RawStep[] = [];
  const cleanups: Call[] = [];
  const watches: Watch[] = [];
  const send = async (call: Call) => answerOf(await api.transport.send(wireOf(call)));
  const write = (call: Call, { status, headers, body }: Seen): Answer => {
    const selected = selectedOf(call, { status, body });
    steps.push({ call: `${call.method ?? "GET"} ${call.path}`, status, headers, body: selected });
    return { status, body };
  };

  const recorder: Recorder = {
    namespace: contractCase.name,
    prefix: contractCase.name,
    request: async (call) => write(call, await send(call)),
    quietly: send,
    async until(call, isWanted) {
      const deadline = performance.now() + patienceMs;
      let seen = await send(call);
      while (!isWanted(seen) && performance.now() < deadline) {
        await sleep(25);
        seen = await send(call);
      }
      return write(call, seen);
    },
    async settle(call, isWanted) {
      const { now: time = () => performance.now() } = api;
      const pauseMs = api.now === undefined ? api.settledMs / looks : shortPauseMs;
      const deadline = time() + settlePatience * api.settledMs;
      let last = { seen: await send(call), text: "", since: time(), looks: 0 };
      for (;;) {
        const selected = selectedOf(call, last.seen);
        const text = JSON.stringify(selected);
        const now = time();
        if (text !== last.text) last = { ...last, text, since: now, looks: 0 };
        last.looks++;
        // Time alone would also pass while this process is held up, and the API in it with it.
        const isDone = last.looks > looks && now - last.since >= api.settledMs && isWanted(selected);
        if (isDone || now > deadline) return write(call, last.seen);
        await sleep(pauseMs);
        last.seen = await send(call);
      }
    },
    async watch(path, options = {}) {
      const watch = await openWatch({ path, options, transport: api.transport, steps });
      watches.push(watch);
      return watch;
    },
    async createNamespace() {
      const metadata = { name: contractCase.name };
      const { status } = await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata } });
      if (status >= 400) throw new Error(`Cannot create namespace "${contractCase.name}": status ${status}`);
      cleanups.push({ method: "DELETE", path: `/api/v1/namespaces/${contractCase.name}` });
      const path = `/api/v1/namespaces/${contractCase.name}/serviceaccounts`;
      await send({
        method: "POST",
        path,
        body: { metadata: { name: "default" }, automountServiceAccountToken: false },
      });
    },
    compact: (resourceVersion) => api.compact(resourceVersion),
    afterwards: (call) => void cleanups.push(call),
  };
  try {
    await contractCase.run(recorder);
  } finally {
    for (const watch of watches) watch.close();
    for (const call of cleanups.toReversed()) await send(call);
  }
  return normalize(steps, {
    keepsManagedFields: contractCase.keepsManagedFields ?? false,
    sortsCauses: contractCase.sortsCauses ?? false,
  });
}

function selectedOf({ select }: Call, { status, body }: Answer): Json {
  return select !== undefined && status < 400 ? select(structuredClone(body)) : body;
}

interface Seen extends Answer {
  readonly headers: Record<string, unknown>;
}

function wireOf({ method = "GET", path, headers = {}, body }: Call): WireRequest {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const contentType = text === undefined ? {} : { "content-type": defaultContentType(method) };
  const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
  const sent = { accept: "application/json", "user-agent": "contract", ...contentType, ...length, ...headers };
  return { method, path, headers: sent, ...(text === undefined ? {} : { body: text }) };
}

function defaultContentType(method: string): string {
  return method === "PATCH" ? "application/merge-patch+json" : "application/json";
}

function answerOf(response: WireResponse): Seen {
  const found = comparedHeaders.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { status: response.status, headers: Object.fromEntries(found), body: parse(response.body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface OpenWatch {
  readonly path: string;
  readonly options: WatchOptions;
  readonly transport: Transport;
  readonly steps: RawStep[];
}

async function openWatch({ path, options, transport, steps }: OpenWatch): Promise<Watch> {
  const stream = await transport.stream(wireOf({ path, headers: options.headers ?? {} }));
  const { headers } = answerOf({ ...stream, body: "" });
  const events: unknown[] = [];
  const step: RawStep = { call: `WATCH ${path}`, status: stream.status, headers };
  steps.push(step);
  if (stream.status !== 200) {
    let text = "";
    for await (const line of stream.lines) text += line;
    step.body = parse(text);
    return { status: stream.status, take: async () => [], drain: async () => {}, close: () => {} };
  }
  step.events = events;
  const lines = stream.lines[Symbol.asyncIterator]();
  // One read is under way at most, and is kept when a wait for it was given up.
  let pending: Promise<IteratorResult<string>> | undefined;
  const next = async (): Promise<WatchEvent | "ended" | "late"> => {
    pending ??= lines.next();
    const late = new AbortController();
    const read = await Promise.race([
      pending.catch(() => ({ done: true as const, value: undefined })),
      sleep(patienceMs, "late" as const, { signal: late.signal }).catch(() => "late" as const),
    ]);
    late.abort();
    if (read === "late") return "late";
    pending = undefined;
    return read.done === true ? "ended" : (parse(read.value) as WatchEvent);
  };
  const take = async (count: number): Promise<WatchEvent[]> => {
    const taken: WatchEvent[] = [];
    while (taken.length < count) {
      const event = await next();
      if (event === "ended") step.hasEnded = true;
      if (event === "ended" || event === "late") break;
      if (event.type === "BOOKMARK" && options.keepsBookmarks !== true) continue;
      if (options.types?.includes(event.type) === false) continue;
      taken.push(event);
      events.push(options.select === undefined ? event : { ...event, object: options.select(event.object) });
    }
    return taken;
  };
  return {
    status: stream.status,
    take,
    drain: async () => void (await take(Number.POSITIVE_INFINITY)),
    close: () => stream.close(),
  };
}
