import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stretchesOf, type ImageHistory, type Stretch } from '../../src/history/index.ts';
import { recordSweep } from '../../src/store/history/cluster-sweeps.ts';
import { historyReader } from '../../src/store/history/read.ts';
import { pruneHistory } from '../../src/store/history/retention.ts';
import { kevStore } from '../../src/store/catalogues/kev.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { seeRunning } from '../../src/store/history/cluster-sweeps.ts';
import type { Writes } from '../../src/store/history/run-history.ts';
import { triageStore } from '../../src/store/scans/triage.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from './engines.ts';
import {
  CLUSTERS,
  CVES,
  DAY,
  IMAGES,
  Naive,
  TICK,
  workloadOf,
  type Event,
  type Happening,
} from './history-naive.ts';
import { finding, scanOf } from './image-records.ts';

const BASE = Date.UTC(2026, 0, 1);
const NEVER = new AbortController().signal;
const subset = <T>(of: readonly T[]) => fc.subarray([...of]);
const image = fc.constantFrom(...IMAGES);
const cve = fc.constantFrom(...CVES);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('scan' as const),
      image,
      found: subset(CVES),
      scanner: fc.constantFrom('trivy', 'trivy', 'trivy', 'grype'),
      lag: fc.constantFrom(0, 0, 0, 9, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('triage' as const), image, cve, ticks: fc.nat(12) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('untriage' as const), image, cve }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kev' as const), listed: subset(CVES) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('sweep' as const),
      cluster: fc.constantFrom('one', 'one', 'two'),
      running: subset(IMAGES),
      whole: fc.constantFrom(true, true, true, false),
    }),
  },
);
const schedule = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5 }), happening), { minLength: 3, maxLength: 30 })
  .map((steps): Event[] => {
    let at = BASE;
    return steps.map(([ticks, event]) => ({ ...event, at: (at += ticks * TICK) }));
  });

/** One case has images, CVEs and clusters of its own, so that many share a database. */
class World {
  readonly #store: Store;
  readonly #n: number;

  constructor(store: Store, n: number) {
    this.#store = store;
    this.#n = n;
  }

  digest(of: number): string {
    return `sha256:${(this.#n * 10 + of + 1).toString(16).padStart(64, '0')}`;
  }

  cve(of: string): string {
    return `CVE-${this.#n}-${of}`;
  }

  cluster(of: string): string {
    return `${of}-${this.#n}`;
  }

  async happen(event: Event): Promise<void> {
    const store = this.#store;
    const { at } = event;
    const text = (time: number): string => new Date(time).toISOString();
    if (event.kind === 'scan') {
      const scan = scanOf(
        event.found.map((name) => finding(this.cve(name), 'HIGH')),
        {
          scannedAt: text(at),
          scanner: {
            name: event.scanner,
            version: '1',
            dbUpdatedAt: event.lag === null ? null : text(at - event.lag * TICK),
          },
        },
      );
      const digest = this.digest(event.image);
      await store.write((transaction) =>
        recordScan(transaction, { digest, names: [], source: null, scan, at }),
      );
    } else if (event.kind === 'triage') {
      await triageStore(store).create({
        ...{ digest: this.digest(event.image), cve: this.cve(event.cve), severity: 'HIGH', reason: 'why' },
        ...{ triagedBy: 'Ada', accountId: null, createdAt: at, until: at + event.ticks * TICK },
      });
    } else if (event.kind === 'untriage') {
      const triage = triageStore(store);
      const { items } = await triage.list({
        ...{ digest: this.digest(event.image), cve: this.cve(event.cve), state: null, at },
        ...{ limit: 1, offset: 0 },
      });
      if (items[0] !== undefined) await triage.end(items[0].id, at);
    } else if (event.kind === 'kev') {
      const entries = ['always', ...event.listed].map((name) => ({
        ...{ cve: this.cve(name), dateAdded: '2026-01-01', dueDate: null },
      }));
      const kev = kevStore(store);
      await kev.replace(
        { version: String(at), releasedAt: at, entries },
        { source: 'file:///kev', validators: { etag: null, lastModified: null }, at },
      );
      await kev.mark(at, NEVER);
    } else await this.#sweep(event);
  }

  async #sweep(event: Event & { readonly kind: 'sweep' }): Promise<void> {
    const running = event.running.map((one) => ({
      ...{ namespace: 'shop', workload: workloadOf(one), digest: this.digest(one) },
    }));
    const cluster = this.cluster(event.cluster);
    const { at } = event;
    if (event.whole)
      await recordSweep(this.#store, { ...{ cluster, startedAt: at, finishedAt: at, pods: 9 }, running });
    else {
      const write: Writes = (act) => this.#store.write(act);
      await write(await seeRunning(this.#store.read, write, cluster, running, at, false));
    }
  }

  async read(): Promise<Map<number, ImageHistory>> {
    const reader = historyReader(this.#store);
    const read = new Map<number, ImageHistory>();
    for (const one of IMAGES) {
      const history = await reader.image(this.digest(one));
      if (history !== null) read.set(one, history);
    }
    return read;
  }

  /** Holds all that the store says against what follows from the events. */
  async compare(events: readonly Event[]): Promise<void> {
    const naive = new Naive(events);
    const end = (events.at(-1)?.at ?? BASE) + 3 * DAY;
    const read = await this.read();
    for (const one of IMAGES) {
      const history = read.get(one);
      this.#compareRuns(naive, one, history);
      assert.deepEqual(
        history?.scans ?? [],
        naive.scansOf(one).map(({ at }) => at),
      );
      const stretches = history === undefined ? [] : stretchesOf(history);
      for (const name of CVES) {
        const own = stretches.filter(({ cve: id }) => id === this.cve(name));
        for (let at = BASE + TICK / 2; at < end; at += TICK)
          assert.equal(
            own.some(({ from, to }) => from <= at && at < (to ?? Infinity)),
            naive.stands(one, name, at),
            `${name} in ${one} at ${(at - BASE) / TICK}`,
          );
        for (const stretch of own) this.#compareEnd(naive, one, name, stretch);
        this.#compareExploited(naive, one, name, history);
      }
    }
    await this.#compareRest(naive);
  }

  #compareRuns(naive: Naive, one: number, history: ImageHistory | undefined): void {
    const expected = CLUSTERS.flatMap((cluster) =>
      naive.runsOf(one, cluster).map((run) => {
        const next = run.ended === null ? null : naive.successor(one, run);
        return {
          ...{ cluster: this.cluster(cluster), firstSeenAt: run.first, lastSeenAt: run.last },
          ...{ endedAt: run.ended, supersededBy: next === null ? null : this.digest(next) },
        };
      }),
    );
    assert.deepEqual(history?.runs ?? [], expected);
  }

  #compareEnd(naive: Naive, one: number, name: string, stretch: Stretch): void {
    const { to, ended, supersededBy, successorHasCve } = stretch;
    if (to === null) {
      assert.equal(ended, null);
      return;
    }
    const why = !naive.reported(one, name, to + 1)
      ? 'fixed'
      : naive.triaged(one, name, to + 1)
        ? 'triaged'
        : 'image_retired';
    assert.equal(ended, why);
    if (why !== 'image_retired') {
      assert.deepEqual([supersededBy, successorHasCve], [null, null]);
      return;
    }
    const all = CLUSTERS.flatMap((cluster) => naive.runsOf(one, cluster));
    const last = all.filter((run) => run.last === to && run.ended !== null);
    const nexts = last.map((run) => naive.successor(one, run));
    const next = nexts.find((found) => found !== null) ?? null;
    assert.equal(supersededBy, next === null ? null : this.digest(next));
    // Where it took the place in several runs, the last of them counts.
    const told = all.flatMap((run) =>
      run.ended !== null && naive.successor(one, run) === next ? [run.ended] : [],
    );
    assert.equal(successorHasCve, next === null ? null : naive.hasAt(next, name, Math.max(...told)));
  }

  #compareExploited(naive: Naive, one: number, name: string, history: ImageHistory | undefined): void {
    for (const episode of history?.findings.filter(({ cve: id }) => id === this.cve(name)) ?? []) {
      const during = naive.events.filter(
        ({ at }) => at >= episode.firstSeenAt && at < (episode.endedAt ?? Infinity),
      );
      const marked = during.filter(
        ({ at }) =>
          naive.scansOf(one, at).at(-1)?.found.includes(name) === true &&
          naive.listed(name).some(({ from, to }) => from <= at && at < (to ?? Infinity)),
      );
      // Marked when its image is scanned, or when the catalogue changes.
      const first = marked.find(
        (event) => event.kind === 'kev' || (event.kind === 'scan' && event.image === one),
      );
      assert.equal(episode.exploitedAt, first?.at ?? null, `${name} in ${one} exploited`);
    }
  }

  async #compareRest(naive: Naive): Promise<void> {
    const reader = historyReader(this.#store);
    const stays = await reader.catalogue(CVES.map((name) => this.cve(name)));
    assert.deepEqual(
      stays.map(({ cve: id, listedAt, delistedAt }) => [id, listedAt, delistedAt]),
      CVES.flatMap((name) => naive.listed(name).map(({ from, to }) => [this.cve(name), from, to])),
    );
    const days = await reader.days(0, 100_000);
    for (const cluster of CLUSTERS) {
      const sweeps = naive.sweepsOf(cluster);
      const expected = [...Map.groupBy(sweeps, ({ at }) => Math.floor(at / DAY))].map(([day, some]) => {
        const whole = some.filter((sweep) => sweep.whole);
        return [day, whole.length, some.length - whole.length, whole.at(-1)?.at ?? null];
      });
      assert.deepEqual(
        days
          .filter((day) => day.cluster === this.cluster(cluster))
          .map(({ day, sweeps: n, partialSweeps, lastSweepAt }) => [day, n, partialSweeps, lastSweepAt]),
        expected,
      );
    }
  }

  /** What retention takes away was over by then; all that is said about later stays. */
  async comparePruned(events: readonly Event[], before: number): Promise<void> {
    const naive = new Naive(events);
    const end = (events.at(-1)?.at ?? BASE) + 3 * DAY;
    await pruneHistory(this.#store, before, NEVER);
    const read = await this.read();
    for (const one of IMAGES) {
      const history = read.get(one);
      const stretches = history === undefined ? [] : stretchesOf(history);
      for (let at = before + TICK / 2; at < end; at += TICK) {
        const last = naive.scansOf(one, at).at(-1)?.at;
        assert.equal(
          history?.scans.findLast((time) => time <= at),
          last,
          'the age of the scan',
        );
        for (const name of CVES) {
          const stands = stretches.some(
            ({ cve: id, from, to }) => id === this.cve(name) && from <= at && at < (to ?? Infinity),
          );
          assert.equal(stands, naive.stands(one, name, at), `${name} in ${one} after retention`);
        }
      }
      assert.ok(history?.findings.every(({ endedAt }) => endedAt === null || endedAt >= before) ?? true);
    }
  }
}

forEachEngine('the history', (engine) => {
  test('says what follows from the events, whatever happened in which order, also after retention', async (t) => {
    const store = await engine.open(t);
    let n = 0;
    await fc.assert(
      fc.asyncProperty(schedule, fc.nat(100), async (events, share) => {
        const world = new World(store, ++n);
        for (const event of events) await world.happen(event);
        await world.compare(events);
        const length = (events.at(-1)?.at ?? BASE) - BASE;
        await world.comparePruned(events, BASE + Math.floor((length * share) / 100 / TICK) * TICK);
      }),
      { numRuns: runs(engine.name === 'sqlite' ? 25 : 5) },
    );
  });
});
