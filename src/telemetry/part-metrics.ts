import type { Metric } from './metric.ts';

/** PART_METRICS are those of the processes that a service runs as. */
export const PART_METRICS = {
  svc_evidence_packages_total: {
    kind: 'counter',
    help: 'Evidence packages that were made or failed, by this replica',
    labels: { outcome: ['done', 'failed'] },
  },
  svc_part_restarts: {
    kind: 'gauge',
    help: 'How often the process of a part of the service was started again since ipod began; absent where all runs in one process',
    labels: { part: null },
  },
  svc_part_memory_bytes: {
    kind: 'gauge',
    help: 'Resident memory of the process of a part of the service',
    labels: { part: null },
  },
  svc_part_cpu_seconds: {
    kind: 'gauge',
    help: 'Seconds on a processor of the process of a part of the service, in its present life',
    labels: { part: null },
  },
  svc_part_event_loop_delay_seconds: {
    kind: 'gauge',
    help: "The longest delay of the event loop of a part of the service since the last scrape. That of the webhook's part is within a second",
    labels: { part: null },
  },
} as const satisfies Readonly<Record<`svc_${string}`, Metric>>;
