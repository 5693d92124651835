/** DENIALS are the labels of a denial, as `decision` has them (tests hold each of these lists equal to its home). */
export const DENIALS = [
  'registry',
  'tag',
  'digest',
  'quota',
  'unscanned',
  'signature',
  'attestation',
  'threshold',
  'known_exploited',
  'end_of_life',
  'provenance',
  'context',
  'workload_hardening',
] as const;
/** REVIEWS are what became of reviews, as `admission` has it. */
export const REVIEWS = [
  'allowed',
  'denied',
  'repeat',
  'dry_run',
  'nothing_new',
  'other_resource',
  'unreadable',
  'not_ready',
  'failed',
] as const;
/** SIGNALS are the context of a pod, as `policy` has them. */
export const SIGNALS = [
  'privileged',
  'root',
  'hostNamespace',
  'hostFilesystem',
  'capabilities',
  'exposed',
] as const;

/** SCAN_FAILURES are the reasons why images cannot be scanned, as `findings` has them. */
export const SCAN_FAILURES = [
  'not_found',
  'unauthorized',
  'credentials',
  'rate_limited',
  'certificate',
  'refused',
  'unreachable',
  'bad_answer',
  'unsupported',
  'no_place',
  'timeout',
  'bad_report',
  'no_packages',
  'crashed',
  'failed',
  'scanner',
  'interrupted',
] as const;
