/** What happened, one after another, and what follows from it when it is read from the beginning each time: slow, and easy to see through. */
export const TICK = 6 * 3_600_000;
export const DAY = 4 * TICK;
export const IMAGES = [0, 1, 2] as const;
export const CVES = ['A', 'B', 'C'] as const;
export const CLUSTERS = ['one', 'two'] as const;

export interface ScanEvent {
  readonly kind: 'scan';
  readonly image: number;
  readonly found: readonly string[];
  readonly scanner: string;
  /** Ticks by which its database is older than it; null where it does not say. */
  readonly lag: number | null;
}
export interface TriageEvent {
  readonly kind: 'triage';
  readonly image: number;
  readonly cve: string;
  readonly ticks: number;
}
export interface UntriageEvent {
  readonly kind: 'untriage';
  readonly image: number;
  readonly cve: string;
}
export interface KevEvent {
  readonly kind: 'kev';
  readonly listed: readonly string[];
}
export interface SweepEvent {
  readonly kind: 'sweep';
  readonly cluster: string;
  readonly running: readonly number[];
  readonly whole: boolean;
}
export type Happening = ScanEvent | TriageEvent | UntriageEvent | KevEvent | SweepEvent;
export type Event = Happening & { readonly at: number };

type At<E> = E & { readonly at: number };

/** Images 0 and 1 are run by one workload, 2 by another. */
export function workloadOf(image: number): string {
  return image < 2 ? 'deployment/web' : 'deployment/other';
}

export class Naive {
  readonly events: readonly Event[];

  constructor(events: readonly Event[]) {
    this.events = events;
  }

  /** Those that were taken: one by the same scanner with an older database than the one in use replaces nothing. */
  scansOf(image: number, upto = Infinity): At<ScanEvent>[] {
    const taken: At<ScanEvent>[] = [];
    for (const event of this.events) {
      if (event.kind !== 'scan' || event.image !== image || event.at > upto) continue;
      const inUse = taken.at(-1);
      const [before, now] = [inUse === undefined ? null : databaseOf(inUse), databaseOf(event)];
      const isOlder = inUse?.scanner === event.scanner && before !== null && now !== null && now < before;
      if (!isOlder) taken.push(event);
    }
    return taken;
  }

  reported(image: number, cve: string, at: number): boolean {
    const scans = this.scansOf(image, at);
    const last = scans.findLastIndex(({ found }) => found.includes(cve));
    const finder = scans[last];
    return finder !== undefined && !scans.slice(last + 1).some((scan) => proves(finder, scan));
  }

  triaged(image: number, cve: string, at: number): boolean {
    return this.triageOf(image, cve).some(({ from, until }) => from <= at && at < until);
  }

  triageOf(image: number, cve: string): { from: number; until: number }[] {
    const spans: { from: number; until: number }[] = [];
    for (const event of this.events) {
      if (event.kind === 'triage' && event.image === image && event.cve === cve)
        spans.push({ from: event.at, until: event.at + event.ticks * TICK });
      if (event.kind !== 'untriage' || event.image !== image || event.cve !== cve) continue;
      const last = spans.at(-1);
      if (last !== undefined && last.until > event.at) last.until = event.at;
    }
    return spans;
  }

  sweepsOf(cluster: string): At<SweepEvent>[] {
    return this.events.filter(
      (event): event is At<SweepEvent> => event.kind === 'sweep' && event.cluster === cluster,
    );
  }

  runsOf(image: number, cluster: string): NaiveRun[] {
    const sweeps = this.sweepsOf(cluster);
    const sightings = sweeps.filter(({ running }) => running.includes(image)).map(({ at }) => at);
    const misses = sweeps.filter(({ running, whole }) => whole && !running.includes(image));
    const runs: NaiveRun[] = [];
    for (const at of sightings) {
      const last = runs.at(-1);
      const missed = misses.find((miss) => miss.at > (last?.last ?? Infinity) && miss.at < at);
      if (last !== undefined && (at - last.last < DAY || missed === undefined)) last.last = at;
      else runs.push({ first: at, last: at, ended: null, knownBefore: 0 });
    }
    runs.forEach((run, i) => {
      const next = runs[i + 1]?.first ?? Infinity;
      const late = misses.find((miss) => miss.at >= run.last + DAY && miss.at < next);
      if (late !== undefined) [run.ended, run.knownBefore] = [late.at, late.at + 1];
      else if (next < Infinity) [run.ended, run.knownBefore] = [run.last + DAY, next];
    });
    return runs;
  }

  gone(image: number, at: number): boolean {
    const runs = CLUSTERS.flatMap((cluster) => this.runsOf(image, cluster));
    const runsNow = runs.some(({ first, last, ended }) => first <= at && (ended === null || at < last));
    return !runsNow && runs.some(({ last, ended }) => ended !== null && last <= at);
  }

  stands(image: number, cve: string, at: number): boolean {
    return this.reported(image, cve, at) && !this.triaged(image, cve, at) && !this.gone(image, at);
  }

  /** What ran in the same workload after a run of an image, as far as it was known when the end was found. */
  successor(image: number, { knownBefore }: NaiveRun): number | null {
    const found = IMAGES.filter((other) => {
      if (other === image || workloadOf(other) !== workloadOf(image)) return false;
      return CLUSTERS.some((cluster) => {
        const seen = (one: number): number[] =>
          this.sweepsOf(cluster).flatMap(({ at, running }) =>
            at < knownBefore && running.includes(one) ? [at] : [],
          );
        const [own, others] = [seen(image), seen(other)];
        if (own.length === 0 || others.length === 0) return false;
        return Math.max(...others) > Math.max(...own) && Math.min(...others) > Math.min(...own);
      });
    });
    return found[0] ?? null;
  }

  hasAt(image: number, cve: string, at: number): boolean | null {
    const [first] = this.scansOf(image);
    return first === undefined ? null : this.reported(image, cve, Math.max(at, first.at));
  }

  /** The stays of a CVE in the catalogue. */
  listed(cve: string): { from: number; to: number | null }[] {
    const stays: { from: number; to: number | null }[] = [];
    for (const event of this.events) {
      if (event.kind !== 'kev') continue;
      const last = stays.at(-1);
      const isIn = last !== undefined && last.to === null;
      if (event.listed.includes(cve) && !isIn) stays.push({ from: event.at, to: null });
      if (!event.listed.includes(cve) && isIn) last.to = event.at;
    }
    return stays;
  }
}

export interface NaiveRun {
  readonly first: number;
  last: number;
  ended: number | null;
  /** What was seen before then was known when its end was found. */
  knownBefore: number;
}

function databaseOf({ at, lag }: At<ScanEvent>): number | null {
  return lag === null ? null : at - lag * TICK;
}

function proves(finder: At<ScanEvent>, scan: At<ScanEvent>): boolean {
  if (scan.scanner !== finder.scanner) return false;
  const [found, now] = [databaseOf(finder), databaseOf(scan)];
  // One that did not say how old its database was asked none that was made after it.
  return now !== null && now >= (found ?? finder.at);
}
