import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { exampleChannel, startFake, type Fake, type FakeKind } from '../../fakes/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import type { Store } from '../../src/store/index.ts';
import { dataKey, Worker } from './real-process-child.ts';
import { joinTrackers } from './real-process-parts.ts';
import type { Command, Go, Said, Spot } from './real-process-words.ts';
import { World } from './world.ts';

/** Lane is a database with processes that work on it, one after another or two at once. */
export class Lane {
  readonly url: string;
  readonly store: Store;
  #spare: Worker;

  constructor(url: string, store: Store) {
    this.url = url;
    this.store = store;
    this.#spare = new Worker(url);
  }

  /** Another process, which begins to lead; the next one starts meanwhile. */
  async take(at: number): Promise<Worker> {
    const worker = this.#spare;
    this.#spare = new Worker(this.url);
    assert.deepEqual(await worker.next(), { kind: 'ready' });
    await this.lead(worker, at);
    return worker;
  }

  /** Has a process begin anew, as one that just started. */
  async lead(worker: Worker, at: number): Promise<void> {
    worker.tell({ act: 'begin', at });
    const said = await worker.next();
    assert.equal(said.kind, 'done');
  }

  async close(): Promise<void> {
    await this.#spare.kill();
    await this.store.close();
  }
}

/** Scene is a tracker and a channel on it, over the database of a lane that holds nothing else. */
export interface Scene {
  readonly world: World;
  readonly fake: Fake;
}

/** openScene opens one; `change` is what differs from an ordinary channel. */
export async function openScene(
  lane: Lane,
  kind: FakeKind,
  {
    lagMs = 0,
    change = {},
  }: { readonly lagMs?: number; readonly change?: Readonly<Record<string, unknown>> } = {},
): Promise<Scene> {
  const world = await World.open(lane.store);
  const fake = await startFake(kind, { clock: world.clock, lagMs });
  const { log, count, newId } = world.process.parts;
  const { channels } = await joinTrackers({
    store: lane.store,
    dataKey,
    clock: world.clock,
    leader: { isLeader: () => false, fence: () => 0 },
    log,
    count,
    newId,
  });
  // A name, so that it is looked up.
  const apiBaseUrl = fake.url.replace('127.0.0.1', 'localhost');
  await channels.create({ ...(parse(exampleChannel(fake)) as object), apiBaseUrl, ...change }, null);
  return { world, fake };
}

/** toAct is a command without anything that goes wrong. */
export function toAct(
  { world }: Scene,
  act: 'file' | 'sweep',
  spots: readonly Spot[] = [],
): Exclude<Command, { readonly act: 'begin' }> {
  return { act, at: world.clock.now(), spots, fault: null, timeoutMs: 20_000 };
}

/** undisturbed is for a process that stops nowhere. */
export const undisturbed = async (): Promise<Go | null> => ({});

/** run tells a process to act, and gives what it said at the end; null when it was killed. `reached` answers where it stops. */
export async function run(
  { world }: Scene,
  worker: Worker,
  command: Exclude<Command, { readonly act: 'begin' }>,
  reached: (said: Extract<Said, { readonly kind: 'reached' }>) => Promise<Go | null>,
): Promise<Extract<Said, { readonly kind: 'done' }> | null> {
  worker.tell(command);
  for (;;) {
    const said = await worker.next();
    if (said.kind === 'ended') {
      assert.ok(worker.killed, 'a process ended by itself');
      return null;
    }
    if (said.kind === 'ready') throw new Error('a process began twice');
    if (said.kind === 'done') {
      assert.deepEqual(said.errors, [], 'a defect was logged');
      // What it waited for has passed for everybody.
      world.clock.advance(Math.max(0, said.at - world.clock.now()));
      return said;
    }
    const go = await reached(said);
    if (go !== null) worker.tell(go);
  }
}

/** isSettled tells that no closing is under way. */
export async function isSettled({ world }: Scene): Promise<boolean> {
  const left = await runText(
    world.store.read,
    'select id from tracking where closing_id is not null limit 1',
    [],
  );
  return left.length === 0;
}
