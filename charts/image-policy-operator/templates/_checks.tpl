{{/* ipo.checks refuses values that are right each by itself and wrong together, in a sentence that says what to do. */}}
{{- define "ipo.checks" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
{{- $certificates := $v.webhook.certificates -}}
{{- if and (gt (int $v.replicaCount) 1) (empty $v.database.existingSecret) -}}
{{- fail (printf "replicaCount is %d, but the database is SQLite, which serves one replica: set database.existingSecret to a Secret with the address of PostgreSQL, or replicaCount to 1" (int $v.replicaCount)) -}}
{{- end -}}
{{- /* What the release runs with now; nothing where the cluster is not asked (helm template), and the service refuses by itself. */ -}}
{{- $before := get (get (lookup "v1" "ConfigMap" .Release.Namespace (include "ipo.fullname" .)) "data" | default dict) "config.yaml" -}}
{{- if and $before $v.persistence.enabled (not $v.database.startEmpty) -}}
{{- $wasPostgres := hasKey (get (fromYaml $before) "database" | default dict) "poolSize" -}}
{{- if and $v.database.existingSecret (not $wasPostgres) -}}
{{- fail "database.existingSecret is set, but this release keeps its ledger and accounts in SQLite, and PostgreSQL does not have them: leave database.existingSecret empty to go on with them; or move them with ipo backup move, and then set database.startEmpty=true for one upgrade, which empties nothing; or set it without a move, to begin with an empty ledger (the volume keeps the old one)" -}}
{{- end -}}
{{- if and (empty $v.database.existingSecret) $wasPostgres -}}
{{- fail "database.existingSecret is empty, but this release keeps its ledger and accounts in PostgreSQL, and SQLite does not have them: set database.existingSecret to go on with them; or move them with ipo backup move, and then set database.startEmpty=true for one upgrade, which empties nothing; or set it without a move, to begin with an empty ledger (PostgreSQL keeps the old one)" -}}
{{- end -}}
{{- end -}}
{{- range list (list "kev" "source" $v.kev.source "/etc/kev/") (list "endOfLife" "source" $v.endOfLife.source "/etc/end-of-life/") (list "sigstore" "trustRoot" $v.sigstore.trustRoot "/etc/sigstore/") -}}
{{- $group := index . 0 -}}{{- $key := index . 1 -}}{{- $source := index . 2 -}}{{- $place := index . 3 -}}
{{- $mirror := (get $v $group).existingConfigMap -}}
{{- if and $mirror (not (hasPrefix (printf "file://%s" $place) $source)) -}}
{{- fail (printf "%s.existingConfigMap is %s, but %s.%s is %s, which does not read it: set %s.%s to file://%s and the key" $group $mirror $group $key $source $group $key $place) -}}
{{- end -}}
{{- if and (hasPrefix "file:" $source) (empty $mirror) -}}
{{- fail (printf "%s.%s is %s, but nothing is mounted there: set %s.existingConfigMap to the ConfigMap with the mirror" $group $key $source $group) -}}
{{- end -}}
{{- end -}}
{{- if and $v.scanner.serverToken.existingSecret (empty $v.scanner.server) -}}
{{- fail "scanner.serverToken.existingSecret is set without scanner.server: set scanner.server to the address of the server of Trivy" -}}
{{- end -}}
{{- if contains "@" $v.outbound.proxy -}}
{{- fail "outbound.proxy has a user name, and would stand in a ConfigMap: put the whole address into a Secret with the key proxy, and set outbound.existingSecret to its name" -}}
{{- end -}}
{{- if and $v.outbound.proxy $v.outbound.existingSecret -}}
{{- fail "outbound.proxy and outbound.existingSecret are both set: keep one of them" -}}
{{- end -}}
{{- if and (eq $certificates.source "existing") (or (empty $certificates.existingSecret) (empty $certificates.caBundle)) -}}
{{- fail "webhook.certificates.source is existing: set webhook.certificates.existingSecret to the Secret with tls.crt and tls.key, and webhook.certificates.caBundle to the PEM of its authority" -}}
{{- end -}}
{{- if and (ne $certificates.source "existing") (or $certificates.existingSecret $certificates.caBundle) -}}
{{- fail (printf "webhook.certificates.existingSecret and caBundle are read only with the source existing, and the source is %s: set webhook.certificates.source to existing" $certificates.source) -}}
{{- end -}}
{{- if and $v.api.ingress.enabled (empty $v.api.ingress.host) -}}
{{- fail "api.ingress.enabled needs api.ingress.host" -}}
{{- end -}}
{{- if and $v.api.oidc.issuer (or (empty $v.api.oidc.clientId) (not (hasPrefix "https://" (include "ipo.publicUrl" .)))) -}}
{{- fail "api.oidc.issuer needs api.oidc.clientId, and api.publicUrl or api.ingress.host: the provider sends browsers back to the https:// address of the service" -}}
{{- end -}}
{{- $own := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{- range $name := list "commonLabels" "podLabels" -}}
{{- range $label, $_ := get $v $name -}}
{{- if has $label $own -}}
{{- fail (printf "%s has %s, which the chart sets by itself: take it out" $name $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq (int $v.api.port) (int $v.webhook.port) -}}
{{- fail (printf "api.port and webhook.port are both %d: give each its own" (int $v.api.port)) -}}
{{- end -}}
{{- if $v.integrations.detector.enabled -}}
{{- range $name, $port := dict "api.port" $v.api.port "webhook.port" $v.webhook.port -}}
{{- if eq (int $port) (int $v.integrations.port) -}}
{{- fail (printf "%s and integrations.port are both %d: give each its own" $name (int $port)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
