/** CHANNEL_EVENTS is the closed list of what a channel can subscribe to. */
export const CHANNEL_EVENTS = [
  'critical_finding',
  'finding_resolved',
  'known_exploited_added',
  'runtime_alert',
  'nodes_80',
  'nodes_over',
  'nodes_enforced',
  'nodes_cleared',
  'pods_unreviewed',
  'pod_stop_withheld',
  'ledger_broken',
  'catalogue_stale',
  'channel_failed',
  'licence_expiring',
  'backup_failed',
] as const;

/** ChannelEvent is one of them. */
export type ChannelEvent = (typeof CHANNEL_EVENTS)[number];

/** FILED are those for which a tracker opens an issue. */
export const FILED: readonly ChannelEvent[] = ['critical_finding', 'runtime_alert'];
