import type { Clock, Timer } from "../ports/clock.ts";
import type { KubeResponse, KubeTransport } from "../ports/kube-transport.ts";
import type { Events, Happening, Metrics, ObjectReference } from "../ports/telemetry.ts";
import { isNamespaceTerminating } from "./kube-client.ts";
import { QuietTimes } from "./quiet-times.ts";
import { type Rate, RateBucket } from "./rate-bucket.ts";
import { WrittenEvents } from "./written-events.ts";

export interface EventRecorderOptions {
  readonly transport: Pick<KubeTransport, "send">;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded; for names. */
  readonly random: () => number;
  /** Who speaks, as in `karpenter`. */
  readonly component: string;
  /** Counts what is dropped. */
  readonly metrics: Pick<Metrics, "add">;
  /** Told once when events cannot be written, and again only after some could. */
  readonly onError: (error: unknown) => void;
}

const defaultQuietMilliseconds = 2 * 60_000;
/** Of reasons that come in floods. */
const ratesOfReasons: ReadonlyMap<string, Rate> = new Map([["Nominated", { perSecond: 5, burst: 10 }]]);
const rateOfAll: Rate = { perSecond: 25, burst: 50 };
const mostQueued = 1_000;
const mostRemembered = 10_000;
const mostTries = 5;
const firstPause = 1_000;
const longestPause = 30_000;

interface Queued {
  readonly happening: Happening;
  readonly at: number;
  tries: number;
}

/**
 * Writes Events, one at a time and never faster than the API server should be asked to. Publishing takes no time and
 * never throws; what cannot be written in time is dropped and counted.
 */
export class EventRecorder implements Events {
  readonly #options: EventRecorderOptions;
  readonly #quietTimes: QuietTimes;
  readonly #written: WrittenEvents;
  readonly #bucket: RateBucket;
  readonly #buckets: ReadonlyMap<string, RateBucket>;
  readonly #queue: Queued[] = [];
  #timer: Timer | undefined;
  #isSending = false;
  #isFailing = false;
  #isStopped = false;

  constructor(options: EventRecorderOptions) {
    const { clock } = options;
    this.#options = options;
    this.#quietTimes = new QuietTimes(clock, mostRemembered);
    this.#written = new WrittenEvents(options);
    this.#bucket = new RateBucket(rateOfAll, clock);
    this.#buckets = new Map([...ratesOfReasons].map(([reason, rate]) => [reason, new RateBucket(rate, clock)]));
  }

  publish(happening: Happening): void {
    if (this.#isStopped) return;
    const { reason, object, message, sameAs = [identify(object), message] } = happening;
    const key = [reason, ...sameAs].join("\u0000");
    if (this.#quietTimes.isQuiet(key)) return;
    if (this.#buckets.get(reason)?.tryTake() === false) {
      this.#drop("rate_limited");
      return;
    }
    if (this.#queue.length >= mostQueued) {
      this.#drop("queue_full");
      return;
    }
    this.#quietTimes.begin(key, happening.quietMilliseconds ?? defaultQuietMilliseconds);
    this.#queue.push({ happening, at: this.#options.clock.now(), tries: 0 });
    this.#goOn();
  }

  /** Drops what is not written yet. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#queue.length = 0;
  }

  #drop(reason: "rate_limited" | "queue_full" | "failed"): void {
    this.#options.metrics.add("events_dropped_total", { reason });
  }

  #goOn(): void {
    if (this.#isSending || this.#timer !== undefined || this.#isStopped) return;
    const [next] = this.#queue;
    if (next === undefined) return;
    const wait = this.#bucket.millisecondsToWait();
    if (wait > 0) {
      this.#pause(wait);
      return;
    }
    this.#bucket.tryTake();
    this.#isSending = true;
    void this.#send(next).finally(() => {
      this.#isSending = false;
      this.#goOn();
    });
  }

  #pause(milliseconds: number): void {
    this.#timer = this.#options.clock.after(milliseconds, () => {
      this.#timer = undefined;
      this.#goOn();
    });
  }

  /** Never rejects. */
  async #send(queued: Queued): Promise<void> {
    try {
      const response = await this.#written.write(queued.happening, queued.at);
      const { status, retryAfterSeconds } = response;
      if (status === 429 || status >= 500) {
        this.#fail(refusalOf(response));
        return this.#tryAgain(queued, (retryAfterSeconds ?? 0) * 1_000);
      }
      this.#queue.shift();
      if (status < 300) this.#isFailing = false;
      else this.#giveUp(queued, response);
    } catch (error) {
      this.#fail(new Error("Cannot write events", { cause: error }));
      this.#tryAgain(queued, 0);
    }
  }

  #giveUp({ happening }: Queued, response: KubeResponse): void {
    this.#drop("failed");
    if (happening.object.namespace !== undefined && isNamespaceGoing(response)) return;
    this.#fail(refusalOf(response));
  }

  #tryAgain(queued: Queued, atLeast: number): void {
    if (this.#isStopped) return;
    queued.tries++;
    if (queued.tries >= mostTries) {
      this.#queue.shift();
      this.#drop("failed");
    }
    this.#pause(Math.min(longestPause, Math.max(atLeast, firstPause * 2 ** (queued.tries - 1))));
  }

  #fail(error: Error): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.onError(error);
  }
}

/** A namespace that is gone, or on its way, takes no events; that is nobody's mistake. */
function isNamespaceGoing(response: KubeResponse): boolean {
  return response.status === 404 || isNamespaceTerminating(response);
}

interface RefusalBody {
  readonly message?: string;
}

function refusalOf({ status, body }: KubeResponse): Error {
  const message = (body as RefusalBody | null | undefined)?.message;
  return new Error(
    `Cannot write events: the API server answered ${status}${message === undefined ? "" : `, ${message}`}`,
  );
}

function identify({ kind, namespace = "", name, uid }: ObjectReference): string {
  return [kind, namespace, name, uid].join("/");
}
