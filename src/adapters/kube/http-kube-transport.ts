import { Pool } from "undici";
import type { Clock } from "../../ports/clock.ts";
import type { KubeRequest, KubeResponse, KubeTransport, KubeWatch } from "../../ports/kube-transport.ts";
import { Exchange } from "./exchange.ts";
import { isSameCertificate } from "./file-credentials.ts";
import type { KubeAccess, KubeCredential } from "./kube-access.ts";
import { type RateLimit, TokenBucket } from "./token-bucket.ts";
import { WatchStream } from "./watch-stream.ts";

export interface HttpKubeTransportOptions {
  readonly access: KubeAccess;
  readonly clock: Clock;
  /** As in `karpenter-ts/0.1.0`. */
  readonly userAgent: string;
  /** Of requests; watches do not count. Where absent there is no limit, as a leader that renews its lease needs it. */
  readonly rateLimit?: RateLimit;
  /** Of requests; each watch has a connection of its own besides. */
  readonly maxConnections?: number;
  /** For a whole answer, and for a watch to begin. */
  readonly requestTimeoutMs?: number;
  /** A watch on which nothing came for so long, not even a bookmark, is ended. */
  readonly watchSilenceMs?: number;
}

/** The pools are apart so that watches, which hold their connections, keep no request waiting. */
interface Connections {
  readonly certificate: KubeCredential["certificate"];
  readonly requests: Pool;
  readonly watches: Pool;
}

/** Less than servers keep connections that nobody uses, so that no request meets one that is just being closed. */
const keptIdleMs = 30_000;
/** Two bookmarks missed: servers send one about every minute, so the connection is dead, whatever the kernel thinks. */
const longestSilenceMs = 120_000;

/** Talks to an API server over HTTP/1.1. */
export class HttpKubeTransport implements KubeTransport {
  readonly #options: HttpKubeTransportOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #bucket: TokenBucket | undefined;
  readonly #timeoutMs: number;
  #connections: Connections | undefined;
  /** Those before too, as long as something is under way on them. */
  readonly #pools = new Set<Pool>();
  readonly #watches = new Set<WatchStream>();
  #isClosed = false;

  constructor(options: HttpKubeTransportOptions) {
    const { access, clock, rateLimit, requestTimeoutMs = 60_000 } = options;
    const { origin, pathname } = new URL(access.server);
    this.#options = options;
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/+$/, "");
    this.#bucket = rateLimit === undefined ? undefined : new TokenBucket(rateLimit, clock);
    this.#timeoutMs = requestTimeoutMs;
  }

  async send(request: KubeRequest): Promise<KubeResponse> {
    await this.#bucket?.take();
    return await this.#withCredential(async (credential) => {
      const { requests } = this.#connect(credential);
      const exchange = new Exchange(request, { clock: this.#options.clock, timeoutMs: this.#timeoutMs });
      requests.dispatch(this.#wire(request, credential), exchange);
      return await exchange.response;
    });
  }

  async watch(request: KubeRequest, watch: KubeWatch): Promise<() => void> {
    const { clock, watchSilenceMs = longestSilenceMs } = this.#options;
    let close = (): void => {};
    const opened = await this.#withCredential(async (credential) => {
      const { watches } = this.#connect(credential);
      const stream = new WatchStream(request, watch, {
        clock,
        timeoutMs: this.#timeoutMs,
        silenceMs: watchSilenceMs,
        onOver: () => this.#watches.delete(stream),
      });
      this.#watches.add(stream);
      close = () => stream.close();
      watches.dispatch(this.#wire(request, credential), stream);
      return await stream.opened;
    });
    if (opened !== "streams") watch.onRefusal(opened);
    return close;
  }

  /** Watches end without a word, as when closed by their owners; requests under way are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of this.#watches) stream.close();
    await Promise.all([...this.#pools].map((pool) => pool.destroy()));
  }

  /** Tries once more with other credentials where the server would not have the first. */
  async #withCredential<T extends "streams" | KubeResponse>(
    attempt: (credential: KubeCredential) => Promise<T>,
  ): Promise<T> {
    const { access, clock } = this.#options;
    const credential = await access.credentials.current(clock.now());
    const answer = await attempt(credential);
    if (answer === "streams" || answer.status !== 401) return answer;
    if (!(await access.credentials.renew(credential, clock.now()))) return answer;
    return await attempt(await access.credentials.current(clock.now()));
  }

  #wire({ method, path, contentType, accept, body }: KubeRequest, { authorization }: KubeCredential) {
    const headers: Record<string, string> = {
      accept: accept ?? "application/json",
      "user-agent": this.#options.userAgent,
    };
    if (authorization !== undefined) headers.authorization = authorization;
    if (body === undefined) return { method, path: this.#basePath + path, headers };
    headers["content-type"] = contentType ?? "application/json";
    return { method, path: this.#basePath + path, headers, body: JSON.stringify(body) };
  }

  /** A certificate belongs to a connection, so another one needs others; what is under way on the old ones goes on. */
  #connect({ certificate }: KubeCredential): Connections {
    if (this.#isClosed) throw new Error(`The connection to ${this.#origin} is closed`);
    const current = this.#connections;
    if (current !== undefined && isSameCertificate(current.certificate, certificate)) return current;
    if (current !== undefined) this.#leave(current);
    this.#connections = {
      certificate,
      requests: this.#pool(certificate, this.#options.maxConnections ?? 16),
      watches: this.#pool(certificate, null),
    };
    return this.#connections;
  }

  #leave({ requests, watches }: Connections): void {
    for (const pool of [requests, watches]) {
      // It may be destroyed before it is empty, and that is as well.
      pool.close().then(
        () => this.#pools.delete(pool),
        () => {},
      );
    }
  }

  #pool(certificate: KubeCredential["certificate"], connections: number | null): Pool {
    const { ca, serverName, isUnverified = false } = this.#options.access.tls;
    const pool = new Pool(this.#origin, {
      connections,
      allowH2: false,
      keepAliveTimeout: keptIdleMs,
      keepAliveMaxTimeout: keptIdleMs,
      // Our own clock watches over whole answers, which a trickle of bytes does not fool.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        rejectUnauthorized: !isUnverified,
        ...(ca === undefined ? {} : { ca }),
        ...(serverName === undefined ? {} : { servername: serverName }),
        ...certificate,
        keepAlive: true,
        keepAliveInitialDelay: 30_000,
      },
    });
    this.#pools.add(pool);
    return pool;
  }
}
