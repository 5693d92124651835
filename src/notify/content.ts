import type { ChannelEvent } from '../channels/index.ts';

/** Payload is what is known of one occurrence of an event, in JSON; its fields are those of `docs/notifications.md`. */
export type Payload = Readonly<Record<string, unknown>>;

/** Happened is one occurrence of an event, as it is written with the act that it reports. */
export interface Happened {
  readonly event: ChannelEvent;
  /** What it is about, such as the digest of an image or the name of a cluster: occurrences with one subject are told together. */
  readonly subject: string;
  readonly payload: Payload;
  /** Two occurrences with one key within the throttle's period are one; null or left out for never. */
  readonly throttleKey?: string | null;
}

/** Entry is what happened to one subject since the channel was told last. Times are UTC milliseconds. */
export interface Entry {
  readonly event: ChannelEvent;
  /** Empty where several subjects are counted together, since there were too many to keep each. */
  readonly subject: string;
  /** Occurrences, of which `items` are the first. */
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly items: readonly Payload[];
}

/** MAX_SHOWN is how many subjects, and occurrences of one, a message names; the rest is "and N more". */
export const MAX_SHOWN = 20;

/** Section is what one message reports one event. */
export interface Section {
  readonly event: ChannelEvent;
  /** Occurrences in all. */
  readonly count: number;
  /** Subjects that were told apart, of which `entries` are the first. */
  readonly subjects: number;
  /** Whether there are more subjects than those, of which only the occurrences were counted. */
  readonly isMore?: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly entries: readonly Entry[];
}

/** KnownPlace is where an image is known to run. */
export interface KnownPlace {
  /** The newest name it was run by; null where none is known. */
  readonly name: string | null;
  readonly workloads: readonly {
    readonly cluster: string;
    readonly namespace: string;
    readonly name: string;
  }[];
  /** Workloads in all. */
  readonly total: number;
}

/** Content is what a message tells, kept as it is from its first try to its last. */
export interface Content {
  readonly sections: readonly Section[];
  /** Of the images that it names, by digest. */
  readonly places: Readonly<Record<string, KnownPlace>>;
  /** Set on a test that a person asked for; it has no sections. */
  readonly test?: { readonly by: string };
}

/** toSections gathers entries, oldest first, into sections in order of their first occurrence. */
export function toSections(entries: readonly Entry[]): readonly Section[] {
  const groups = [...Map.groupBy(entries, ({ event }) => event)];
  return groups
    .map(([event, all]) => ({
      event,
      count: all.reduce((sum, { count }) => sum + count, 0),
      subjects: all.filter(({ subject }) => subject !== '').length,
      ...(all.some(({ subject }) => subject === '') && { isMore: true }),
      firstAt: Math.min(...all.map(({ firstAt }) => firstAt)),
      lastAt: Math.max(...all.map(({ lastAt }) => lastAt)),
      entries: all
        .filter(({ subject }) => subject !== '')
        .slice(0, MAX_SHOWN)
        .map((entry) => ({ ...entry, items: entry.items.slice(0, MAX_SHOWN) })),
    }))
    .toSorted((a, b) => a.firstAt - b.firstAt);
}

/** digestsIn gives the digests of the images that sections name. */
export function digestsIn(sections: readonly Section[]): readonly string[] {
  const named = sections.flatMap(({ entries }) =>
    entries.flatMap(({ subject, items }) => [subject, ...items.map(({ digest }) => digest)]),
  );
  return [...new Set(named)].filter(
    (value): value is string => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value),
  );
}
