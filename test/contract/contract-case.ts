/** A JSON value that arrived, in which cases look up what they need for the next step. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what the suite finds out.
export type Json = any;

/** Something clients rely on, tried on an API server. A case has no expectations: what the real server answers is right. */
export interface ContractCase {
  /** Unique; also names the objects of the case, so short, lower case and with dashes. */
  readonly name: string;
  readonly about: string;
  /** Compare `metadata.managedFields` too, which is left out of all other cases. */
  readonly keepsManagedFields?: boolean;
  /** The real server finds mistakes in an order of its own each time, so that the order is left out. */
  readonly sortsCauses?: boolean;
  /** Nothing else may run meanwhile, because the case does something to the whole server. */
  readonly runsAlone?: boolean;
  run(api: Recorder): Promise<void>;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object goes out as JSON, text as it is. */
  readonly body?: unknown;
  /** What of the answer is compared; all of it where absent. */
  readonly select?: (body: Json) => unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Talks to an API server and writes down what it saw. */
export interface Recorder {
  /** A namespace for this case alone; it exists only after `createNamespace`. */
  readonly namespace: string;
  /** A prefix for the names of objects without a namespace. */
  readonly prefix: string;
  request(call: Call): Promise<Answer>;
  /** Repeats a call until its answer is as wanted, and writes down the last answer only. */
  until(call: Call, isWanted: (answer: Answer) => boolean): Promise<Answer>;
  /** As `until`, and then until the selected part of the answer has stayed the same for a while. */
  settle(call: Call, isWanted: (selected: Json) => boolean): Promise<Answer>;
  /** A call that belongs to the stage and not to the play: nothing is written down. */
  quietly(call: Call): Promise<Answer>;
  /** Opens a watch; its events become part of the transcript where it was opened. */
  watch(path: string, options?: WatchOptions): Promise<Watch>;
  /** With the service account that pods need, which a controller would make, and without tokens in pods. */
  createNamespace(): Promise<void>;
  /** Forgets all versions before this one, as `etcd` does every five minutes. */
  compact(resourceVersion: string): Promise<void>;
  /** Run in reverse order after the case, whatever happened, and written down nowhere. */
  afterwards(call: Call): void;
}

export interface WatchOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Bookmarks come when the server likes, so they are left out unless the case is about them. */
  readonly keepsBookmarks?: boolean;
  /** Only events of these types count. */
  readonly types?: readonly string[];
  /** What of each object is compared; all of it where absent. */
  readonly select?: (object: Json) => unknown;
}

export interface Watch {
  readonly status: number;
  /** The next events; fewer when the server ends the stream or nothing more comes in time. */
  take(count: number): Promise<WatchEvent[]>;
  /** Reads until the server ends the stream. */
  drain(): Promise<void>;
  close(): void;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}
