import type { Clock, Timer } from "../ports/clock.ts";
import type { KubeResponse, KubeTransport, KubeWatchEvent } from "../ports/kube-transport.ts";
import {
  isKubeObject,
  isNewerVersion,
  type KubeObject,
  type KubeResource,
  objectKey,
  resourcePath,
} from "./kube-object.ts";

/** Keeps what the reflector tells it. May throw: the mistake is reported, and the next object comes all the same. */
export interface ObjectSink {
  put(key: string, object: KubeObject): void;
  remove(key: string): void;
}

export interface ReflectorOptions {
  readonly transport: KubeTransport;
  readonly resource: KubeResource;
  readonly sink: ObjectSink;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onError: (error: Error) => void;
  /** Called once, when the first list has been taken in. */
  readonly onSynced?: () => void;
}

const pageSize = 500;
const firstBackoff = 500;
const longestBackoff = 30_000;
/** A watch that lasted so long was a good one, and the next can begin at once. */
const longWatch = 5_000;
const keptTombstones = 10_000;

/**
 * Follows all objects of one resource: a list in pages, then a watch from there, for ever. A connection that breaks is
 * taken up where it was; when the server has forgotten that point, a new list is compared with what is known. So every
 * state of an object is told at most once, never an older one after a newer, and a deletion is never missed.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  /** Version of every object that is there. */
  readonly #versions = new Map<string, string>();
  /** Version at which objects went, so that a late answer to a write does not bring them back. */
  readonly #tombstones = new Map<string, string>();
  /** Where the next watch begins; undefined when only a new list will do. */
  #position: string | undefined;
  #failures = 0;
  /** New lists in a row, without a good watch between them. */
  #relists = 0;
  #isSynced = false;
  #isStopped = false;
  #timer: Timer | undefined;
  #close: (() => void) | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  start(): void {
    this.#next(0);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#close?.();
  }

  /** Takes in what a write left behind, ahead of the watch. */
  apply(object: KubeObject): void {
    this.#put(object);
  }

  #next(delay: number): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delay, () => {
      this.#turn().catch((error: unknown) => this.#fail(error));
    });
  }

  /** At once the first time; a server that forgets again and again is not asked for everything again and again. */
  #listAnew(): void {
    this.#position = undefined;
    const delay = this.#relists === 0 ? 0 : Math.min(firstBackoff * 2 ** this.#relists, longestBackoff);
    this.#relists++;
    this.#next(delay);
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    const { plural } = this.#options.resource;
    this.#report(new Error(`Cannot follow ${plural}, trying again`, { cause: error }));
    this.#next(this.#backoff());
  }

  #backoff(): number {
    const backoff = Math.min(firstBackoff * 2 ** this.#failures, longestBackoff);
    this.#failures++;
    return backoff * (0.5 + this.#options.random() / 2);
  }

  async #turn(): Promise<void> {
    if (this.#position === undefined) await this.#list();
    if (this.#position !== undefined && !this.#isStopped) await this.#watch(this.#position);
  }

  async #list(): Promise<void> {
    const { transport, resource } = this.#options;
    const seen = new Set<string>();
    const items: KubeObject[] = [];
    let version = "";
    let token = "";
    do {
      const query = `limit=${pageSize}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`;
      const response = await transport.send({ method: "GET", path: `${resourcePath(resource)}?${query}` });
      if (this.#isStopped) return;
      if (response.status === 410 && token !== "") {
        this.#listAnew();
        return;
      }
      const page = listOf(response);
      version = page.version;
      token = page.token;
      for (const item of page.items) {
        items.push(item);
        seen.add(objectKey(item.metadata));
      }
    } while (token !== "");
    for (const item of items) this.#put(item);
    for (const [key, known] of [...this.#versions]) {
      // What a write has brought since the list was made is not in it.
      if (!seen.has(key) && !isNewerVersion(known, version)) this.#remove(key, version);
    }
    this.#position = version;
    this.#failures = 0;
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#options.onSynced?.();
  }

  async #watch(position: string): Promise<void> {
    const { transport, resource, clock, random } = this.#options;
    const timeout = Math.round(300 + random() * 300);
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${position}&timeoutSeconds=${timeout}`;
    const started = clock.now();
    let isOver = false;
    const close = await transport.watch(
      { method: "GET", path: `${resourcePath(resource)}?${query}` },
      {
        onEvent: (event) => {
          if (!isOver && !this.#isStopped && !this.#take(event)) {
            isOver = true;
            this.#close?.();
            this.#close = undefined;
            if (this.#position === undefined) this.#listAnew();
            else this.#next(this.#backoff());
          }
        },
        onRefusal: (response) => {
          if (isOver) return;
          isOver = true;
          if (isExpired(response)) this.#listAnew();
          else this.#fail(new Error(`the watch was refused with ${response.status}`));
        },
        onEnd: () => {
          if (isOver) return;
          isOver = true;
          this.#close = undefined;
          const isGood = clock.now() - started >= longWatch;
          if (isGood) this.#failures = 0;
          if (isGood) this.#relists = 0;
          this.#next(isGood ? 0 : this.#backoff());
        },
      },
    );
    if (this.#isStopped || isOver) close();
    else this.#close = close;
  }

  /** False when the watch cannot go on. */
  #take({ type, object }: KubeWatchEvent): boolean {
    if (type === "ERROR") {
      const code = (object as { readonly code?: unknown } | null)?.code;
      if (code === 410) this.#position = undefined;
      else this.#report(new Error(`A watch of ${this.#options.resource.plural} ended with ${JSON.stringify(object)}`));
      return false;
    }
    if (!isKubeObject(object)) {
      this.#report(new Error(`A watch of ${this.#options.resource.plural} brought something that is no object`));
      return true;
    }
    this.#position = object.metadata.resourceVersion ?? this.#position;
    if (type === "DELETED") this.#remove(objectKey(object.metadata), object.metadata.resourceVersion ?? "");
    else if (type !== "BOOKMARK") this.#put(object);
    return true;
  }

  #put(object: KubeObject): void {
    const key = objectKey(object.metadata);
    const version = object.metadata.resourceVersion ?? "";
    const known = this.#versions.get(key) ?? this.#tombstones.get(key);
    if (known !== undefined && !isNewerVersion(version, known)) return;
    this.#versions.set(key, version);
    this.#tombstones.delete(key);
    this.#tell(() => this.#options.sink.put(key, object));
  }

  #remove(key: string, version: string): void {
    const known = this.#versions.get(key);
    // A new object of the same name, known from a write, outlives the news that the old one went.
    if (known === undefined || isNewerVersion(known, version)) return;
    this.#versions.delete(key);
    this.#tombstones.set(key, version);
    if (this.#tombstones.size > keptTombstones) {
      for (const [oldest] of this.#tombstones) {
        this.#tombstones.delete(oldest);
        break;
      }
    }
    this.#tell(() => this.#options.sink.remove(key));
  }

  #tell(act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#report(new Error(`A change of ${this.#options.resource.plural} could not be taken in`, { cause }));
    }
  }

  #report(error: Error): void {
    this.#options.onError(error);
  }
}

/** The server does not hand out a list. */
export class ListRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`the list was refused with ${status}${message === "" ? "" : `: ${message}`}`);
    this.status = status;
  }
}

function listOf(response: KubeResponse): { items: readonly KubeObject[]; version: string; token: string } {
  const body = response.body as {
    readonly items?: readonly unknown[] | null;
    readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
    readonly message?: string;
  } | null;
  if (response.status !== 200 || body === null || typeof body !== "object") {
    throw new ListRefused(response.status, body?.message ?? "");
  }
  return {
    items: (body.items ?? []).filter(isKubeObject),
    version: body.metadata?.resourceVersion ?? "",
    token: body.metadata?.continue ?? "",
  };
}

function isExpired({ status }: KubeResponse): boolean {
  return status === 410;
}
