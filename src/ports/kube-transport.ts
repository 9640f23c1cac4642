/** How requests reach a Kubernetes API: over a network, or straight into an embedded one. */
export interface KubeTransport {
  /** Rejects when there is no whole answer; an answer that says no is an answer. */
  send(request: KubeRequest): Promise<KubeResponse>;
  /** Opens a stream of changes; returns how to close it. */
  watch(request: KubeRequest, watch: KubeWatch): Promise<() => void>;
}

export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, as in `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: unknown;
}

export interface KubeResponse {
  readonly status: number;
  /** Parsed; must not be changed. */
  readonly body: unknown;
  readonly retryAfterSeconds?: number;
}

export interface KubeWatch {
  /** Must not throw; the event and all in it must not be changed. */
  onEvent(event: KubeWatchEvent): void;
  /** The stream was refused; nothing else is called. */
  onRefusal(response: KubeResponse): void;
  /** The stream is over, in order or because the connection broke. */
  onEnd(): void;
}

export interface KubeWatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: unknown;
}
