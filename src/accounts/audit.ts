/** AUDIT_ACTIONS lists every entry that the audit log may hold. */
export const AUDIT_ACTIONS = [
  'setup',
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'password_change',
  'account_create',
  'account_update',
  'account_delete',
  'account_anonymise',
  'token_create',
  'token_revoke',
  'policy_create',
  'policy_update',
  'policy_delete',
  'policy_whatif',
  'policy_whatif_download',
  'rescan',
  'scan_import',
  'triage_create',
  'triage_end',
  'ledger_export',
] as const;

/** AuditAction is one kind of entry. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** AuditEntry is one act of a person or a pipeline, as it is recorded. */
export interface AuditEntry {
  /** Who; null when nobody is signed in (a failed sign-in, the command line on the server itself). */
  readonly actor: { readonly accountId: string; readonly name: string } | null;
  readonly action: AuditAction;
  /** What it was done to, such as a policy's name. */
  readonly target: string | null;
  /** Method and path of the request, or the command. */
  readonly path: string | null;
  /** Further figures; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** AuditLog records acts; an act that must be audited is not answered before its entry is durable. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
}
