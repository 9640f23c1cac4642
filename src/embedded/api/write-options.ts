/** How a write is to be done. */
export interface WriteOptions {
  readonly isDryRun?: boolean;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** What the writer should be told though the write succeeds; filled by the API. */
  readonly warnings?: string[];
  /** Paths of fields that the text of the request gives more than once. */
  readonly repeated?: ReadonlySet<string>;
  /** What else a strict reader objects to, found before the object was read. */
  readonly complaints?: readonly string[];
  /** Who writes, for `metadata.managedFields`. */
  readonly manager?: string;
  readonly subresource?: string;
  /** A server-side apply has already worked out who owns what. */
  readonly isApply?: boolean;
  /** The object comes from a saved cluster: it keeps its identity, its age and its status. */
  readonly isRestored?: boolean;
}

export interface DeleteOptions {
  readonly isDryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Whether the client asked in the old way that dependents go too, and learns by the status that they still do. */
  readonly isCascading?: boolean;
}
