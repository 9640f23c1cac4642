/** How a write is to be done. */
export interface WriteOptions {
  readonly isDryRun?: boolean;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** What the writer should be told though the write succeeds; filled by the API. */
  readonly warnings?: string[];
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
}
