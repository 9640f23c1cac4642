/** What every object has that was read from an API server. */
export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
  /** For writes that must not overlook somebody else's; "" for an object from a file. */
  readonly resourceVersion: string;
  readonly generation: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its deletion was asked for; undefined while nobody has. */
  readonly deletedAt: number | undefined;
  readonly finalizers: readonly string[];
}
