/** AUDIT_POLICY is the least that an API server must log for `ipo ledger record --audit`, ready to be put before its own rules. */
export const AUDIT_POLICY = `# Rules for ipo ledger record --audit. Put them before the rules that you have, and restart the API server
# with --audit-policy-file and --audit-log-path. The first rule that matches an event decides.
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: RequestResponse
    verbs: [create, update, patch]
    resources:
      - group: ""
        resources: [pods, pods/ephemeralcontainers]
  - level: None
`;
