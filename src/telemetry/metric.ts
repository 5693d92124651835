/** Metric is one series of the service: what it counts, and by which labels. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Names of labels; with values where they are a closed list, so that each series is there at zero from the start. */
  readonly labels?: Readonly<Record<string, readonly string[] | null>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}
