import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Count } from '../base/index.ts';
import { METRICS, type MetricName } from './catalogue.ts';
import type { Metric } from './metric.ts';

/** Labels are the labels of one series. */
export type Labels = Readonly<Record<string, string>>;

/** Metrics holds every series of the service, and gives them in the text format of Prometheus. */
export interface Metrics extends Count {
  set(name: MetricName, value: number, labels?: Labels): void;
  /** Takes a series out, where there is no value at present. */
  unset(name: MetricName): void;
  observe(name: MetricName, value: number, labels?: Labels): void;
  /** Asks each source given, then gives all series. A source that fails leaves its series as they were. */
  text(): Promise<string>;
  /** Adds a source of gauges, asked at each scrape. */
  collect(source: () => Promise<void>): void;
  readonly contentType: string;
}

/** openMetrics makes the series of METRICS, those with closed labels at zero, and those of the process. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  const made = new Map<string, Counter | Gauge | Histogram>();
  for (const [name, metric] of Object.entries<Metric>(METRICS)) made.set(name, make(name, metric, registry));
  collectDefaultMetrics({ register: registry });
  const sources: (() => Promise<void>)[] = [];
  const find = (name: string): Counter | Gauge | Histogram => {
    const metric = made.get(name);
    if (metric === undefined) throw new Error(`${name} is not in the list of metrics`);
    return metric;
  };
  return {
    contentType: registry.contentType,
    add: (name, labels = {}, by = 1) => (find(name) as Counter).inc({ ...labels }, by),
    set: (name, value, labels = {}) => (find(name) as Gauge).set({ ...labels }, value),
    unset: (name) => (find(name) as Gauge).remove({}),
    observe: (name, value, labels = {}) => (find(name) as Histogram).observe({ ...labels }, value),
    collect: (source) => void sources.push(source),
    text: async () => {
      await Promise.allSettled(sources.map((source) => source()));
      return registry.metrics();
    },
  };
}

function make(name: string, metric: Metric, registry: Registry): Counter | Gauge | Histogram {
  const { help, kind, labels = {}, buckets = [] } = metric;
  const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (kind === 'histogram') return new Histogram({ ...options, buckets: [...buckets] });
  const made = kind === 'counter' ? new Counter(options) : new Gauge(options);
  for (const series of closedSeries(labels)) made.inc(series, 0);
  return made;
}

/** Every combination of labels that have a closed list each; a part of them would be a series that nothing counts. */
function closedSeries(labels: NonNullable<Metric['labels']>): readonly Record<string, string>[] {
  const entries = Object.entries(labels);
  if (entries.length === 0) return [];
  return entries.reduce<readonly Record<string, string>[]>(
    (all, [label, values]) =>
      all.flatMap((one) => (values ?? []).map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}
