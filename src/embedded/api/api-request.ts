import type { KubeObject } from "../kube-object.ts";

/** A request as it came in, over the network or from within the process. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, still encoded. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as text or as they are. */
  readonly body?: string | Uint8Array;
}

export type ApiAnswer = BodyAnswer | WatchAnswer | LogAnswer;

export interface BodyAnswer {
  readonly kind: "body";
  readonly status: number;
  readonly contentType: string;
  /** Text goes out as it is, everything else as JSON. Must not be changed by whoever receives it. */
  readonly body: unknown;
  readonly warnings?: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** A stream of events, one JSON object per line. */
export interface WatchAnswer {
  readonly kind: "watch";
  /** Begins to deliver; returns how to stop. */
  start(receiver: WatchReceiver): () => void;
}

export interface WatchReceiver {
  deliver(event: WatchEvent): void;
  /** The server ends the stream. */
  end(): void;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject | { readonly [field: string]: unknown };
}

/** A stream of lines of text. */
export interface LogAnswer {
  readonly kind: "log";
  start(receiver: { deliver(text: string): void; end(): void }): () => void;
}

export function jsonAnswer(status: number, body: unknown): BodyAnswer {
  return { kind: "body", status, contentType: "application/json", body };
}

export function textAnswer(status: number, body: string): BodyAnswer {
  return { kind: "body", status, contentType: "text/plain; charset=utf-8", body };
}
