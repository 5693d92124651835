import { randomBytes } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import { parse } from 'yaml';
import {
  exampleChannel,
  startFake,
  type CallAct,
  type Fake,
  type FakeIssue,
  type FakeKind,
} from '../../fakes/index.ts';
import { DataKey, toDocument } from '../../src/channels/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { raiseFence } from '../../src/store/leadership/fence.ts';
import type { TestEngine } from '../store/engines.ts';
import { joinTrackers, type Joined } from './real-process-parts.ts';
import { World } from './world.ts';

/** DeskChannel is a channel of a desk with the tracker that it leads to. */
export interface DeskChannel {
  readonly id: string;
  readonly fake: Fake;
}

/**
 * Desk is a store, one process over it with the service's own channels, adapters and texts, and the trackers that it calls over HTTP. All
 * of them share a clock that stands still until a test, or a wait, moves it on.
 */
export class Desk {
  readonly world: World;
  readonly key: DataKey;
  joined!: Joined;
  leads = true;
  readonly #t: TestContext;

  private constructor(t: TestContext, world: World, key: DataKey) {
    this.#t = t;
    this.world = world;
    this.key = key;
  }

  static async open(t: TestContext, store: Store): Promise<Desk> {
    const desk = new Desk(t, await World.open(store), DataKey.parse(randomBytes(32).toString('base64')));
    await desk.start();
    return desk;
  }

  /** Starts a process that leads; with another key where one is given. */
  async start(dataKey = this.key): Promise<Joined> {
    const { world } = this;
    const fence = await raiseFence(world.store, 'desk', world.clock.now());
    this.joined = await this.join(world.store, { isLeader: () => this.leads, fence: () => fence }, dataKey);
    return this.joined;
  }

  /** Another process over the same database. */
  join(store: Store, leader: Joined['parts']['leader'], dataKey = this.key): Promise<Joined> {
    const { log, count, newId } = this.world.process.parts;
    return joinTrackers({ store, dataKey, clock: this.world.clock, leader, log, count, newId });
  }

  /** Starts a tracker and makes a channel to it; `change` is what differs from an ordinary one. */
  async channel(kind: FakeKind, change: Readonly<Record<string, unknown>> = {}): Promise<DeskChannel> {
    const fake = await startFake(kind, { clock: this.world.clock });
    this.#t.after(() => fake.close());
    const document = { ...(parse(exampleChannel(fake)) as object), ...change };
    const { channel } = await this.joined.channels.create(document, null);
    return { id: channel.id, fake };
  }

  /** Changes fields of a channel. */
  async change(id: string, change: Readonly<Record<string, unknown>>): Promise<void> {
    const { channels } = this.joined;
    const { channel } = await channels.get(id);
    await channels.update(id, { ...toDocument(channel), ...change }, 'any', null);
  }

  async file(): Promise<void> {
    await this.joined.filing.run();
  }

  async sweep(): Promise<void> {
    await this.joined.sweep.run();
  }
}

/** desksOf opens desks one after another in one store of an engine. Call it inside a suite. */
export function desksOf(engine: TestEngine): (t: TestContext) => Promise<Desk> {
  let store: Promise<Store> | null = null;
  after(async () => (await store)?.close());
  return async (t) => {
    store ??= engine.migrated().then((url) => openStore({ url }));
    return Desk.open(t, await store);
  };
}

/** acts lists what was asked of a tracker, the writes alone unless told otherwise. */
export function actsOf(fake: Fake, all = false): CallAct[] {
  return fake.requests.filter(({ method }) => all || method !== 'GET').map(({ act }) => act);
}

/** commentsOf are the comments that somebody wrote, as texts. */
export function commentsOf({ comments }: FakeIssue): string[] {
  return comments.filter(({ system }) => !system).map(({ body }) => plain(body));
}

/** plain is the text of a body without its markup. */
export function plain(body: unknown): string {
  if (typeof body === 'string') return body.replaceAll(/[\\`\u200b]/g, '');
  const texts: string[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join(' ');
}
