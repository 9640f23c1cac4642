export interface ConvertOptions {
  /** The cluster whose tags and role take the place of what is not said. Undefined where only the objects can tell. */
  readonly clusterName: string | undefined;
  /** As in 1.34, where it is known: images of some families depend on it. */
  readonly kubernetesVersion?: string;
  /** Whether what webhooks added to Provisioners is written out. It is unless this is false. */
  readonly webhookDefaults?: boolean;
  /** Gives every pool a node class of its own, which is called like the pool. */
  readonly nodeClassPerPool?: boolean;
}
