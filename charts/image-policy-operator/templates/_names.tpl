{{/*
ipo.values gives the values with every default filled in that they lack: `helm upgrade --reuse-values` brings the values of the
release as an earlier chart had them. Read as `include "ipo.values" . | fromYaml`; templates use nothing else of .Values.
*/}}
{{- define "ipo.values" -}}
{{- $values := deepCopy .Values -}}
{{- $_ := include "ipo.fill" (dict "values" $values "defaults" (.Files.Get "files/defaults.yaml" | fromYaml)) -}}
{{- toYaml $values -}}
{{- end -}}

{{/* Maps that are one value: what a user wrote there is all there is. */}}
{{- define "ipo.fill" -}}
{{- $values := .values -}}
{{- range $key, $default := .defaults -}}
{{- if or (not (hasKey $values $key)) (kindIs "invalid" (get $values $key)) -}}
{{- $_ := set $values $key $default -}}
{{- else if and (kindIs "map" $default) (not (has $key (list "resources" "labels"))) -}}
{{- $_ := include "ipo.fill" (dict "values" (get $values $key) "defaults" $default) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* ipo.fullname is at most 50 characters, so that what is added fits into names and labels. */}}
{{- define "ipo.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "ipo.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "ipo.labels" -}}
{{ include "ipo.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with (include "ipo.values" . | fromYaml).commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* ipo.pod selects the service's own pods, and not that of the chart's test. */}}
{{- define "ipo.pod" -}}
{{ include "ipo.selector" . }}
app.kubernetes.io/component: service
{{- end -}}

{{- define "ipo.serviceAccount" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- if $v.serviceAccount.create -}}
{{- $v.serviceAccount.name | default (include "ipo.fullname" .) -}}
{{- else -}}
{{- $v.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* Names that are made from the release, as earlier releases made them. */}}
{{- define "ipo.dataKeySecret" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- $v.api.dataKey.existingSecret | default (printf "%s-data-key" .Release.Name) -}}
{{- end -}}

{{- define "ipo.ledgerKeySecret" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- $v.ledger.existingSecret | default (printf "%s-ledger-key" .Release.Name) -}}
{{- end -}}

{{- define "ipo.evidenceKeySecret" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- $v.evidence.existingSecret | default (printf "%s-evidence-key" .Release.Name) -}}
{{- end -}}

{{/* ipo.webhookSecret holds the serving certificate: made by the leader, by cert-manager, or given. */}}
{{- define "ipo.webhookSecret" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- if eq $v.webhook.certificates.source "existing" -}}
{{- $v.webhook.certificates.existingSecret -}}
{{- else -}}
{{- printf "%s-webhook-tls" .Release.Name -}}
{{- end -}}
{{- end -}}

{{/* ipo.pathSecret holds the path by which the API server calls the webhook: with the certificate where the leader makes that. */}}
{{- define "ipo.pathSecret" -}}
{{- if eq (include "ipo.values" . | fromYaml).webhook.certificates.source "own" -}}
{{- include "ipo.webhookSecret" . -}}
{{- else -}}
{{- printf "%s-webhook-path" .Release.Name -}}
{{- end -}}
{{- end -}}

{{/* ipo.detectorSecret holds the certificates of the runtime detector and of its listener, which the leader makes. */}}
{{- define "ipo.detectorSecret" -}}
{{- printf "%s-detector-mtls" .Release.Name -}}
{{- end -}}

{{- define "ipo.checkpointConfigMap" -}}
{{- printf "%s-checkpoint" .Release.Name -}}
{{- end -}}

{{- define "ipo.image" -}}
{{- $image := (include "ipo.values" . | fromYaml).image -}}
{{- $repository := ternary $image.repository (printf "%s/%s" $image.registry $image.repository) (empty $image.registry) -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* ipo.publicUrl is the address by which people reach the API. */}}
{{- define "ipo.publicUrl" -}}
{{- $api := (include "ipo.values" . | fromYaml).api -}}
{{- if $api.publicUrl -}}
{{- $api.publicUrl -}}
{{- else if and $api.ingress.enabled $api.ingress.host -}}
{{- printf "https://%s" $api.ingress.host -}}
{{- else if $api.tls.existingSecret -}}
https://localhost:8080
{{- else -}}
http://localhost:8080
{{- end -}}
{{- end -}}

{{/* The restricted profile of Pod Security, for every container of the chart. */}}
{{- define "ipo.containerSecurity" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
privileged: false
readOnlyRootFilesystem: true
runAsGroup: 65532
runAsNonRoot: true
runAsUser: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}
