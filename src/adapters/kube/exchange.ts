import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { KubeRequest, KubeResponse } from "../../ports/kube-transport.ts";
import { readResponse } from "./read-response.ts";
import { noAnswer, tooLate } from "./transport-error.ts";

export interface ExchangeOptions {
  readonly clock: Clock;
  /** For all of it, from waiting for a connection to the last byte. */
  readonly timeoutMs: number;
}

/** One request and its answer. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<KubeResponse>;
  readonly #answer = Promise.withResolvers<KubeResponse>();
  readonly #request: KubeRequest;
  readonly #timer: Timer;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];

  constructor(request: KubeRequest, { clock, timeoutMs }: ExchangeOptions) {
    this.response = this.#answer.promise;
    this.#request = request;
    this.#timer = clock.after(timeoutMs, () => this.#fail(tooLate(request, timeoutMs)));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error("given up"));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#end();
    try {
      this.#answer.resolve(
        readResponse({ status: this.#status, headers: this.#headers, chunks: this.#chunks }, this.#request),
      );
    } catch (error) {
      this.#answer.reject(error as Error);
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(noAnswer(this.#request, error));
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#end();
    this.#answer.reject(error);
    this.#controller?.abort(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }
}
