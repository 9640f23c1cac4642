import type { Clock } from "../../src/ports/clock.ts";
import type { KubeRequest, KubeResponse, KubeTransport, KubeWatch } from "../../src/ports/kube-transport.ts";

export interface Sent {
  /** When it was sent, not when the answer came. */
  readonly at: number;
  /** When the answer came, or it became clear that none would. */
  readonly answeredAt: number;
  readonly request: KubeRequest;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
}

/** What a process sees of the world, until it dies: from then on nothing calls it back, and nothing that it does counts. */
export class MortalProcess {
  readonly clock: Clock;
  readonly transport: KubeTransport;
  onSent: (sent: Sent) => void = () => {};
  /** Stands between the process and the API: sends something else, or answers in its place. */
  tamper: (request: KubeRequest) => KubeRequest | KubeResponse = (request) => request;
  /** Requests that are under way. */
  readonly unanswered = new Set<KubeRequest>();
  readonly #now: () => number;
  readonly #watches = new Set<OpenWatch>();
  #isAlive = true;
  #writesLeft = Infinity;

  constructor(clock: Clock, transport: KubeTransport) {
    this.#now = () => clock.now();
    this.clock = {
      now: () => clock.now(),
      after: (milliseconds, callback) =>
        clock.after(milliseconds, () => {
          if (this.#isAlive) callback();
        }),
    };
    this.transport = {
      send: (request) => this.#send(transport, request),
      watch: (request, watch) => this.#watch(transport, request, watch),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  kill(): void {
    this.#isAlive = false;
    for (const { close } of this.#watches) close();
    this.#watches.clear();
  }

  /** Streams that are open end, as when the network fails. */
  breakWatches(): void {
    for (const { close, end } of [...this.#watches]) {
      close();
      end();
    }
  }

  killAfterWrites(count: number): void {
    this.#writesLeft = count;
  }

  async #send(transport: KubeTransport, request: KubeRequest): Promise<KubeResponse> {
    if (!this.#isAlive) return never();
    const at = this.#now();
    this.unanswered.add(request);
    try {
      const instead = this.tamper(request);
      const response = "status" in instead ? instead : await transport.send(instead);
      this.onSent({ at, answeredAt: this.#now(), request, status: response.status });
      if (this.#isAlive && isWrite(request) && response.status < 300 && --this.#writesLeft <= 0) this.kill();
      return this.#isAlive ? response : await never();
    } catch (error) {
      this.onSent({ at, answeredAt: this.#now(), request, status: undefined });
      if (!this.#isAlive) return never();
      throw error;
    } finally {
      this.unanswered.delete(request);
    }
  }

  async #watch(transport: KubeTransport, request: KubeRequest, watch: KubeWatch): Promise<() => void> {
    if (!this.#isAlive) return never();
    const end = (): void => {
      this.#watches.delete(open);
      if (this.#isAlive) watch.onEnd();
    };
    const open: OpenWatch = { close: () => {}, end };
    open.close = await transport.watch(request, {
      onEvent: (event) => {
        if (this.#isAlive) watch.onEvent(event);
      },
      onRefusal: (response) => {
        if (this.#isAlive) watch.onRefusal(response);
      },
      onEnd: end,
    });
    this.#watches.add(open);
    if (!this.#isAlive) {
      open.close();
      return never();
    }
    return () => {
      this.#watches.delete(open);
      open.close();
    };
  }
}

interface OpenWatch {
  close: () => void;
  readonly end: () => void;
}

/** Whoever waits for an answer when the process dies waits for ever. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** The lease is renewed all the time, which is nothing to count by. */
function isWrite({ method, path }: KubeRequest): boolean {
  return method !== "GET" && !path.includes("/leases");
}
