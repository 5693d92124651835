/**
 * What the service reports about itself: its log, without a secret in it, and its metrics. It uses `findings`, `policy`, `decision`,
 * `admission` and `channels`, whose closed lists are values of labels.
 */
export { METRICS } from './catalogue.ts';
export type { Metric } from './metric.ts';
export { openLog } from './log.ts';
export { openMetrics, type Labels, type Metrics } from './metrics.ts';
export { Redactor } from './redactor.ts';
