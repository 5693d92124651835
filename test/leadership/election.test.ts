import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Election } from '../../src/leadership/index.ts';
import { SharedDatabase, SharedLease, VirtualProcess, VirtualTime } from '../cluster/virtual.ts';
import { counted, turns } from '../runs.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface Replica {
  readonly name: string;
  readonly process: VirtualProcess;
  readonly election: Election;
  /** Ends it as SIGKILL does. */
  kill(): void;
  alive: boolean;
}

/** World is replicas of one operator that elect a leader, and write each half second while they lead. */
class World {
  readonly time = new VirtualTime();
  readonly lease = new SharedLease();
  readonly database = new SharedDatabase();
  readonly replicas: Replica[] = [];
  readonly #latency: () => number;
  /**
   * Moments at which two processes that run held themselves for leaders. Who deletes or overwrites the Lease by hand lets another one
   * in before the leader has looked again (the renew deadline at the latest); then the fence alone keeps the old one from writing.
   */
  readonly twice: string[] = [];
  #tampered = -Infinity;

  tamper(how: 'delete' | 'steal'): void {
    this.#tampered = this.time.at;
    if (how === 'delete') this.lease.delete();
    else this.lease.steal('somebody');
  }

  constructor(latency: () => number = () => 5) {
    this.#latency = latency;
  }

  add(name: string, rate = 1): Replica {
    const process = new VirtualProcess(this.time, rate);
    const election = new Election({
      leases: this.lease.of(process, this.#latency),
      fences: this.database.fencesOf(process),
      clock: process,
      log: silent,
      me: name,
      jitter: () => 0.5,
    });
    const replica: Replica = {
      name,
      process,
      election,
      alive: true,
      kill: () => {
        replica.alive = false;
        process.stop();
      },
    };
    this.replicas.push(replica);
    election.start();
    void this.#work(replica);
    return replica;
  }

  /** A leader job: it asks before every write, and its write carries the fence. */
  async #work({ process, election, name }: Replica): Promise<void> {
    const never = new AbortController().signal;
    for (;;) {
      await process.wait(500, never);
      if (election.isLeader())
        void this.database.write(process, name, election.fence(), () => this.time.at).catch(() => undefined);
    }
  }

  get leaders(): string[] {
    return this.replicas
      .filter(({ alive, process, election }) => alive && !process.stopped && election.isLeader())
      .map(({ name }) => name);
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      await this.time.pass(Math.min(100, ms - passed));
      if (this.leaders.length > 1 && this.time.at - this.#tampered > 7_500)
        this.twice.push(`${this.time.at}: ${this.leaders.join()}`);
    }
  }

  /** Milliseconds until somebody leads who is not `but`. */
  async untilLeads(but: string | null, limit = 30_000): Promise<number> {
    const from = this.time.at;
    while (this.leaders.every((name) => name === but)) {
      assert.ok(this.time.at - from < limit, `nobody leads after ${limit} ms`);
      await this.pass(100);
    }
    return this.time.at - from;
  }

  /** No write was taken under a fence after a later one was raised, and never did two lead. */
  check(): void {
    assert.deepEqual(this.twice, [], 'two processes led at once');
    const fences = this.database.written.map(({ fence }) => fence);
    assert.deepEqual(
      fences,
      fences.toSorted((a, b) => a - b),
      'a write was taken under an old fence',
    );
  }
}

async function led(replicas = 3): Promise<{ world: World; leader: Replica }> {
  const world = new World();
  for (let i = 0; i < replicas; i += 1) world.add(`r${i}`);
  await world.untilLeads(null);
  await world.pass(5_000);
  const [name] = world.leaders;
  const leader = world.replicas.find((one) => one.name === name);
  assert.ok(leader);
  return { world, leader };
}

test('the first of several replicas leads at once, and keeps leading', async () => {
  const { world, leader } = await led();
  await world.pass(120_000);
  assert.deepEqual(world.leaders, [leader.name]);
  assert.equal(world.database.fence, 1);
  assert.equal(leader.election.fence(), 1);
  world.check();
});

test('a killed leader is followed within 15 s', async () => {
  const { world, leader } = await led();
  leader.kill();
  const took = await world.untilLeads(leader.name);
  assert.ok(took <= 15_000 && took >= 7_000, `${took} ms`);
  await world.pass(20_000);
  assert.equal(world.database.fence, 2);
  world.check();
});

test('whenever a leader is killed, another one leads within 13 s', async () => {
  for (let after = 0; after < 24_000; after += 300) {
    const { world, leader } = await led(2);
    await world.pass(after);
    leader.kill();
    const took = await world.untilLeads(leader.name);
    assert.ok(took <= 13_000, `${took} ms, killed ${after} ms later`);
    world.check();
  }
});

test('a leader that was stopped and goes on writes nothing', async () => {
  const { world, leader } = await led();
  leader.process.stop();
  assert.ok((await world.untilLeads(leader.name)) <= 15_000);
  await world.pass(15_000);
  const before = world.database.written.filter(({ by }) => by === leader.name).length;
  leader.process.continue();
  assert.equal(leader.election.isLeader(), false);
  await world.pass(60_000);
  assert.equal(world.database.written.filter(({ by }) => by === leader.name).length, before);
  assert.notDeepEqual(world.leaders, [leader.name]);
  world.check();
});

test('a leader that is cut from the API server stops before another begins', async () => {
  const { world, leader } = await led();
  leader.process.cutFromApi = true;
  await world.pass(7_100);
  assert.equal(leader.election.isLeader(), false);
  assert.ok((await world.untilLeads(leader.name)) <= 15_000 - 7_100);
  leader.process.cutFromApi = false;
  await world.pass(30_000);
  assert.notDeepEqual(world.leaders, [leader.name]);
  world.check();
});

test('a Lease that is deleted or stolen ends a leadership, and the next has a later fence', async () => {
  const { world, leader } = await led();
  world.tamper('delete');
  await world.pass(5_000);
  await world.untilLeads(null);
  assert.equal(world.database.fence, 2);
  world.tamper('steal');
  await world.pass(2_100);
  assert.deepEqual(world.leaders, []);
  const took = await world.untilLeads(null);
  assert.ok(took <= 15_000, `${took} ms`);
  assert.equal(world.database.fence, 3);
  assert.ok(leader.alive);
  world.check();
});

test('a leader that ends gives the Lease back, and the next need not wait', async () => {
  const { world, leader } = await led();
  const ended = leader.election.stop();
  await world.pass(100);
  await ended;
  assert.equal(world.lease.lease?.holder, '');
  assert.equal(leader.election.isLeader(), false);
  assert.ok((await world.untilLeads(leader.name)) <= 2_500);
  world.check();
});

test('a replica without its database does not lead, and leaves the Lease to one that has it', async () => {
  const world = new World();
  const blind = world.add('blind');
  blind.process.cutFromDatabase = true;
  await world.pass(1_000);
  world.add('seeing');
  assert.ok((await world.untilLeads(null)) <= 15_000);
  assert.deepEqual(world.leaders, ['seeing']);
  await world.pass(60_000);
  assert.deepEqual(world.leaders, ['seeing']);
  world.check();
});

test('a fence that a slower candidate raised later is raised again by the holder of the Lease', async () => {
  const { world, leader } = await led();
  world.database.fence += 1;
  await world.pass(2_500);
  assert.deepEqual(world.leaders, [leader.name]);
  assert.equal(leader.election.fence(), world.database.fence);
  world.check();
});

test('a machine that was suspended does not lead when it wakes, though its monotonic clock stood still', async () => {
  const world = new World();
  const replica = world.add('only');
  await world.untilLeads(null);
  replica.process.now = () => 1_700_000_000_000 + world.time.at + 3_600_000;
  assert.equal(replica.election.isLeader(), false);
});

test('whatever happens to three replicas, never two lead, no old fence writes, and somebody leads again', async (t) => {
  // A small generator, so that a seed that fails can be run again.
  const random = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const schedules = turns(25, 2_000);
  for (let seed = schedules.from + 1; seed <= schedules.until; seed += 1) {
    const next = random(seed);
    const world = new World(() => 2 + next() * 400);
    for (let i = 0; i < 3; i += 1) world.add(`r${i}`, 0.97 + next() * 0.06);
    for (let step = 0; step < 12; step += 1) {
      const one = world.replicas[Math.floor(next() * world.replicas.length)];
      assert.ok(one);
      const fault = Math.floor(next() * 8);
      if (fault === 0) one.process.stop();
      else if (fault === 1 && one.alive) one.process.continue();
      else if (fault === 2) one.process.cutFromApi = !one.process.cutFromApi;
      else if (fault === 3) one.process.cutFromDatabase = !one.process.cutFromDatabase;
      else if (fault === 4) world.tamper('delete');
      else if (fault === 5) world.tamper('steal');
      else if (fault === 6 && world.replicas.length < 6) {
        one.kill();
        world.add(`r${world.replicas.length}`);
      }
      await world.pass(Math.floor(next() * 9_000));
    }
    for (const { alive, process } of world.replicas) {
      process.cutFromApi = false;
      process.cutFromDatabase = false;
      if (alive) process.continue();
    }
    if (world.replicas.every(({ alive }) => !alive)) world.add('fresh');
    await world
      .untilLeads(null, 20_000)
      .catch((error: unknown) => assert.fail(`seed ${seed}: ${String(error)}`));
    assert.doesNotThrow(() => world.check(), `seed ${seed}`);
    await Promise.race([
      Promise.all(world.replicas.map(({ election }) => election.stop())),
      world.pass(1_000),
    ]);
  }
  counted(t, { 'schedules of elections': schedules.until - schedules.from });
});
