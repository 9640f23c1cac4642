{{/* A term or constraint that says of no pods whom it is about is about the controller's own. */}}
{{- define "karpenter.withSelector" -}}
{{- $term := deepCopy .term -}}
{{- if not (hasKey $term "labelSelector") -}}
{{- $_ := set $term "labelSelector" (dict "matchLabels" (include "karpenter.selectorLabels" .root | fromYaml)) -}}
{{- end -}}
{{- toYaml $term -}}
{{- end -}}

{{/* Never on a node of its own, whatever else the values ask for: every term says so, as each is an alternative. */}}
{{- define "karpenter.nodeAffinity" -}}
{{- $elsewhere := dict "key" "karpenter.sh/nodepool" "operator" "DoesNotExist" -}}
{{- $terms := list -}}
{{- range (.requiredDuringSchedulingIgnoredDuringExecution | default dict).nodeSelectorTerms | default (list dict) -}}
{{- $expressions := .matchExpressions | default list -}}
{{- $terms = append $terms (merge dict (dict "matchExpressions" (has $elsewhere $expressions | ternary $expressions (append $expressions $elsewhere))) .) -}}
{{- end -}}
{{- merge dict (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms)) . | toYaml -}}
{{- end -}}

{{- define "karpenter.affinity" -}}
{{- $root := . -}}
{{- $affinity := deepCopy (.Values.affinity | default dict) -}}
{{- $_ := set $affinity "nodeAffinity" (include "karpenter.nodeAffinity" ($affinity.nodeAffinity | default dict) | fromYaml) -}}
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
