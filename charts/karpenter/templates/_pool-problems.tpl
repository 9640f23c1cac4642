{{/* The labels that machines of AWS have, in Karpenter's own domains: a test compares them with the code. */}}
{{- define "karpenter.machineLabels" -}}
- karpenter.k8s.aws/capacity-reservation-id
- karpenter.k8s.aws/capacity-reservation-interruptible
- karpenter.k8s.aws/capacity-reservation-type
- karpenter.k8s.aws/instance-accelerator-count
- karpenter.k8s.aws/instance-accelerator-manufacturer
- karpenter.k8s.aws/instance-accelerator-name
- karpenter.k8s.aws/instance-capability-flex
- karpenter.k8s.aws/instance-category
- karpenter.k8s.aws/instance-cpu
- karpenter.k8s.aws/instance-cpu-manufacturer
- karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz
- karpenter.k8s.aws/instance-ebs-bandwidth
- karpenter.k8s.aws/instance-encryption-in-transit-supported
- karpenter.k8s.aws/instance-family
- karpenter.k8s.aws/instance-generation
- karpenter.k8s.aws/instance-gpu-count
- karpenter.k8s.aws/instance-gpu-manufacturer
- karpenter.k8s.aws/instance-gpu-memory
- karpenter.k8s.aws/instance-gpu-name
- karpenter.k8s.aws/instance-hypervisor
- karpenter.k8s.aws/instance-local-nvme
- karpenter.k8s.aws/instance-memory
- karpenter.k8s.aws/instance-network-bandwidth
- karpenter.k8s.aws/instance-size
- karpenter.k8s.aws/instance-tenancy
- karpenter.k8s.aws/nitro-sandbox
- karpenter.k8s.aws/placement-group-id
- karpenter.k8s.aws/placement-group-partition
- topology.k8s.aws/zone-id
{{- end -}}

{{/* A key of a label or taint, as the API takes it. */}}
{{- define "karpenter.keyForm" -}}
^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$
{{- end -}}

{{/* What keeps a key from being one of a pool's labels or requirements; nothing when it can be. */}}
{{- define "karpenter.keyProblem" -}}
{{- $domain := contains "/" . | ternary (first (splitList "/" .)) "" -}}
{{- $known := include "karpenter.machineLabels" $ | fromYamlArray -}}
{{- if not (regexMatch (include "karpenter.keyForm" $) .) -}}
is no key of a label; write it as in team or example.com/team
{{- else if eq . "karpenter.sh/nodepool" -}}
is the pool itself, which every node says anyway; leave it out
{{- else if eq . "kubernetes.io/hostname" -}}
differs from node to node; leave it out
{{- else if and (regexMatch `(^|\.)karpenter\.sh$` $domain) (ne . "karpenter.sh/capacity-type") -}}
is in the domain of Karpenter; take one of your own, or karpenter.sh/capacity-type
{{- else if and (has $domain (list "karpenter.k8s.aws" "topology.k8s.aws")) (not (has . $known)) -}}
is no label of machines; there are {{ join ", " $known }}
{{- end -}}
{{- end -}}

{{- define "karpenter.limitProblems" -}}
{{- range $key, $value := .limits -}}
{{- if not (or (contains "/" $key) (hasPrefix "hugepages-" $key) (has $key (list "cpu" "memory" "nodes" "pods" "ephemeral-storage"))) }}
{{ $.at }}.limits.{{ $key }}: limits nothing; there are cpu, memory, nodes, pods, ephemeral-storage, and names with a domain such as nvidia.com/gpu
{{- end -}}
{{- $amount := include "karpenter.text" $value -}}
{{- if not (regexMatch `^([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$` $amount) }}
{{ $.at }}.limits.{{ $key }}: {{ quote $amount }} is no quantity; write it as in 100 or 400Gi
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "karpenter.labelProblems" -}}
{{- range $key, $value := .labels -}}
{{- with include "karpenter.keyProblem" $key }}
{{ $.at }}.labels: {{ $key }} {{ . }}
{{- end -}}
{{- $text := include "karpenter.text" $value -}}
{{- if not (regexMatch `^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$` $text) }}
{{ $.at }}.labels.{{ $key }}: {{ quote $text }} is no value of a label; write at most 63 letters, digits, dots, dashes and underscores
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "karpenter.requirementProblems" -}}
{{- range .requirements -}}
{{- $count := len (.values | default list) -}}
{{- $key := .key -}}
{{- with include "karpenter.keyProblem" $key }}
{{ $.at }}.requirements: {{ $key }} {{ . }}
{{- end -}}
{{- if and (has .operator (list "In" "NotIn")) (eq $count 0) }}
{{ $.at }}.requirements: {{ .key }} {{ .operator }} has no values; list at least one, or use Exists or DoesNotExist
{{- end -}}
{{- if and (has .operator (list "Exists" "DoesNotExist")) (gt $count 0) }}
{{ $.at }}.requirements: {{ .key }} {{ .operator }} heeds no values; leave them out, or use In or NotIn
{{- end -}}
{{- if and (has .operator (list "Gt" "Lt" "Gte" "Lte")) (not (and (eq $count 1) (regexMatch "^[0-9]{1,18}$" (first (.values | default (list "")))))) }}
{{ $.at }}.requirements: {{ .key }} {{ .operator }} compares numbers; give exactly one value, a whole number
{{- end -}}
{{- if and (eq .operator "In") .minValues (gt $count 0) (gt (int .minValues) $count) }}
{{ $.at }}.requirements: {{ .key }} In has fewer values than minValues asks for; list more, or lower minValues
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "karpenter.taintProblems" -}}
{{- range .taints -}}
{{- if not (regexMatch (include "karpenter.keyForm" $) .key) }}
{{ $.at }}.taints: {{ quote .key }} is no key of a taint; write it as in team or example.com/team
{{- end -}}
{{- if and .value (not (regexMatch (include "karpenter.keyForm" $) (include "karpenter.text" .value))) }}
{{ $.at }}.taints: {{ quote .value }} is no value of a taint; write at most 63 letters, digits, dots, dashes and underscores
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "karpenter.tagProblems" -}}
{{- range $key, $value := .tags -}}
{{- if or (eq $key "") (has $key (list "eks:eks-cluster-name" "karpenter.sh/nodepool" "karpenter.sh/nodeclaim" "karpenter.k8s.aws/ec2nodeclass" "karpenter.k8s.aws/ec2nodeclass-hash")) (hasPrefix "karpenter.k8s.aws/nodeclaims-" $key) (hasPrefix "kubernetes.io/cluster" $key) }}
{{ $.at }}.node_class.tags: {{ quote $key }} is set by Karpenter, which finds its machines by it; leave it out
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "karpenter.classProblems" -}}
{{- $at := printf "%s.node_class" .at -}}
{{- $class := .class -}}
{{- with $class.volumeSize -}}
{{- $size := include "karpenter.text" . -}}
{{- if not (regexMatch `^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G|([1-9]|[1-4][0-9]|5[0-8])Ti|([1-9]|[1-5][0-9]|6[0-4])T)$` $size) }}
{{ $at }}.volumeSize: {{ quote $size }} is no size of a volume; write it as in 100Gi
{{- end -}}
{{- end -}}
{{- range $class.extra_securitygroup_ids -}}
{{- if not (regexMatch "^sg-[0-9a-z]+$" .) }}
{{ $at }}.extra_securitygroup_ids: {{ quote . }} is no id of a security group; write it as in sg-0123456789abcdef0
{{- end -}}
{{- end -}}
{{- range $terms := list "subnetSelectorTerms" "securityGroupSelectorTerms" "amiSelectorTerms" -}}
{{- range $term := index $class $terms -}}
{{- range $alone := list "id" "alias" -}}
{{- if and (hasKey $term $alone) (gt (len $term) 1) }}
{{ $at }}.{{ $terms }}: {{ $alone }} says all; leave the rest out of that term, or write another term for it
{{- end -}}
{{- end -}}
{{- range $key, $value := $term.tags -}}
{{- if or (eq $key "") (eq (toString $value) "") }}
{{ $at }}.{{ $terms }}: a tag to select by has a key and a value; write * for any value
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $images := $class.amiSelectorTerms | default (list (dict "alias" "al2023@latest")) -}}
{{- $alias := (first $images).alias -}}
{{- if and (not $alias) (not $class.amiFamily) }}
{{ $at }}: has amiSelectorTerms without alias, which do not tell how the machine is to be set up; add amiFamily
{{- else if and $alias (gt (len $images) 1) }}
{{ $at }}.amiSelectorTerms: an alias chooses all images; make its term the only one
{{- else if and $alias $class.amiFamily (ne $class.amiFamily "Custom") (ne (lower $class.amiFamily) (first (splitList "@" $alias))) }}
{{ $at }}.amiFamily: is another than that of the alias {{ $alias }}; leave amiFamily out, or name an alias of {{ lower $class.amiFamily }}
{{- end -}}
{{- if and $class.role $class.instanceProfile }}
{{ $at }}: has both a role and an instanceProfile; keep the one that machines shall have
{{- end -}}
{{- end -}}

{{- define "karpenter.poolProblems" -}}
{{- $at := printf "karpenter.node_pools.%s" .name -}}
{{- $class := .pool.node_class | default dict -}}
{{- $requirements := include "karpenter.requirements" .pool | fromYamlArray -}}
{{- $parts := dict "at" $at "class" $class "requirements" $requirements "tags" $class.tags "limits" .pool.limits "labels" .pool.labels "taints" .pool.taints -}}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$" .name) }}
{{ $at }}: is no name for an object; write lower-case letters, digits and hyphens
{{- end -}}
{{- range list "limit" "label" "requirement" "taint" "tag" "class" -}}
{{- include (printf "karpenter.%sProblems" .) $parts -}}
{{- end -}}
{{- if $class.gpu_enabled -}}
{{- range $requirements -}}
{{- if and (eq .key "karpenter.k8s.aws/instance-category") (eq .operator "In") .values (not (or (has "g" .values) (has "p" .values))) }}
{{ $at }}.requirements: no machine of the categories {{ join ", " .values }} has a GPU, which gpu_enabled asks for; take the categories g and p, or gpu_enabled: false
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
