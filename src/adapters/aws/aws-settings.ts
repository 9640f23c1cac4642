/** Settings of the AWS provider, read once. */
export interface AwsSettings {
  readonly clusterName: string;
  /** "" asks EKS. */
  readonly clusterEndpoint: string;
  /** Base64 of PEM; "" takes that of the client. */
  readonly clusterCaBundle: string;
  readonly isolatedVpc: boolean;
  /** Ask EKS, and not the API server, for the version of Kubernetes. */
  readonly eksControlPlane: boolean;
  readonly vmMemoryOverheadPercent: number;
  /** "" for none. */
  readonly interruptionQueue: string;
  readonly reservedEnis: number;
  readonly disableDryRun: boolean;
  readonly enableZonalShift: boolean;
  readonly amiRefreshMilliseconds: number;
  readonly subnetRefreshMilliseconds: number;
  readonly isReservedCapacityEnabled: boolean;
  readonly isNodeClassCelEnabled: boolean;
}

/** What is found out about the cluster when the provider starts. */
export interface ClusterFacts {
  readonly endpoint: string;
  /** Base64 of PEM, "" when nobody knows it. */
  readonly caBundle: string;
  /** The address of the DNS service, undefined when there is none that anybody knows. */
  readonly dnsAddress: string | undefined;
  /** As in "1.36"; asked again every few minutes. */
  readonly version: string;
  /** The addresses of services, as in "172.20.0.0/16"; undefined until a node class needs it. */
  readonly serviceCidr: string | undefined;
}
