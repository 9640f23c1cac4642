{{/* What controller.env says beats the setting, here as in the controller. */}}
{{- define "karpenter.clusterName" -}}
{{- include "karpenter.variable" (dict "root" . "name" "CLUSTER_NAME" "default" (tpl (.Values.settings.clusterName | default "") .)) -}}
{{- end -}}

{{/* Labels, tags and annotations are text, whatever YAML takes them for. */}}
{{- define "karpenter.texts" -}}
{{- $texts := dict -}}
{{- range $key, $value := . -}}{{- $_ := set $texts $key (include "karpenter.text" $value) -}}{{- end -}}
{{- toYaml $texts -}}
{{- end -}}

{{/* The entries of a list, or of a map, whose names are only there for other files of values to refer to. */}}
{{- define "karpenter.requirementEntries" -}}
{{- $entries := list -}}
{{- range .requirements -}}{{- if . -}}{{- $entries = append $entries . -}}{{- end -}}{{- end -}}
{{- toYaml (dict "entries" $entries) -}}
{{- end -}}

{{/* Requirements as the API has them: values are text, and categories of machines are lower-case letters. */}}
{{- define "karpenter.requirements" -}}
{{- $requirements := list -}}
{{- range (include "karpenter.requirementEntries" . | fromYaml).entries -}}
{{- $requirement := dict "key" .key "operator" .operator -}}
{{- $isCategory := eq .key "karpenter.k8s.aws/instance-category" -}}
{{- $values := list -}}
{{- range .values -}}
{{- $value := include "karpenter.text" . -}}
{{- $values = append $values ($isCategory | ternary (lower $value) $value) -}}
{{- end -}}
{{- if $values -}}{{- $_ := set $requirement "values" ($isCategory | ternary (uniq $values) $values) -}}{{- end -}}
{{- if .minValues -}}{{- $_ := set $requirement "minValues" (int .minValues) -}}{{- end -}}
{{- $requirements = append $requirements $requirement -}}
{{- end -}}
{{- if (.node_class | default dict).gpu_enabled -}}
{{- $nvidia := dict "key" "karpenter.k8s.aws/instance-gpu-manufacturer" "operator" "In" "values" (list "nvidia") -}}
{{- $requirements = append $requirements $nvidia -}}
{{- end -}}
{{- toYaml $requirements -}}
{{- end -}}

{{/* The volumes of an image's family, of which the one that pods fill has the size. */}}
{{- define "karpenter.volumes" -}}
{{- $disk := dict "volumeType" "gp3" "encrypted" true "deleteOnTermination" true -}}
{{- $sized := merge dict $disk (dict "volumeSize" (include "karpenter.text" .size)) -}}
{{- if eq .family "bottlerocket" -}}
- deviceName: /dev/xvda
  ebs:
    {{- merge dict $disk (dict "volumeSize" "4Gi") | toYaml | nindent 4 }}
{{ end -}}
- deviceName: {{ eq .family "bottlerocket" | ternary "/dev/xvdb" (hasPrefix "windows" .family | ternary "/dev/sda1" "/dev/xvda") }}
  rootVolume: true
  ebs:
    {{- toYaml $sized | nindent 4 }}
{{- end -}}

{{/* Pools that the release made and the values have no more: helm keeps them, so somebody has to be told. */}}
{{- define "karpenter.leftPools" -}}
{{- $left := list -}}
{{- if .Capabilities.APIVersions.Has "karpenter.sh/v1/NodePool" -}}
{{- range (lookup "karpenter.sh/v1" "NodePool" "" "").items -}}
{{- $isOurs := and (eq (get (.metadata.annotations | default dict) "meta.helm.sh/release-name") $.Release.Name) (eq (get (.metadata.annotations | default dict) "meta.helm.sh/release-namespace") $.Release.Namespace) -}}
{{- if and $isOurs (not (kindIs "map" (get ($.Values.karpenter.node_pools | default dict) .metadata.name))) -}}
{{- $left = append $left .metadata.name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $left -}}
{{- end -}}
