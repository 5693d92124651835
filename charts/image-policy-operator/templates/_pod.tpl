{{/* ipo.env are the variables of the container: what is secret, and what the user adds. */}}
{{- define "ipo.env" -}}
{{- $v := include "ipo.values" . | fromYaml -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: DATA_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "ipo.dataKeySecret" . }}
      key: DATA_KEY
{{- with $v.database.existingSecret }}
- name: IPO_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $v.database.existingSecretKey }}
{{- end }}
{{- with $v.admin.existingSecret }}
- name: IPO_ADMIN_EMAIL
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: email
- name: IPO_ADMIN_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: password
{{- end }}
{{- if and $v.api.oidc.issuer $v.api.oidc.existingSecret }}
- name: IPO_OIDC_CLIENT_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ $v.api.oidc.existingSecret }}
      key: clientSecret
{{- end }}
{{- with $v.scanner.serverToken.existingSecret }}
- name: IPO_SCANNER_SERVER_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: token
{{- end }}
{{- with $v.licence.existingSecret }}
- name: IPO_LICENCE_KEY
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: key
{{- end }}
{{- with $v.outbound.existingSecret }}
- name: IPO_OUTBOUND_PROXY
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: proxy
{{- end }}
{{- with $v.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
