import type { Metric } from './metric.ts';

/** RUNTIME_METRICS are the series of the runtime detector, and of what its events lead to. */
export const RUNTIME_METRICS = {
  svc_runtime_events_total: {
    kind: 'counter',
    help: 'Events of the runtime detector that this replica kept',
    labels: { source: null, priority: null },
  },
  svc_runtime_events_dropped_total: {
    kind: 'counter',
    help: 'Events of the runtime detector that came to this replica and were not kept, and callers that were rejected (`unauthorised`)',
    labels: { reason: ['queue_full', 'too_large', 'unreadable', 'unauthorised', 'storage'] },
  },
  svc_runtime_rule_matches_total: {
    kind: 'counter',
    help: 'Events that a runtime rule decided, by what it did: `record` while its window is not full',
    labels: { rule: null, action: null },
  },
  svc_runtime_alerts_notified_total: {
    kind: 'counter',
    help: 'Alerts that an enabled channel was subscribed to',
  },
  svc_detector_certificate_not_after_seconds: {
    kind: 'gauge',
    help: 'When the newest certificate of the runtime detector ends, as Unix time; absent where the listener is off',
  },
} as const satisfies Readonly<Record<string, Metric>>;
