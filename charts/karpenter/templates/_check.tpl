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
  settings: [reservedENIs, lookAheadMaxPods, kubeClientQPS, kubeClientBurst]
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
{{- range $of, $gates := dict "featureGates" (.Values.settings.featureGates | default dict) "awsFeatureGates" (.Values.settings.awsFeatureGates | default dict) -}}
{{- range $gate, $value := $gates -}}
{{- if and (not (hasPrefix "drift" $gate)) (not (has (toString $value) (list "true" "false"))) }}
settings.{{ $of }}.{{ $gate }}: {{ toString $value | quote }} is neither true nor false
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Keys of annotations, as articles write them on command lines, and what helm makes of that. */}}
{{- define "karpenter.annotationProblems" -}}
{{- $form := `on a command line write --set 'serviceAccount.annotations.eks\.amazonaws\.com/role-arn=ARN'` -}}
{{- range $key, $value := .Values.serviceAccount.annotations -}}
{{- if kindIs "map" $value }}
serviceAccount.annotations: the dots of a key have been taken for levels, at {{ $key }}; {{ $form }}
{{- else if regexMatch `["'\\]` $key }}
serviceAccount.annotations: quotes or backslashes have become part of the key {{ $key }}; {{ $form }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The image of somebody else, in a file of values that came from there. */}}
{{- define "karpenter.imageProblems" -}}
{{- if kindIs "string" .Values.controller.image }}
controller.image: is a text, as in older charts, which name the Go controller; take it out, or write repository, tag and digest of an image of this one
{{- else if regexMatch `^public\.ecr\.aws/karpenter/` .Values.controller.image.repository }}
controller.image.repository: {{ .Values.controller.image.repository }} has the Go controller; take repository, tag and digest out of your values, or name an image of this one
{{- end -}}
{{- end -}}

{{- define "karpenter.clusterProblems" -}}
{{- if ne .Values.settings.cloudProvider "aws" -}}
{{- if .Values.karpenter.node_pools }}
karpenter.node_pools: describes machines of AWS, and settings.cloudProvider is {{ .Values.settings.cloudProvider }}; apply NodePools of your own
{{- end -}}
{{- else if not (include "karpenter.clusterName" .) }}
settings.clusterName: is missing; name the EKS cluster, as in --set settings.clusterName=my-cluster
{{- end -}}
{{- end -}}

{{/* Fails with everything that the schema lets pass and that would not work, each with its path and what to do. */}}
{{- define "karpenter.check" -}}
{{- $root := . -}}
{{- $problems := list -}}
{{- range list "moved" "setting" "annotation" "image" "cluster" -}}
{{- $problems = concat $problems (splitList "\n" (include (printf "karpenter.%sProblems" .) $root | trim) | compact) -}}
{{- end -}}
{{- range $name, $pool := .Values.karpenter.node_pools -}}
{{- $found := include "karpenter.poolProblems" (dict "name" $name "pool" ($pool | default dict)) | trim -}}
{{- $problems = concat $problems (splitList "\n" $found | compact) -}}
{{- end -}}
{{- if $problems -}}{{- fail (printf "\n  %s\n" (join "\n  " $problems)) -}}{{- end -}}
{{- end -}}
