{{- define "karpenter.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* A release that is called after the chart does not repeat itself. */}}
{{- define "karpenter.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $made | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "karpenter.serviceAccountName" -}}
{{- $made := .Values.serviceAccount.create | ternary (include "karpenter.fullname" .) "default" -}}
{{- .Values.serviceAccount.name | default $made -}}
{{- end -}}

{{- define "karpenter.image" -}}
{{- $image := .Values.controller.image -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) -}}
{{- with $image.digest }}@{{ . }}{{ end -}}
{{- end -}}

{{- define "karpenter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "karpenter.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "karpenter.labels" -}}
{{ include "karpenter.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The fields below metadata that all objects have but the name. Takes the root, and annotations besides the common. */}}
{{- define "karpenter.metadata" -}}
labels:
  {{- include "karpenter.labels" .root | nindent 2 }}
{{- with merge dict (.annotations | default dict) (.root.Values.additionalAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The subject of every binding. */}}
{{- define "karpenter.subjects" -}}
- kind: ServiceAccount
  name: {{ include "karpenter.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* What controller.env says of a variable, or the default. */}}
{{- define "karpenter.variable" -}}
{{- $value := .default -}}
{{- range .root.Values.controller.env -}}
{{- if and (eq .name $.name) .value -}}{{- $value = .value -}}{{- end -}}
{{- end -}}
{{- $value -}}
{{- end -}}

{{- define "karpenter.leaseName" -}}
{{- include "karpenter.variable" (dict "root" . "name" "LEADER_ELECTION_NAME" "default" "karpenter-leader-election") -}}
{{- end -}}

{{- define "karpenter.leaseNamespace" -}}
{{- include "karpenter.variable" (dict "root" . "name" "LEADER_ELECTION_NAMESPACE" "default" .Release.Namespace) -}}
{{- end -}}
