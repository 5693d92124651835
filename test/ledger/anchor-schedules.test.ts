import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IpoError } from '../../src/base/index.ts';
import {
  Anchoring,
  openCheckpoint,
  UNREAD_MS,
  type Anchor,
  type AnchorState,
  type LedgerTree,
} from '../../src/ledger/index.ts';
import { faultOfExtending } from '../../src/ledger/extends.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { leafHash } from '../../src/ledger/index.ts';
import { runs } from '../runs.ts';
import { growing, makeSigner, NOW, SILENT } from './grown.ts';
import { MemoryTree } from './memory-tree.ts';

/** Schedules: restores, two processes, an anchor that goes and comes back, edits, in any order. */
const SCHEDULES = runs(100);
const STEPS = 40;

/** A generator of numbers below `n`, the same for the same seed. */
function random(seed: number): (n: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % n;
  };
}

/** One place that keeps the newest note, changed only over the version that was read. */
class Place implements Anchor {
  readonly name = 'place';
  readonly held: string[] = [];
  isAway = false;
  version = 0;
  note: string | null = null;
  readonly read = async () => {
    if (this.isAway) throw new IpoError('network', 'it is away');
    return { notes: this.note === null ? [] : [this.note], version: String(this.version) };
  };
  async publish({ note }: { note: string }, { version }: { version: string | null }): Promise<void> {
    if (this.isAway || version !== String(this.version))
      throw new IpoError('network', 'it changed meanwhile');
    this.version += 1;
    this.note = note;
    this.held.push(note);
  }
}

test(`over ${SCHEDULES} schedules of restores, leaders, edits and outages no anchored history is overwritten by another`, async () => {
  const signer = makeSigner();
  const counts = { restores: 0, refused: 0, published: 0, unsigned: 0 };
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const pick = random(seed);
    const place = new Place();
    const database = { now: new MemoryTree() };
    const copies: MemoryTree[] = [];
    const states = new WeakMap<MemoryTree, AnchorState>();
    let now = NOW;
    let salt = 1;
    let genuine: string | null = null;
    const start = (): { tree: LedgerTree; anchoring: Anchoring } => {
      const store = database.now;
      const clock = { now: () => now };
      const anchoring = new Anchoring({
        anchors: [place],
        states: {
          list: async () => [states.get(store)].filter((state) => state !== undefined),
          put: async (state) => void states.set(store, state),
        },
        ...{ store, key: signer, clock, log: SILENT },
        refused: () => (counts.refused += 1),
      });
      return {
        tree: growing(store, signer, { clock, outside: (isOurs) => anchoring.hold(isOurs) }),
        anchoring,
      };
    };
    let running = [start(), start()];
    for (let step = 0; step < STEPS; step += 1) {
      const act = pick(16);
      if (act < 5) database.now.growAs(1 + pick(5), salt);
      else if (act < 11) {
        const { tree, anchoring } = running[pick(running.length)] as (typeof running)[number];
        const before = (await database.now.newestCheckpoint())?.size ?? 0;
        const held = place.note;
        try {
          const signed = await tree.checkpoint();
          if (signed !== null && signed.size > before && held !== null && held === genuine && !place.isAway) {
            const { size, root } = openCheckpoint(held, [signer]);
            assert.equal(
              await faultOfExtending(database.now, { size, root }, signed.size),
              null,
              `seed ${seed}, step ${step}: what was signed extends what is anchored`,
            );
          }
          await anchoring.run();
        } catch (error) {
          assert.ok(error instanceof IpoError, String(error));
          counts.unsigned += 1;
        }
        if (place.note !== held) {
          counts.published += 1;
          if (held !== null) {
            assert.equal(held, genuine, `seed ${seed}, step ${step}: what was edited there is left as it is`);
            const { size, root } = openCheckpoint(held, [signer]);
            const range = new CompactRange(0);
            for (const row of database.now.all.slice(0, size)) range.append(leafHash(row));
            assert.equal(range.root(), root, `seed ${seed}, step ${step}: a prefix was replaced`);
          }
          genuine = place.note;
        }
      } else if (act === 11) copies.push(database.now.copy());
      else if (act === 12 && copies.length > 0) {
        database.now = (copies[pick(copies.length)] as MemoryTree).copy();
        salt += 1;
        counts.restores += 1;
        running = [start(), start()];
      } else if (act === 13) place.isAway = !place.isAway;
      else if (act === 14) now += pick(2) * UNREAD_MS;
      else if (act === 15 && pick(4) === 0 && place.note !== null) {
        place.note = pick(2) === 0 ? 'scribbled' : place.note.replace(/\n\d+\n/, '\n1\n');
        place.version += 1;
      } else if (act === 15 && pick(3) === 0) {
        place.note = null; // a person took it away on purpose
        place.version += 1;
        genuine = null;
      } else running[pick(2)] = start();
    }
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > SCHEDULES / 10, `${what}: ${count}`);
});
