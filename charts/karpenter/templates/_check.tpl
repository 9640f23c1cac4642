{{/* Values of older charts, and what became of them. */}}
{{- define "karpenter.movedValues" -}}
clusterName: is now settings.clusterName
clusterEndpoint: is now settings.clusterEndpoint
controller.clusterName: is now settings.clusterName
controller.clusterEndpoint: is now settings.clusterEndpoint
controller.batchMaxDuration: is now settings.batchMaxDuration
controller.batchIdleDuration: is now settings.batchIdleDuration
controller.logLevel: is now logLevel
controller.outputPaths: is now logOutputPaths
controller.errorOutputPaths: is now logErrorOutputPaths
controller.logEncoding: has gone, the log is JSON; remove it
logEncoding: has gone, the log is JSON; remove it
logConfig.logLevel: is now logLevel
logConfig.outputPaths: is now logOutputPaths
logConfig.errorOutputPaths: is now logErrorOutputPaths
logConfig.enabled: has gone, settings of the log are variables; remove it
logConfig.logEncoding: has gone, the log is JSON; remove it
aws.defaultInstanceProfile: has gone, name the profile in an EC2NodeClass (spec.instanceProfile)
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
webhook.enabled: has gone, there is no webhook; remove it
webhook.logLevel: has gone, there is no webhook; remove it
webhook.port: has gone, there is no webhook; remove it
defaultProvisioner.create: has gone, describe pools in karpenter.node_pools
{{- end -}}

{{/* Whether the values have something at a path such as settings.aws.clusterName. */}}
{{- define "karpenter.hasValue" -}}
{{- $found := .values -}}
{{- range splitList "." .path -}}
{{- $found = (and (kindIs "map" $found) (hasKey $found .)) | ternary (get (kindIs "map" $found | ternary $found dict) .) nil -}}
{{- end -}}
{{- if not (kindIs "invalid" $found) -}}true{{- end -}}
{{- end -}}

{{/* What settings must look like once templates in them are rendered, and how to say it. */}}
{{- define "karpenter.forms" -}}
- form: ^([0-9]+([.][0-9]+)?(ns|us|ms|s|m|h))+$
  words: is no duration; write it as in 10s, 1m30s or 500ms
  settings: [batchMaxDuration, batchIdleDuration, amiRefreshInterval, subnetRefreshInterval]
- form: ^(true|false)$
  words: is neither true nor false
  settings: [isolatedVPC, eksControlPlane, enableZonalShift, disableDryRun, ignoreDRARequests, disableClusterStateObservability, enableProfiling]
- form: ^[0-9]{1,6}%$
  words: is no percentage; write it as in 20%
  settings: [nodeRepairMaxUnhealthy, mostPodMovesPerHour]
- form: ^[0-9]+$
  words: is no whole number
  settings: [reservedENIs, kubeClientQPS, kubeClientBurst]
- form: ^(0?[.][0-9]+|0)$
  words: is no share of one; write 7.5 percent as 0.075
  settings: [vmMemoryOverheadPercent]
- form: ^https?://.
  words: is no URL; write it as in https://example.eks.amazonaws.com
  settings: [clusterEndpoint]
{{- end -}}

{{- define "karpenter.settingProblems" -}}
{{- $root := . -}}
{{- range include "karpenter.forms" . | fromYamlArray -}}
{{- $form := . -}}
{{- range .settings -}}
{{- $value := tpl (include "karpenter.text" (index $root.Values.settings . | default "")) $root -}}
{{- if and $value (not (regexMatch $form.form $value)) }}
settings.{{ . }}: {{ $value | quote }} {{ $form.words }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $of, $gates := dict "featureGates" .Values.settings.featureGates "awsFeatureGates" .Values.settings.awsFeatureGates -}}
{{- range $gate, $value := $gates -}}
{{- if and (not (hasPrefix "drift" $gate)) (not (has (toString $value) (list "true" "false"))) }}
settings.{{ $of }}.{{ $gate }}: {{ toString $value | quote }} is neither true nor false
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "karpenter.poolProblems" -}}
{{- $class := .pool.node_class | default dict -}}
{{- $at := printf "karpenter.node_pools.%s" .name -}}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$" .name) }}
{{ $at }}: is no name for an object; write lower-case letters, digits and hyphens
{{- end -}}
{{- with $class.volumeSize -}}
{{- $size := include "karpenter.text" . -}}
{{- if not (regexMatch "^[0-9]+(G|Gi|T|Ti)$" $size) }}
{{ $at }}.node_class.volumeSize: {{ quote $size }} is no size of a volume; write it as in 100Gi
{{- end -}}
{{- end -}}
{{- range $class.extra_securitygroup_ids -}}
{{- if not (regexMatch "^sg-[0-9a-z]+$" .) }}
{{ $at }}.node_class.extra_securitygroup_ids: {{ quote . }} is no id of a security group; write it as in sg-0123456789abcdef0
{{- end -}}
{{- end -}}
{{- if and $class.amiSelectorTerms (not $class.amiFamily) (not (first $class.amiSelectorTerms).alias) }}
{{ $at }}.node_class: has amiSelectorTerms without alias, which do not tell how the machine is to be set up; add amiFamily
{{- end -}}
{{- if and $class.role $class.instanceProfile }}
{{ $at }}.node_class: has both a role and an instanceProfile; keep the one that machines shall have
{{- end -}}
{{- if $class.gpu_enabled -}}
{{- range (include "karpenter.requirements" .pool | fromYamlArray) -}}
{{- if and (eq .key "karpenter.k8s.aws/instance-category") (eq .operator "In") (not (or (has "g" .values) (has "p" .values))) }}
{{ $at }}.requirements: no machine of the categories {{ join ", " .values }} has a GPU, which gpu_enabled asks for; take the categories g and p, or gpu_enabled: false
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fails with everything that the schema lets pass and that would not work, each with its path and what to do. */}}
{{- define "karpenter.check" -}}
{{- $problems := list -}}
{{- range $path, $advice := include "karpenter.movedValues" . | fromYaml -}}
{{- if include "karpenter.hasValue" (dict "values" $.Values "path" $path) -}}
{{- $problems = append $problems (printf "%s: %s" $path $advice) -}}
{{- end -}}
{{- end -}}
{{- $problems = concat $problems (splitList "\n" (include "karpenter.settingProblems" . | trim) | compact) -}}
{{- range $key, $value := .Values.serviceAccount.annotations -}}
{{- if kindIs "map" $value -}}
{{- $problems = append $problems (printf "serviceAccount.annotations: the dots of a key have been taken for levels, at %s; on a command line write --set 'serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=ARN'" $key) -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.settings.cloudProvider "aws" -}}
{{- if not (include "karpenter.clusterName" .) -}}
{{- $problems = append $problems "settings.clusterName: is missing; name the EKS cluster, as in --set settings.clusterName=my-cluster" -}}
{{- end -}}
{{- else if .Values.karpenter.node_pools -}}
{{- $problems = append $problems (printf "karpenter.node_pools: describes machines of AWS, and settings.cloudProvider is %s; apply NodePools of your own" .Values.settings.cloudProvider) -}}
{{- end -}}
{{- range $name, $pool := .Values.karpenter.node_pools -}}
{{- $found := include "karpenter.poolProblems" (dict "name" $name "pool" ($pool | default dict)) | trim -}}
{{- $problems = concat $problems (splitList "\n" $found | compact) -}}
{{- end -}}
{{- if $problems -}}{{- fail (printf "\n  %s\n" (join "\n  " $problems)) -}}{{- end -}}
{{- end -}}
