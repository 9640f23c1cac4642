{{/* Values of older charts, and what became of them. */}}
{{- define "karpenter.movedValues" -}}
clusterName: is now settings.clusterName
clusterEndpoint: is now settings.clusterEndpoint
controller.clusterName: is now settings.clusterName
controller.clusterEndpoint: is now settings.clusterEndpoint
controller.batchMaxDuration: is now settings.batchMaxDuration
controller.batchIdleDuration: is now settings.batchIdleDuration
controller.logLevel: is now logLevel
controller.replicas: is now replicas
controller.nodeSelector: is now nodeSelector
controller.tolerations: is now tolerations
controller.affinity: is now affinity
controller.outputPaths: is now logOutputPaths
controller.errorOutputPaths: is now logErrorOutputPaths
controller.logEncoding: has gone, the log is JSON; remove it
logEncoding: has gone, the log is JSON; remove it
logConfig.logLevel: is now logLevel
logConfig.outputPaths: is now logOutputPaths
logConfig.errorOutputPaths: is now logErrorOutputPaths
logConfig.enabled: has gone, settings of the log are variables; remove it
logConfig.logEncoding: has gone, the log is JSON; remove it
settings.aws.clusterName: is now settings.clusterName
settings.aws.clusterEndpoint: is now settings.clusterEndpoint
settings.aws.clusterCABundle: is now settings.clusterCABundle
settings.aws.isolatedVPC: is now settings.isolatedVPC
settings.aws.vmMemoryOverheadPercent: is now settings.vmMemoryOverheadPercent
settings.aws.interruptionQueueName: is now settings.interruptionQueue
settings.aws.reservedENIs: is now settings.reservedENIs
settings.aws.defaultInstanceProfile: has gone, name the profile in an EC2NodeClass (spec.instanceProfile)
settings.aws.enablePodENI: has gone, pod ENIs are always reckoned with; remove it
settings.aws.enableENILimitedPodDensity: has gone, set maxPods in an EC2NodeClass (spec.kubelet)
settings.aws.assumeRoleARN: has gone, give the service account a role
settings.aws.assumeRoleDuration: has gone, give the service account a role
settings.aws.tags: has gone, name the tags in an EC2NodeClass (spec.tags)
settings.assumeRoleARN: has gone, give the service account a role
settings.assumeRoleDuration: has gone, give the service account a role
settings.interruptionQueueName: is now settings.interruptionQueue
settings.featureGates.drift: has gone, drift is always heeded; remove it
settings.featureGates.driftEnabled: has gone, drift is always heeded; remove it
{{- end -}}

{{/* Of these, nothing is left: whatever else is below them is answered so. */}}
{{- define "karpenter.goneBranches" -}}
aws: has gone, name the profile in an EC2NodeClass (spec.instanceProfile); remove it
defaultProvisioner: has gone, describe pools in karpenter.node_pools
logConfig: is not known; what is left of logConfig is logLevel, logOutputPaths and logErrorOutputPaths
settings.aws: is not known; what is left of settings.aws is now right below settings
webhook: has gone, there is no webhook; remove it
{{- end -}}

{{/* Variables of older controllers, which nobody reads any more. */}}
{{- define "karpenter.movedVariables" -}}
ASSUME_ROLE_ARN: has gone, give the service account a role
AWS_DEFAULT_INSTANCE_PROFILE: has gone, name the profile in an EC2NodeClass (spec.instanceProfile)
AWS_ENABLE_POD_ENI: has gone, pod ENIs are always reckoned with; remove it
AWS_ENI_LIMITED_POD_DENSITY: has gone, set maxPods in an EC2NodeClass (spec.kubelet)
AWS_ISOLATED_VPC: is now settings.isolatedVPC
AWS_NODE_NAME_CONVENTION: has gone, nodes are called as AWS calls machines; remove it
DISABLE_WEBHOOK: has gone, there is no webhook; remove it
LEADER_ELECT: is now DISABLE_LEADER_ELECTION, with the opposite value
VM_MEMORY_OVERHEAD: is now settings.vmMemoryOverheadPercent
WEBHOOK_PORT: has gone, there is no webhook; remove it
{{- end -}}

{{/* What the values have at a path such as settings.aws.clusterName, as {found: …}. */}}
{{- define "karpenter.valueAt" -}}
{{- $found := .values -}}
{{- range splitList "." .path -}}
{{- $found = (and (kindIs "map" $found) (hasKey $found .)) | ternary (get (kindIs "map" $found | ternary $found dict) .) nil -}}
{{- end -}}
{{- toJson (dict "found" $found) -}}
{{- end -}}

{{- define "karpenter.movedProblems" -}}
{{- $moved := include "karpenter.movedValues" . | fromYaml -}}
{{- range $path, $advice := $moved -}}
{{- if not (kindIs "invalid" (include "karpenter.valueAt" (dict "values" $.Values "path" $path) | fromJson).found) }}
{{ $path }}: {{ $advice }}
{{- end -}}
{{- end -}}
{{- range $branch, $advice := include "karpenter.goneBranches" . | fromYaml -}}
{{- $found := (include "karpenter.valueAt" (dict "values" $.Values "path" $branch) | fromJson).found -}}
{{- if kindIs "map" $found -}}
{{- range $key, $value := $found -}}
{{- $path := printf "%s.%s" $branch $key -}}
{{- if not (or (kindIs "invalid" $value) (hasKey $moved $path)) }}
{{ $path }}: {{ $advice }}
{{- end -}}
{{- end -}}
{{- else if not (kindIs "invalid" $found) }}
{{ $branch }}: {{ $advice }}
{{- end -}}
{{- end -}}
{{- $variables := include "karpenter.movedVariables" . | fromYaml -}}
{{- range (.Values.controller).env -}}
{{- if hasKey $variables .name }}
controller.env: {{ .name }} {{ get $variables .name }}
{{- end -}}
{{- end -}}
{{- end -}}
