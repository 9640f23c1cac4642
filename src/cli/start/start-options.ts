export interface StartOptions {
  readonly file?: readonly string[];
  readonly speed: number;
  readonly seed: number;
  /** Milliseconds of the cluster's time. */
  readonly duration?: number;
  readonly port: number;
  readonly instanceTypes: string;
}
