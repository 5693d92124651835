import { REVIEW_OUTCOMES } from '../admission/index.ts';
import { TRACKER_KINDS } from '../channels/index.ts';
import { DENIAL_LABELS, WORKLOAD_HARDENING } from '../decision/index.ts';
import { SCAN_FAILURE_REASONS } from '../findings/index.ts';
import { SIGNALS } from '../policy/index.ts';
import type { Metric } from './metric.ts';
import { PART_METRICS } from './part-metrics.ts';
import { STOP_METRICS } from './stop-metrics.ts';
import { RUNTIME_METRICS } from './runtime-metrics.ts';

/** METRICS lists every series that `/metrics` has of the service itself. */
export const METRICS = {
  svc_build_info: { kind: 'gauge', help: '1, with the version of the program', labels: { version: null } },
  svc_policy_whatif_runs_total: { kind: 'counter', help: 'Replays run' },
  svc_admission_denials_total: {
    kind: 'counter',
    help: 'Denied images and pods, by the gate that denied',
    labels: { reason: [...DENIAL_LABELS, WORKLOAD_HARDENING] },
  },
  svc_admission_context_total: {
    kind: 'counter',
    help: 'Reviewed images of pods that show a signal of the deployment context',
    labels: { signal: SIGNALS },
  },
  svc_ledger_size: { kind: 'gauge', help: 'Rows of the ledger' },
  svc_ledger_tree_size: { kind: 'gauge', help: 'Rows that the Merkle tree covers' },
  svc_ledger_checkpoint_age_seconds: {
    kind: 'gauge',
    help: 'Since the newest signed checkpoint; absent before the first',
  },
  svc_backup_age_seconds: {
    kind: 'gauge',
    help: 'Since the newest backup that was written whole was begun; absent before the first',
  },
  svc_ledger_spool_rows: { kind: 'gauge', help: 'Rows that wait in the spool for the database' },
  svc_ledger_queue_rows: { kind: 'gauge', help: 'Rows that wait for their transaction' },
  svc_ledger_rows_total: { kind: 'counter', help: 'Rows appended to the ledger by this process' },
  svc_ledger_spooled_rows_total: {
    kind: 'counter',
    help: 'Rows that the spool took for the database, those of moments in which others wrote included',
  },
  svc_ledger_found_rows_total: {
    kind: 'counter',
    help: 'Rows that an earlier process left in the spool, as this one found them at its start',
  },
  svc_ledger_put_back_rows_total: { kind: 'counter', help: 'Rows that went from the spool to the database' },
  svc_ledger_set_aside_total: { kind: 'counter', help: 'Reviews of the spool that can never be stored' },
  svc_ledger_refused_checkpoints_total: {
    kind: 'counter',
    help: 'Checkpoints that were not signed or not published, because the ledger differs from what was signed before. `database` compares with the stored checkpoints, any other with what that anchor holds',
    labels: {
      anchor: null,
      reason: ['stored', 'unreadable', 'signature', 'other_log', 'other_key', 'ahead', 'forked', 'conflict'],
    },
  },
  svc_ledger_clock_suspect_rows_total: {
    kind: 'counter',
    help: 'Rows that this process marked clock_suspect: its clock was behind what the ledger had recorded',
  },
  svc_ledger_clock_behind_seconds: {
    kind: 'gauge',
    help: 'By how much the clock of this replica is behind what the ledger has recorded; 0 within the tolerance of 2 seconds',
  },
  svc_ledger_unrecorded_total: {
    kind: 'counter',
    help: 'Reviews that neither database nor spool could take',
    labels: { reason: ['queue_full', 'store', 'spool_full', 'spool_fault'] },
  },
  svc_replicas: {
    kind: 'gauge',
    help: 'Replicas of the cluster by how they stand; those that spool or are missing may hold rows of reviews',
    labels: { state: ['answers', 'spools', 'missing'] },
  },
  svc_replicas_held_rows: {
    kind: 'gauge',
    help: 'Rows that replicas which spool or are missing said last to have in their spools',
  },
  svc_replicas_unaccounted_seconds: {
    kind: 'gauge',
    help: 'Since the oldest time of which a replica may hold rows, so that sweeps skip its pods; 0 for none',
  },
  svc_database_up: { kind: 'gauge', help: '1 while the database answers' },
  svc_database_log_pages: {
    kind: 'gauge',
    help: "Pages of SQLite's write-ahead log when it was last brought into the database by the thread that keeps it",
  },
  svc_database_write_hold_seconds: {
    kind: 'histogram',
    help: 'Seconds from the beginning of a write transaction to the end of its commit; on SQLite nobody else can write meanwhile',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
  },
  svc_database_write_wait_seconds: {
    kind: 'histogram',
    help: 'Seconds that a write transaction waited for its beginning, behind the others of its process and for the lock of the file',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
  },
  ...PART_METRICS,
  ...STOP_METRICS,
  ...RUNTIME_METRICS,
  svc_admission_reviews_total: {
    kind: 'counter',
    help: 'Reviews answered by the webhook, by what became of them',
    labels: { outcome: REVIEW_OUTCOMES },
  },
  svc_admission_review_seconds: {
    kind: 'histogram',
    help: 'Seconds from the whole body of a review to its answer',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  svc_admission_reviews_in_flight: { kind: 'gauge', help: 'Reviews that are being answered' },
  svc_admission_shed_total: {
    kind: 'counter',
    help: 'Calls of the webhook that were turned away with 429',
    labels: { reason: ['busy', 'bytes'] },
  },
  svc_admission_refused_callers_total: {
    kind: 'counter',
    help: 'Calls of the webhook that were rejected, as they did not come from the API server. The reason is the path, the certificate, or the name in the certificate',
    labels: { reason: ['path', 'certificate', 'name'] },
  },
  svc_admission_undecided_total: {
    kind: 'counter',
    help: 'Images that were answered without a fact that could have changed the answer',
    labels: { reason: ['no_facts', 'no_digest', 'never_recorded'] },
  },
  svc_admission_tag_lookups_total: {
    kind: 'counter',
    help: 'Images by tag that the webhook decided: `spared` ones whose registry was not asked, since no policy allows it or the image is denied anyway',
    labels: { outcome: ['found', 'unknown', 'spared'] },
  },
  svc_admission_unrecorded_total: {
    kind: 'counter',
    help: 'Reviews that were answered although neither database nor spool took their rows',
  },
  svc_admission_break_glass_total: { kind: 'counter', help: 'Pods admitted by break-glass' },
  svc_nodes: {
    kind: 'gauge',
    help: 'Ready nodes of the cluster, and its ceiling (-1: none); no count before the first',
    labels: { kind: null },
  },
  svc_node_overage_seconds: {
    kind: 'gauge',
    help: 'Since the node count went above the ceiling; 0 while within it',
  },
  svc_node_polls_total: {
    kind: 'counter',
    help: 'Counts of the nodes',
    labels: { outcome: ['counted', 'not_counted'] },
  },
  svc_reconcile_sweeps_total: {
    kind: 'counter',
    help: 'Sweeps over the running pods',
    labels: { outcome: ['whole', 'partial', 'failed'] },
  },
  svc_reconcile_unreviewed_total: {
    kind: 'counter',
    help: 'Pods found that were created without a review',
  },
  svc_reconcile_refused_total: {
    kind: 'counter',
    help: 'Running pods that the sweep found and that would be denied now',
  },
  svc_leader: { kind: 'gauge', help: '1 while this process leads' },
  svc_cluster_events_dropped_total: {
    kind: 'counter',
    help: 'Events for the cluster that were not written',
  },
  svc_cluster_cache_age_seconds: {
    kind: 'gauge',
    help: 'Since when what is held of a kind may be old; 0 while it is not',
    labels: { kind: null },
  },
  svc_webhook_certificate_not_after_seconds: {
    kind: 'gauge',
    help: 'Unix time at which the serving certificate of the webhook ends; absent before the first',
  },
  svc_vex_statements_total: {
    kind: 'counter',
    help: 'VEX statements of accepted signers about images, as they were collected, by status',
    labels: { status: ['not_affected', 'fixed', 'affected', 'under_investigation'] },
  },
  svc_vex_rejected_total: {
    kind: 'counter',
    help: 'VEX documents and statements that do not count',
    labels: { reason: ['unreadable', 'unverified', 'other_image', 'no_digest', 'too_large'] },
  },
  svc_facts_collections_total: {
    kind: 'counter',
    help: 'Collections of the proofs of an image, by how far they came',
    labels: { outcome: ['whole', 'partial', 'failed', 'lost'] },
  },
  svc_scans_total: {
    kind: 'counter',
    help: 'Scans that this replica took from the queue, by what became of them',
    labels: { outcome: ['done', 'older', 'incomplete', 'failed', 'given_up', 'stopped', 'lost'] },
  },
  svc_scan_failures_total: {
    kind: 'counter',
    help: 'Attempts of this replica to scan an image that failed, by why',
    labels: { reason: SCAN_FAILURE_REASONS },
  },
  svc_scan_seconds: {
    kind: 'histogram',
    help: 'Seconds that a scan took which gave a report',
    buckets: [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
  },
  svc_scans_running: { kind: 'gauge', help: 'Scans that are under way in this replica' },
  svc_scan_queue_size: { kind: 'gauge', help: 'Images that wait for a scan or are being scanned' },
  svc_vulnerability_db_updated_seconds: {
    kind: 'gauge',
    help: 'Unix time at which the vulnerability database of the scanner was made; absent before the first',
  },
  svc_vulnerability_db_refreshes_total: {
    kind: 'counter',
    help: 'Refreshes of the vulnerability database by this replica',
    labels: { outcome: ['updated', 'unchanged', 'failed'] },
  },
  svc_registry_asks_total: {
    kind: 'counter',
    help: 'Questions put to registries, by what came of them: `absent` is an answer, every other but `found` is none',
    labels: {
      outcome: [
        'found',
        'absent',
        'denied',
        'credentials',
        'rate_limited',
        'unavailable',
        'unreadable',
        'too_large',
        'unsupported',
        'refused',
        'cancelled',
        'held_back',
      ],
    },
  },
  svc_registry_hosts_away: {
    kind: 'gauge',
    help: 'Registries that do not answer and are not called for a while: those that answered this replica before (`known`), and others',
    labels: { known: ['yes', 'no'] },
  },
  svc_issues_opened_total: {
    kind: 'counter',
    help: 'Issues opened in trackers; the summary of a first run is one',
    labels: { provider: TRACKER_KINDS },
  },
  svc_issues_closed_total: {
    kind: 'counter',
    help: 'Issues closed in trackers, by the reason of most of their findings',
    labels: {
      provider: TRACKER_KINDS,
      reason: ['fixed', 'triaged', 'image_retired', 'quiet'],
    },
  },
  svc_issues_skipped_total: {
    kind: 'counter',
    help: 'Findings for which no issue was opened in a run: already filed, channel at its cap, tracker rejected the call',
    labels: { reason: ['dedup', 'cap', 'error'] },
  },
  svc_notifications_total: {
    kind: 'counter',
    help: 'Occurrences that channels were told of (`sent`), tried again (`retried`) or given up (`failed`)',
    labels: { kind: null, event: null, outcome: null },
  },
  svc_notifications_waiting: {
    kind: 'gauge',
    help: 'Messages that wait for a channel, and subjects gathered for the next, of channels that are neither disabled nor muted',
  },
  svc_notifications_oldest_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest of them; 0 for none',
  },
  svc_http_requests_total: {
    kind: 'counter',
    help: 'Requests answered, by route as the API documents it',
    labels: { method: null, route: null, status: null },
  },
  svc_http_request_seconds: {
    kind: 'histogram',
    help: 'Seconds until a request was answered in full',
    labels: { method: null, route: null },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  svc_job_runs_total: {
    kind: 'counter',
    help: 'Runs of background jobs',
    labels: { job: null, outcome: null },
  },
  svc_job_last_success_seconds: {
    kind: 'gauge',
    help: 'Unix time of the last run of a job that ended well',
    labels: { job: null },
  },
} as const satisfies Readonly<Record<`svc_${string}`, Metric>>;

/** MetricName is a series of the service. */
export type MetricName = keyof typeof METRICS;
