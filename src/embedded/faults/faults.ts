import type { Random } from "../../core/model/seeded-random.ts";
import type { Clock } from "../../ports/clock.ts";
import { ApiError, expired, statusOf } from "../api/api-error.ts";
import type { ApiAnswer, ApiRequest, WatchAnswer } from "../api/api-request.ts";
import { type ApiServer, errorAnswer } from "../api/api-server.ts";
import { parseTarget } from "../api/parse-target.ts";
import { isTrue } from "../api/read-options.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import { type LeaseTheft, takeLease } from "./take-lease.ts";

interface ActiveFault {
  readonly fault: Fault;
  strikes: number;
}

/** Stands between the clients and the server, and makes go wrong what was asked to go wrong. */
export class Faults {
  readonly #server: ApiServer;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #active = new Set<ActiveFault>();
  readonly #thefts = new Set<() => void>();

  constructor(server: ApiServer, clock: Clock, random: Random) {
    this.#server = server;
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns how to end it. */
  inject(fault: Fault): () => void {
    if (!(fault.probability > 0 && fault.probability <= 1)) {
      throw new Error(`The probability of a fault is above 0 and at most 1, not ${fault.probability}`);
    }
    if (fault.effect === "refuse" && ![409, 429, 500, 503].includes(fault.status)) {
      throw new Error(`A fault refuses with 409, 429, 500 or 503, not ${fault.status}`);
    }
    const active = { fault, strikes: 0 };
    this.#active.add(active);
    return () => this.#active.delete(active);
  }

  /** Another takes a lease and keeps it for a while. Returns how to end it sooner. */
  takeLease(theft: LeaseTheft): () => void {
    const end = takeLease(this.#server.parts.api, theft);
    this.#thefts.add(end);
    return end;
  }

  /** Ends everything. */
  stop(): void {
    this.#active.clear();
    for (const end of this.#thefts) end();
  }

  /** Every version before now is compacted away, so that watches and pages from there must begin anew. */
  compact(): void {
    this.#server.parts.api.store.compact();
  }

  /** Takes a request to the server and its answer back. */
  async serve(request: ApiRequest): Promise<Exchange> {
    if (this.#active.size === 0) return { answer: this.#server.handle(request) };
    const fault = this.#strike(request);
    return fault === undefined ? { answer: this.#server.handle(request) } : await this.#suffer(request, fault);
  }

  /** The first fault that strikes this request, if any. */
  #strike(request: ApiRequest): Fault | undefined {
    for (const active of this.#active) {
      const { fault } = active;
      if (!couldStrike(fault, request) || this.#random() >= fault.probability) continue;
      active.strikes++;
      if (fault.times !== undefined && active.strikes >= fault.times) this.#active.delete(active);
      return fault;
    }
    return undefined;
  }

  async #suffer(request: ApiRequest, fault: Fault): Promise<Exchange> {
    switch (fault.effect) {
      case "refuse":
        return { answer: refusal(fault.status) };
      case "time-out":
        if (fault.isDone) this.#server.handle(request);
        await this.#wait(fault.afterMs);
        return {
          answer: errorAnswer(
            new ApiError(504, "Timeout", "Timeout: request did not complete within the allotted timeout"),
          ),
        };
      case "slow":
        await this.#wait(fault.byMs);
        return { answer: this.#server.handle(request) };
      case "drop":
        return this.#drop(request, fault.at);
      case "cut-watch":
        return { answer: cut(this.#server.handle(request), this.#clock, fault.afterMs) };
      case "delay-watch":
        return { answer: delayed(this.#server.handle(request), this.#clock, fault.byMs) };
      case "expire-watch":
        return { answer: expiredWatch(this.#clock) };
      case "stale-read": {
        const version = Math.max(1, this.#server.parts.api.store.version - fault.versions);
        return { answer: this.#server.handle(request, version) };
      }
    }
  }

  #drop(request: ApiRequest, at: "request" | "answer" | "half-answer"): Exchange {
    if (at === "request") return { answer: undefined };
    const answer = this.#server.handle(request);
    if (at === "answer") return { answer: undefined };
    return answer.kind === "watch" ? { answer: cutAfterFirst(answer) } : { answer, dropsAfter: 20 };
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(milliseconds, resolve);
    });
  }
}

const watchEffects = new Set<Fault["effect"]>(["cut-watch", "delay-watch", "expire-watch"]);

function couldStrike({ on, effect }: Fault, { method, target }: ApiRequest): boolean {
  const watched = watchQuery(target);
  if (watchEffects.has(effect) && watched === undefined) return false;
  if (effect === "stale-read" && (method !== "GET" || watched !== undefined)) return false;
  if (effect === "expire-watch" && !/^[1-9]/.test(watched?.get("resourceVersion") ?? "")) return false;
  if (on?.methods !== undefined && !on.methods.includes(method)) return false;
  return on?.path === undefined || target.search(on.path) >= 0;
}

/** What a watch asks for; undefined for what is no watch, or nothing that can be read. */
function watchQuery(target: string): URLSearchParams | undefined {
  try {
    const { query, resource } = parseTarget(target);
    return resource?.isWatch === true || isTrue(query.get("watch")) ? query : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function refusal(status: 409 | 429 | 500 | 503): ApiAnswer {
  switch (status) {
    case 409:
      return errorAnswer(
        new ApiError(
          409,
          "Conflict",
          "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again",
        ),
      );
    case 429:
      return errorAnswer(
        new ApiError(429, "TooManyRequests", "too many requests, please try again later", { retryAfterSeconds: 1 }),
      );
    case 500:
      return errorAnswer(new ApiError(500, "InternalError", "Internal error occurred: injected fault"));
    case 503:
      return errorAnswer(
        new ApiError(503, "ServiceUnavailable", "the server is currently unable to handle the request", {
          retryAfterSeconds: 1,
        }),
      );
  }
}

function cut(answer: ApiAnswer, clock: Clock, afterMs: number): ApiAnswer {
  if (answer.kind !== "watch") return answer;
  return {
    kind: "watch",
    start(receiver) {
      const timer = clock.after(afterMs, () => {
        stop();
        receiver.end();
      });
      const end = (): void => {
        timer.cancel();
        receiver.end();
      };
      const stop = answer.start({ deliver: (event) => receiver.deliver(event), end });
      return () => {
        timer.cancel();
        stop();
      };
    },
  };
}

/** Half of a stream: its first event. */
function cutAfterFirst(answer: WatchAnswer): WatchAnswer {
  return {
    kind: "watch",
    start(receiver) {
      let isOver = false;
      const stop = answer.start({
        deliver(event) {
          if (isOver) return;
          isOver = true;
          receiver.deliver(event);
          stop();
          receiver.end();
        },
        end: () => receiver.end(),
      });
      return stop;
    },
  };
}

function delayed(answer: ApiAnswer, clock: Clock, byMs: number): ApiAnswer {
  if (answer.kind !== "watch") return answer;
  return {
    kind: "watch",
    start(receiver) {
      let isOver = false;
      const later = (act: () => void): void => {
        clock.after(byMs, () => {
          if (!isOver) act();
        });
      };
      const stop = answer.start({
        deliver: (event) => later(() => receiver.deliver(event)),
        end: () => later(() => receiver.end()),
      });
      return () => {
        isOver = true;
        stop();
      };
    },
  };
}

function expiredWatch(clock: Clock): WatchAnswer {
  return {
    kind: "watch",
    start(receiver) {
      const timer = clock.after(0, () => {
        receiver.deliver({
          type: "ERROR",
          object: statusOf(expired("The resourceVersion for the provided watch is too old.")),
        });
        receiver.end();
      });
      return () => timer.cancel();
    },
  };
}
