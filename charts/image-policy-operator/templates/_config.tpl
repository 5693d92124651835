{{/* ipo.config is the file of settings that the service reads (docs/settings.md); what is secret comes by the environment. */}}
{{- define "ipo.config" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- $fullname := include "ipo.fullname" . -}}
{{- $own := eq $v.webhook.certificates.source "own" -}}
data: /var/lib/ipo
listen: {{ printf "%s:%d" $v.listenAddress (int $v.api.port) | quote }}
publicUrl: {{ include "ipo.publicUrl" . | quote }}
{{- if $v.api.tls.existingSecret }}
tls:
  certFile: /etc/ipo/api-tls/tls.crt
  keyFile: /etc/ipo/api-tls/tls.key
{{- end }}
{{- with $v.api.trustedProxies }}
trustedProxies: {{ toJson . }}
{{- end }}
{{- with $v.clusterName }}
clusterName: {{ . | quote }}
{{- end }}
database:
  startEmpty: {{ $v.database.startEmpty }}
  {{- if $v.database.existingSecret }}
  poolSize: {{ int $v.database.poolSize }}
  {{- end }}
webhook:
  listen: {{ printf "%s:%d" $v.listenAddress (int $v.webhook.port) | quote }}
  coldImagePolicy: {{ $v.webhook.coldImagePolicy }}
  failurePolicy: {{ $v.webhook.failurePolicy }}
  excludedNamespaces: {{ toJson $v.webhook.excludedNamespaces }}
  namespaceSelector: {{ toJson $v.webhook.namespaceSelector }}
  certificates:
    source: {{ ternary "own" "files" $own }}
    {{- if $own }}
    secret: {{ include "ipo.webhookSecret" . }}
    service: {{ $fullname }}-webhook
    configuration: {{ include "ipo.webhookConfiguration" . }}
    {{- else }}
    certFile: /etc/ipo/webhook-tls/tls.crt
    keyFile: /etc/ipo/webhook-tls/tls.key
    {{- end }}
  callers:
    secret: {{ include "ipo.pathSecret" . }}
    configuration: {{ include "ipo.webhookConfiguration" . }}
    {{- with $v.webhook.callers.caConfigMap }}
    clientCaFile: /etc/ipo/webhook-client-ca/ca.crt
    clientNames: {{ toJson $v.webhook.callers.names }}
    {{- end }}
cluster:
  namespace: {{ .Release.Namespace }}
  leaseName: {{ $fullname }}-leader
  trivyOperator: {{ $v.scanner.trivyOperator }}
  policyReports: {{ quote (ternary "off" $v.reports.policyReports (eq $v.reports.policyReports "none")) }}
reconcile:
  interval: {{ $v.reconcile.interval }}
  allowEnforce: {{ $v.rbac.allowEnforce }}
nodes:
  pollInterval: {{ $v.nodes.pollInterval }}
  graceDays: {{ int $v.nodes.graceDays }}
licence:
  publicKeys: {{ toJson $v.licence.publicKeys }}
  {{- with $v.licence.url }}
  url: {{ . | quote }}
  {{- end }}
evidence:
  retentionDays: {{ int $v.evidence.retentionDays }}
  keyFile: /etc/ipo/evidence-key/evidence-key.pem
  frameworks: {{ toJson $v.evidence.frameworks }}
  {{- with $v.evidence.timestampUrl }}
  timestampUrl: {{ . | quote }}
  {{- end }}
  {{- with $v.evidence.organisation }}
  organisation: {{ . | quote }}
  {{- end }}
  {{- with $v.evidence.contact }}
  contact: {{ . | quote }}
  {{- end }}
runtime:
  retentionDays: {{ int $v.runtime.retentionDays }}
  maxStops: {{ int $v.runtime.maxStops }}
integrations:
  port: {{ int $v.integrations.port }}
  detector:
    enabled: {{ $v.integrations.detector.enabled }}
    {{- if $v.integrations.detector.enabled }}
    secret: {{ include "ipo.detectorSecret" . }}
    service: {{ $fullname }}-detector
    names: {{ toJson $v.integrations.detector.names }}
    {{- end }}
{{- if $v.backup.schedule }}
backup:
  schedule: {{ $v.backup.schedule }}
  {{- if $v.backup.existingClaim }}
  directory: /var/backups/ipo
  {{- end }}
  {{- with $v.backup.registry }}
  registry: {{ . }}
  {{- end }}
  keep: {{ int $v.backup.keep }}
{{- end }}
ledger:
  {{- with $v.ledger.origin }}
  origin: {{ . | quote }}
  {{- end }}
  keyFile: /etc/ipo/ledger-key/ledger-key.pem
  checkpointInterval: {{ $v.ledger.checkpointInterval }}
  {{- if $v.ledger.configMap }}
  anchors:
    - kind: configMap
      name: {{ include "ipo.checkpointConfigMap" . }}
      namespace: {{ .Release.Namespace }}
  {{- end }}
{{- with $v.api.oidc }}
{{- if .issuer }}
oidc:
  issuer: {{ .issuer | quote }}
  clientId: {{ .clientId | quote }}
  trustEmail: {{ .trustEmail }}
  roles:
    {{- with .rolesClaim }}
    claim: {{ . | quote }}
    {{- end }}
    values: {{ toJson .roles }}
    {{- with .standardRole }}
    standard: {{ . }}
    {{- end }}
{{- end }}
{{- end }}
outbound:
  {{- with $v.outbound.proxy }}
  proxy: {{ . | quote }}
  {{- end }}
  noProxy: {{ toJson $v.outbound.noProxy }}
  {{- if $v.outbound.caConfigMap }}
  caFile: /etc/ipo/outbound-ca/ca.crt
  {{- end }}
trackers:
  allowedHosts: {{ toJson $v.trackers.allowedHosts }}
  privateNetworks: {{ $v.trackers.privateNetworks }}
kev:
  source: {{ $v.kev.source | quote }}
endOfLife:
  source: {{ $v.endOfLife.source | quote }}
scanner:
  kind: {{ quote $v.scanner.kind }}
  directory: /var/cache/ipo
  {{- with $v.scanner.server }}
  server: {{ . | quote }}
  {{- end }}
  atOnce: {{ int $v.scanner.atOnce }}
  timeout: {{ $v.scanner.timeout }}
  platform: {{ $v.scanner.platform | quote }}
  memory: {{ int $v.scanner.memory }}
  rescanAfter: {{ $v.scanner.rescanAfter }}
  {{- with $v.scanner.databaseRepository }}
  databaseRepository: {{ . | quote }}
  {{- end }}
  {{- with $v.scanner.javaDatabaseRepository }}
  javaDatabaseRepository: {{ . | quote }}
  {{- end }}
  update: {{ $v.scanner.update }}
registries:
  tags: {{ $v.registries.tags }}
  proofs: {{ $v.registries.proofs }}
  podSecrets: {{ $v.registries.podSecrets }}
  {{- if $v.registries.existingSecret }}
  dockerConfigFile: /etc/ipo/registry/.dockerconfigjson
  {{- end }}
  {{- if $v.registries.caConfigMap }}
  caFile: /etc/ipo/registry-ca/ca.crt
  {{- end }}
  hosts: {{ toJson $v.registries.hosts }}
sigstore:
  trustRoot: {{ $v.sigstore.trustRoot | quote }}
  keyedLog: {{ $v.sigstore.keyedLog }}
vex:
  sources: {{ toJson $v.vex.sources }}
whatif:
  timeLimit: {{ $v.whatif.timeLimit }}
  memory: {{ int $v.whatif.memory }}
log:
  level: {{ $v.log.level }}
  format: json
{{- end -}}

{{/* The configuration of the webhook is of the whole cluster, so its name carries the namespace. */}}
{{- define "ipo.webhookConfiguration" -}}
{{- printf "%s.%s" (include "ipo.fullname" .) .Release.Namespace -}}
{{- end -}}
