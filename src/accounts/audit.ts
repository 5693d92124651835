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
  'runtime_policy_create',
  'runtime_policy_update',
  'runtime_policy_delete',
  'policy_whatif',
  'policy_whatif_download',
  'rescan',
  'scan_import',
  'triage_create',
  'triage_end',
  'ledger_export',
  'channel_create',
  'channel_update',
  'channel_delete',
  'channel_test',
  'channel_adopt',
  'channel_resend',
  'channel_mute',
  'channel_unmute',
  'channel_resume',
  'backup_restore',
  'evidence_create',
  'evidence_download',
  'evidence_cancel',
  'evidence_delete',
  'declaration_create',
  'declaration_withdraw',
  'runtime_pod_stop',
  'detector_bundle_download',
  'runtime_rule_create',
  'runtime_rule_update',
  'runtime_rule_move',
  'runtime_rule_delete',
  'runtime_rules_replace',
  'tracking_reopen',
  'tracking_confirm',
  'catalogue_refresh',
  'vulnerability_db_refresh',
  'replica_forget',
  'licence_request',
  'licence_activate',
  'licence_deactivate',
  'ledger_clock_accept',
  'config_import',
  // Only of releases before 1.3.1.
  'runtime_block_release',
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

/** AuditRecord is an entry as it stands in the log. */
export interface AuditRecord {
  /** Ascending. */
  readonly id: number;
  /** UTC milliseconds. */
  readonly at: number;
  readonly actorId: string | null;
  /** The actor's name then, or `user:<account_id>` once anonymised; null when nobody was signed in. */
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly path: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

/** AuditFilter narrows the log; both ends of the period belong to it. Times are UTC milliseconds; null is any. */
export interface AuditFilter {
  readonly from: number;
  readonly to: number;
  readonly action: AuditAction | null;
  /** Id of an account, or the name as it stands in the log. */
  readonly actor: string | null;
  readonly target: string | null;
}

/** AUDIT_DAYS is the period that is shown unless another is asked for: the last month, in days. */
export const AUDIT_DAYS = 31;

/** AuditReader reads the log, newest first. */
export interface AuditReader {
  list(
    filter: AuditFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly total: number }>;
  /** Everything that the filter lets through, in pages, without holding a transaction open. */
  pages(filter: AuditFilter): AsyncIterable<readonly AuditRecord[]>;
}
