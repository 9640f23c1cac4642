{{/* The variable of each setting; docs/settings.md tells what it does. */}}
{{- define "karpenter.variables" -}}
cloudProvider: CLOUD_PROVIDER
clusterName: CLUSTER_NAME
clusterEndpoint: CLUSTER_ENDPOINT
clusterCABundle: CLUSTER_CA_BUNDLE
interruptionQueue: INTERRUPTION_QUEUE
isolatedVPC: ISOLATED_VPC
eksControlPlane: EKS_CONTROL_PLANE
vmMemoryOverheadPercent: VM_MEMORY_OVERHEAD_PERCENT
reservedENIs: RESERVED_ENIS
enableZonalShift: ENABLE_ZONAL_SHIFT
disableDryRun: DISABLE_DRY_RUN
amiRefreshInterval: AMI_REFRESH_INTERVAL
subnetRefreshInterval: SUBNET_REFRESH_INTERVAL
batchMaxDuration: BATCH_MAX_DURATION
batchIdleDuration: BATCH_IDLE_DURATION
preferencePolicy: PREFERENCE_POLICY
minValuesPolicy: MIN_VALUES_POLICY
ignoreDRARequests: IGNORE_DRA_REQUESTS
disableClusterStateObservability: DISABLE_CLUSTER_STATE_OBSERVABILITY
placementPolicy: PLACEMENT_POLICY
lookAhead: LOOK_AHEAD
lookAheadMaxPods: LOOK_AHEAD_MAX_PODS
nodeRepairMaxUnhealthy: NODE_REPAIR_MAX_UNHEALTHY
nodeRepairAfter: NODE_REPAIR_AFTER
mostPodMovesPerHour: MOST_POD_MOVES_PER_HOUR
schedulerConfig: SCHEDULER_CONFIG
kubeClientQPS: KUBE_CLIENT_QPS
kubeClientBurst: KUBE_CLIENT_BURST
enableProfiling: ENABLE_PROFILING
{{- end -}}

{{/* Names of gates begin with a capital in the variable. */}}
{{- define "karpenter.gates" -}}
{{- $gates := list -}}
{{- range $name, $isOn := . -}}
{{- $gates = append $gates (printf "%s%s=%v" (upper (trunc 1 $name)) (trunc (sub 1 (len $name) | int) $name) $isOn) -}}
{{- end -}}
{{- join "," $gates -}}
{{- end -}}

{{/* Numbers of a file of values are floating: a million would be written as 1e+06. */}}
{{- define "karpenter.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{- printf "%.0f" . -}}{{- else -}}{{- toString . -}}{{- end -}}
{{- end -}}

{{/* The variables but those that controller.env has. */}}
{{- define "karpenter.environment" -}}
{{- $root := . -}}
{{- $environment := dict
  "LOG_LEVEL" .Values.logLevel
  "LOG_OUTPUT_PATHS" (join "," .Values.logOutputPaths)
  "LOG_ERROR_OUTPUT_PATHS" (join "," .Values.logErrorOutputPaths)
  "METRICS_PORT" (include "karpenter.text" .Values.controller.metrics.port)
  "HEALTH_PROBE_PORT" (include "karpenter.text" .Values.controller.healthProbe.port)
  "FEATURE_GATES" (include "karpenter.gates" .Values.settings.featureGates)
  "AWS_FEATURE_GATES" (include "karpenter.gates" .Values.settings.awsFeatureGates)
-}}
{{- range $setting, $variable := include "karpenter.variables" . | fromYaml -}}
{{- $value := index $root.Values.settings $setting -}}
{{- /* In a file of values, Off without quotes is false. */ -}}
{{- if and (eq $setting "lookAhead") (kindIs "bool" $value) -}}{{- $value = ternary "Workloads" "Off" $value -}}{{- end -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $environment $variable (tpl (include "karpenter.text" $value) $root) -}}
{{- end -}}
{{- end -}}
{{- $given := list -}}
{{- range .Values.controller.env -}}{{- $given = append $given .name -}}{{- end -}}
{{- if not (has "SYSTEM_NAMESPACE" $given) }}
- name: SYSTEM_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- end -}}
{{- range $name, $value := $environment -}}
{{- if and (ne $value "") (not (has $name $given)) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end -}}
{{- end -}}
{{- end -}}
