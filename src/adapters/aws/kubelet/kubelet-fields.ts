/** What a field may hold. */
export type Shape =
  | "bool"
  | "int32"
  | "uint32"
  | "int64"
  | "number"
  | "string"
  /** As Go writes it, such as 1h30m. */
  | "duration"
  | "duration or int64"
  | "quantity"
  /** A number, or an expression that gives one. */
  | "int32 or expression"
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Fields };

export type Fields = Readonly<Record<string, Shape>>;

function all(shape: Shape, names: string): Fields {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, shape]));
}

const cacheTimes = all("duration", "cacheAuthorizedTTL cacheUnauthorizedTTL");

const routing: Fields = { splitStream: "bool", infoBufferSize: "quantity" };

const logging: Fields = {
  format: "string",
  flushFrequency: "duration or int64",
  verbosity: "uint32",
  vmodule: { list: { fields: { filePattern: "string", verbosity: "uint32" } } },
  options: { fields: { text: { fields: routing }, json: { fields: routing } } },
};

/**
 * The fields of a KubeletConfiguration of kubelet.config.k8s.io/v1beta1, as of Kubernetes 1.36. `registerWithTaints`
 * is not among them: the taints of nodes are Karpenter's.
 */
export const kubeletFields: Fields = {
  ...all(
    "string",
    `kind apiVersion staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile tlsMinVersion
    imagePullCredentialsVerificationPolicy healthzBindAddress clusterDomain kubeletCgroups systemCgroups cgroupRoot
    cgroupDriver cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy topologyManagerScope hairpinMode podCIDR
    resolvConf contentType containerLogMaxSize configMapAndSecretChangeDetectionStrategy reservedSystemCPUs
    showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup volumePluginDir providerID
    memoryReservationPolicy containerRuntimeEndpoint imageServiceEndpoint`,
  ),
  ...all(
    "bool",
    `enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers enableContentionProfiling cgroupsPerQOS
    singleProcessOOMKill runOnce cpuCFSQuota serializeImagePulls mergeDefaultEvictionSettings
    enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification
    enableSystemLogHandler enableSystemLogQuery enableProfilingHandler enableDebugFlagsHandler seccompDefault
    registerNode localStorageCapacityIsolation failCgroupV1`,
  ),
  ...all(
    "int32",
    `port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort oomScoreAdj
    nodeLeaseDurationSeconds imageGCHighThresholdPercent imageGCLowThresholdPercent nodeStatusMaxImages kubeAPIQPS
    kubeAPIBurst maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore iptablesMasqueradeBit iptablesDropBit
    containerLogMaxFiles containerLogMaxWorkers`,
  ),
  ...all("int64", "podPidsLimit maxOpenFiles"),
  ...all(
    "duration",
    `syncFrequency fileCheckFrequency httpCheckFrequency streamingConnectionIdleTimeout nodeStatusUpdateFrequency
    nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge volumeStatsAggPeriod cpuManagerReconcilePeriod
    runtimeRequestTimeout cpuCFSQuotaPeriod evictionPressureTransitionPeriod containerLogMonitorInterval
    shutdownGracePeriod shutdownGracePeriodCriticalPods`,
  ),
  ...all(
    { list: "string" },
    "tlsCipherSuites clusterDNS enforceNodeAllocatable allowedUnsafeSysctls preloadedImagesVerificationAllowlist",
  ),
  ...all(
    { map: "string" },
    `cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard evictionSoft evictionSoftGracePeriod
    evictionMinimumReclaim systemReserved kubeReserved`,
  ),
  maxPods: "int32 or expression",
  memoryThrottlingFactor: "number",
  tlsCurvePreferences: { list: "int32" },
  staticPodURLHeader: { map: { list: "string" } },
  featureGates: { map: "bool" },
  authentication: {
    fields: {
      x509: { fields: { clientCAFile: "string" } },
      webhook: { fields: { enabled: "bool", cacheTTL: "duration" } },
      anonymous: { fields: { enabled: "bool" } },
    },
  },
  authorization: { fields: { mode: "string", webhook: { fields: cacheTimes } } },
  memorySwap: { fields: { swapBehavior: "string" } },
  logging: { fields: logging },
  shutdownGracePeriodByPodPriority: { list: { fields: { priority: "int32", shutdownGracePeriodSeconds: "int64" } } },
  crashLoopBackOff: { fields: { maxContainerRestartPeriod: "duration" } },
  reservedMemory: { list: { fields: { numaNode: "int32", limits: { map: "quantity" } } } },
  tracing: { fields: { endpoint: "string", samplingRatePerMillion: "int32" } },
  userNamespaces: { fields: { idsPerPod: "int64" } },
};
