import type { Clock, Timer } from "../../ports/clock.ts";
import type { KubeObject } from "../kube-object.ts";
import type { Collection } from "../storage/collection.ts";
import type { StoredEvent } from "../storage/stored-event.ts";
import { expired, statusOf } from "./api-error.ts";
import type { WatchAnswer, WatchEvent, WatchReceiver } from "./api-request.ts";
import type { ListQuery } from "./list-query.ts";

export interface WatchSubject {
  readonly collection: Collection;
  readonly query: ListQuery;
  /** For bookmarks, which carry nothing but a version. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The version of the store, now. */
  readonly version: () => number;
  /** What the receiver sees instead of the object: a row of a table, only its metadata, another version. */
  readonly show: (object: KubeObject) => WatchEvent["object"];
  readonly clock: Clock;
}

const bookmarkInterval = 60_000;
/** So long before its end, a watch says how far it came. */
const lastBookmark = 2_000;
const usualWatch = 1_800_000;
const longestWatch = 3_600_000;

/** Tells what changes, in the order in which it changed, from a version on. */
export function watchObjects(subject: WatchSubject): WatchAnswer {
  return { kind: "watch", start: (receiver) => new Watch(subject, receiver).start() };
}

class Watch {
  readonly #subject: WatchSubject;
  readonly #receiver: WatchReceiver;
  readonly #timers = new Set<Timer>();
  #queue: WatchEvent[] = [];
  #isFlushing = false;
  #isOver = false;
  #unsubscribe: () => void = () => {};

  constructor(subject: WatchSubject, receiver: WatchReceiver) {
    this.#subject = subject;
    this.#receiver = receiver;
  }

  start(): () => void {
    const { collection, query, clock } = this.#subject;
    if (!this.#replay()) return () => this.#stop();
    this.#unsubscribe = collection.subscribe((event) => this.#take(event));
    const seconds = query.timeoutSeconds ?? 0;
    const length = Math.min(seconds > 0 ? seconds * 1000 : usualWatch, longestWatch);
    this.#timers.add(clock.after(length, () => this.#end()));
    if (query.allowsBookmarks) this.#bookmarkRegularly(clock.now() + length - lastBookmark);
    return () => this.#stop();
  }

  /** What happened before the watch began; false when that is no longer known. */
  #replay(): boolean {
    const { collection, query } = this.#subject;
    const { resourceVersion = 0, allowsBookmarks } = query;
    const wantsInitialEvents = query.wantsInitialEvents ?? resourceVersion === 0;
    const isNewest = query.resourceVersion === undefined;
    if (wantsInitialEvents) {
      for (const object of collection.list(query.prefix)) {
        if (query.matches(object)) this.#push({ type: "ADDED", object: this.#subject.show(object) });
      }
      if ((query.wantsInitialEvents === true || isNewest) && allowsBookmarks) this.#push(this.#bookmark(true));
      return true;
    }
    if (resourceVersion === 0) return true;
    if (resourceVersion < collection.compactedVersion) {
      const error = expired(`too old resource version: ${resourceVersion} (${collection.compactedVersion})`);
      this.#push({ type: "ERROR", object: statusOf(error) });
      this.#timers.add(this.#subject.clock.after(0, () => this.#end()));
      return false;
    }
    for (const event of collection.eventsAfter(resourceVersion)) this.#take(event);
    return true;
  }

  /** An object that comes to match the selector is new to this watch, one that ceases to is gone. */
  #take({ type, object, previous, version }: StoredEvent): void {
    const { query, show } = this.#subject;
    // Who asks for a version that is still to come is not told what comes before it.
    if (version <= (query.resourceVersion ?? 0)) return;
    const isInScope = query.prefix === "" || `${object.metadata.namespace}/` === query.prefix;
    if (!isInScope) return;
    const matched = previous !== undefined && query.matches(previous);
    const matches = type !== "DELETED" && query.matches(object);
    if (matches) this.#push({ type: matched ? "MODIFIED" : "ADDED", object: show(object) });
    else if (matched)
      this.#push({ type: "DELETED", object: show(lastSeen(type === "DELETED" ? object : previous, version)) });
  }

  #push(event: WatchEvent): void {
    this.#queue.push(event);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const timer = this.#subject.clock.after(0, () => {
      this.#timers.delete(timer);
      this.#flush();
    });
    this.#timers.add(timer);
  }

  #flush(): void {
    this.#isFlushing = false;
    const queue = this.#queue;
    this.#queue = [];
    for (const event of queue) {
      if (this.#isOver) return;
      this.#receiver.deliver(event);
    }
  }

  /** Every minute, and at that last moment. */
  #bookmarkRegularly(last: number): void {
    const { clock } = this.#subject;
    const left = last - clock.now();
    const delay = left > 0 && left < bookmarkInterval ? left : bookmarkInterval;
    const timer = clock.after(delay, () => {
      this.#timers.delete(timer);
      this.#push(this.#bookmark(false));
      this.#bookmarkRegularly(last);
    });
    this.#timers.add(timer);
  }

  #bookmark(endsInitialEvents: boolean): WatchEvent {
    const { apiVersion, kind, version } = this.#subject;
    const annotations = endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
    const metadata = { resourceVersion: String(version()), ...annotations };
    return { type: "BOOKMARK", object: { kind, apiVersion, metadata } };
  }

  #end(): void {
    if (this.#isOver) return;
    this.#flush();
    this.#stop();
    this.#receiver.end();
  }

  #stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

function lastSeen(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
