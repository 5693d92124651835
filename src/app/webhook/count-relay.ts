import type { Labels, Metrics } from '../../telemetry/index.ts';

type MetricName = Parameters<Metrics['set']>[0];
type CounterName = Parameters<Metrics['add']>[0];

/** Counts are what one process counted and measured for the metrics of another. */
export interface Counts {
  /** Tells what was given once from what was given before and after; 0 for nothing counted. */
  readonly number: number;
  readonly added: readonly (readonly [CounterName, Labels, number])[];
  readonly set: readonly (readonly [MetricName, Labels, number])[];
  readonly observed: readonly (readonly [MetricName, Labels, readonly number[]])[];
}

/** CountingMetrics is what parts of a service count and measure with. */
export type CountingMetrics = Pick<Metrics, 'add' | 'set' | 'observe' | 'collect'>;

/** Values of a histogram that wait; beyond them the service has been away for long, and its histogram begins again anyway. */
const MOST_VALUES = 20_000;

/** NO_COUNTS is nothing counted. */
export const NO_COUNTS: Counts = { number: 0, added: [], set: [], observed: [] };

/** CountRelay keeps what is counted and measured here until the process with the metrics asks for it. */
export class CountRelay implements CountingMetrics {
  #given: Counts = NO_COUNTS;
  readonly #sources: (() => Promise<void>)[] = [];
  #added = new Map<string, [CounterName, Labels, number]>();
  #set = new Map<string, [MetricName, Labels, number]>();
  #observed = new Map<string, [MetricName, Labels, number[]]>();

  add(name: CounterName, labels: Labels = {}, by = 1): void {
    const key = keyOf(name, labels);
    const known = this.#added.get(key);
    if (known === undefined) this.#added.set(key, [name, labels, by]);
    else known[2] += by;
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.#set.set(keyOf(name, labels), [name, labels, value]);
  }

  observe(name: MetricName, value: number, labels: Labels = {}): void {
    const key = keyOf(name, labels);
    const known = this.#observed.get(key);
    if (known === undefined) this.#observed.set(key, [name, labels, [value]]);
    else if (known[2].length < MOST_VALUES) known[2].push(value);
  }

  collect(source: () => Promise<void>): void {
    this.#sources.push(source);
  }

  /**
   * Gives what was counted since it was taken last, with a number. What was given before is given again, with the rest, unless the receiver
   * confirms by that number that it came: an answer may come too late, or never.
   */
  async take(came: number | null): Promise<Counts> {
    await Promise.allSettled(this.#sources.map((source) => source()));
    const { number, ...before } = this.#given;
    if (came !== number) putCounts(this, { ...before, set: [] });
    this.#given = {
      number: number + 1,
      added: [...this.#added.values()],
      set: [...this.#set.values()],
      observed: [...this.#observed.values()],
    };
    this.#added = new Map();
    this.#set = new Map();
    this.#observed = new Map();
    return this.#given;
  }
}

/** putCounts puts what another process counted into the metrics. */
export function putCounts(
  metrics: Pick<CountingMetrics, 'add' | 'set' | 'observe'>,
  { added, set, observed }: Omit<Counts, 'number'>,
): void {
  for (const [name, labels, by] of added) metrics.add(name, labels, by);
  for (const [name, labels, value] of set) metrics.set(name, value, labels);
  for (const [name, labels, values] of observed)
    for (const value of values) metrics.observe(name, value, labels);
}

function keyOf(name: string, labels: Labels): string {
  let key = name;
  for (const label in labels) key += `\n${label}\n${labels[label]}`;
  return key;
}
