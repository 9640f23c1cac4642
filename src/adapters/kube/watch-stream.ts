import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { KubeRequest, KubeResponse, KubeWatch, KubeWatchEvent } from "../../ports/kube-transport.ts";
import { EventReader } from "./event-reader.ts";
import { readResponse } from "./read-response.ts";
import { noAnswer, tooLate } from "./transport-error.ts";

export interface WatchStreamOptions {
  readonly clock: Clock;
  /** Until the server says whether there is a stream. */
  readonly timeoutMs: number;
  /** A stream in which nothing came for so long is taken for dead. */
  readonly silenceMs: number;
  onOver(): void;
}

/** The stream of one watch. Once it was closed or has ended, nothing is called any more. */
export class WatchStream implements Dispatcher.DispatchHandler {
  /** That the server streams, or what it answered instead. Rejects when it answered nothing. */
  readonly opened: Promise<"streams" | KubeResponse>;
  readonly #answer = Promise.withResolvers<"streams" | KubeResponse>();
  readonly #request: KubeRequest;
  readonly #watch: KubeWatch;
  readonly #options: WatchStreamOptions;
  readonly #reader = new EventReader();
  #controller: Dispatcher.DispatchController | undefined;
  #state: "opening" | "refused" | "streaming" | "over" = "opening";
  #timer: Timer;
  #heardAt = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];

  constructor(request: KubeRequest, watch: KubeWatch, options: WatchStreamOptions) {
    this.opened = this.#answer.promise;
    this.#request = request;
    this.#watch = watch;
    this.#options = options;
    const { clock, timeoutMs } = options;
    this.#timer = clock.after(timeoutMs, () => this.#break(tooLate(request, timeoutMs)));
  }

  close(): void {
    if (this.#state === "over") return;
    this.#end();
    // Where it had not begun; else this changes nothing.
    this.#answer.reject(noAnswer(this.#request, new Error("it was closed")));
    this.#controller?.abort(new Error("closed"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === "over") controller.abort(new Error("given up"));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 102 and 103 only announce an answer.
    if (this.#state !== "opening" || status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status !== 200) {
      this.#state = "refused";
      return;
    }
    this.#state = "streaming";
    this.#timer.cancel();
    this.#heardAt = this.#options.clock.now();
    this.#timer = this.#options.clock.after(this.#options.silenceMs, this.#listen);
    this.#answer.resolve("streams");
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === "refused") this.#chunks.push(chunk);
    if (this.#state !== "streaming") return;
    this.#heardAt = this.#options.clock.now();
    try {
      this.#reader.read(chunk, this.#deliver);
    } catch (error) {
      this.#deliver(undecodable(this.#request, error as Error));
      this.#break(error as Error);
    }
  }

  onResponseEnd(): void {
    if (this.#state === "refused") this.#refuse();
    else this.#break(new Error("the stream is over"));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#break(noAnswer(this.#request, error));
  }

  readonly #deliver = (event: KubeWatchEvent): boolean => {
    this.#watch.onEvent(event);
    return this.#state === "streaming";
  };

  /** One timer that looks back, and not a new one for each piece that comes. */
  readonly #listen = (): void => {
    const { clock, silenceMs } = this.#options;
    const leftMs = this.#heardAt + silenceMs - clock.now();
    if (leftMs > 0) this.#timer = clock.after(leftMs, this.#listen);
    else this.#break(new Error(`nothing came for ${silenceMs / 1000} s`));
  };

  #refuse(): void {
    this.#end();
    try {
      this.#answer.resolve(
        readResponse({ status: this.#status, headers: this.#headers, chunks: this.#chunks }, this.#request),
      );
    } catch (error) {
      this.#answer.reject(error as Error);
    }
  }

  /** A stream that had begun ends; one that had not never was. */
  #break(error: Error): void {
    const state = this.#state;
    if (state === "over") return;
    this.#end();
    this.#controller?.abort(error);
    if (state === "streaming") this.#watch.onEnd();
    else this.#answer.reject(error);
  }

  #end(): void {
    this.#state = "over";
    this.#timer.cancel();
    this.#options.onOver();
  }
}

/** As the server tells what went wrong on its side, so that whoever watches has one way of hearing it. */
function undecodable({ path }: KubeRequest, { message }: Error): KubeWatchEvent {
  return {
    type: "ERROR",
    object: {
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      reason: "InternalError",
      message: `The stream of GET ${path} cannot be read: ${message}`,
      code: 500,
    },
  };
}
