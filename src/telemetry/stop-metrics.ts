import type { Metric } from './metric.ts';

/** STOP_METRICS are what became of stops of pods: by sweeps, and for events of the detector. */
export const STOP_METRICS = {
  svc_reconcile_stops_total: {
    kind: 'counter',
    help: 'Attempts to stop a pod',
    labels: { outcome: ['stopped', 'gone', 'refused', 'failed'] },
  },
  svc_runtime_stops_total: {
    kind: 'counter',
    help: 'Stops of pods that runtime policies asked for',
    labels: { outcome: ['stopped', 'would_stop', 'withheld', 'gone', 'changed', 'refused', 'failed'] },
  },
} as const satisfies Readonly<Record<`svc_${string}`, Metric>>;
