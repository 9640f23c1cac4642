{{/* A term or constraint that says of no pods whom it is about is about the controller's own. */}}
{{- define "karpenter.withSelector" -}}
{{- $term := deepCopy .term -}}
{{- if not (hasKey $term "labelSelector") -}}
{{- $_ := set $term "labelSelector" (dict "matchLabels" (include "karpenter.selectorLabels" .root | fromYaml)) -}}
{{- end -}}
{{- toYaml $term -}}
{{- end -}}

{{- define "karpenter.affinity" -}}
{{- $root := . -}}
{{- $affinity := deepCopy .Values.affinity -}}
{{- range $kind := list "podAffinity" "podAntiAffinity" -}}
{{- with index $affinity $kind -}}
{{- $required := list -}}
{{- range .requiredDuringSchedulingIgnoredDuringExecution -}}
{{- $required = append $required (include "karpenter.withSelector" (dict "root" $root "term" .) | fromYaml) -}}
{{- end -}}
{{- if $required -}}{{- $_ := set . "requiredDuringSchedulingIgnoredDuringExecution" $required -}}{{- end -}}
{{- range .preferredDuringSchedulingIgnoredDuringExecution -}}
{{- $_ := set . "podAffinityTerm" (include "karpenter.withSelector" (dict "root" $root "term" .podAffinityTerm) | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $affinity -}}
{{- end -}}

{{- define "karpenter.spread" -}}
{{- $root := . -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $constraints = append $constraints (include "karpenter.withSelector" (dict "root" $root "term" .) | fromYaml) -}}
{{- end -}}
{{- toYaml $constraints -}}
{{- end -}}
