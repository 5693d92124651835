import { strict as assert } from 'node:assert';
import type { CallAct, FaultName } from '../../fakes/index.ts';
import { runText } from '../../src/store/sql/dialect.ts';
import { CELLS, filedWithin, lagsOf, pauseAfter, STEPS, type Cell, type Ran } from './fault-cell.ts';
import type { Worker } from './real-process-child.ts';
import { isSettled, openScene, run, type Lane, type Scene } from './real-process-lane.ts';
import type { OwnFault, Spot } from './real-process-words.ts';
import { MINUTE } from './virtual-clock.ts';

/** What a call did whose answer nobody heard; the scenario takes turns. */
const OUTCOMES = ['effect', 'none', 'late'] as const;
type Outcome = (typeof OUTCOMES)[number];
const WRITES: ReadonlySet<string> = new Set<CallAct>(['create', 'comment', 'close']);
const SWEEPS = 3;
/** Real milliseconds until a call that is never answered is given up; on a busy machine another call may meet it too. */
const PATIENCE = 1000;

/** The fault of a cell as the tracker plays it, or null where the process meets it before its first byte. */
function onTheWire({ fault, flavour }: Cell, outcome: Outcome, turn: number): FaultName | null {
  const stage = outcome === 'none' ? 'before effect' : 'after effect';
  switch (fault) {
    case 'refused':
    case 'dns':
    case 'tls':
      return null;
    case 'timeout':
    case 'reset':
      return `${fault} ${stage}`;
    case 'server':
      return outcome === 'none' ? '500 before effect' : '502 after effect';
    case 'rate_limited':
      return turn % 2 === 0 ? '429 with Retry-After' : '429 without Retry-After';
    case 'secondary':
      return '403 secondary limit';
    case 'unreadable':
      // Jira answers a transition without a body, which cannot be cut off.
      if (outcome === 'effect' && !flavour.startsWith('jira')) return 'truncated JSON after effect';
      return `200 with HTML ${stage}`;
    case 'redirect':
      return turn % 2 === 0 ? 'redirect 302 to another host' : 'redirect 307 to another host';
  }
}

/** Play is a cell being played: what died, what struck, and what is to come. */
class Play {
  readonly scene: Scene;
  readonly #lane: Lane;
  readonly #cell: Cell;
  readonly #turn: number;
  readonly #outcome: Outcome;
  readonly #closes: boolean;
  worker: Worker;
  died = false;
  #armed = false;
  #own: OwnFault | null = null;
  #lands: () => void = () => {};
  readonly #broken: Error[] = [];

  constructor(scene: Scene, lane: Lane, worker: Worker, cell: Cell, turn: number, closes: boolean) {
    this.scene = scene;
    this.#lane = lane;
    this.worker = worker;
    this.#cell = cell;
    this.#turn = turn;
    this.#outcome = OUTCOMES[turn % 3] ?? 'effect';
    this.#closes = closes;
    if (this.#place === 'within' && this.#isWrite) this.#dieWithCall();
    scene.fake.faults.at({ act: 'close', times: 1000 }, 'before', () => this.#lookBeforeClose());
  }

  /** Whether the fault of the cell struck. */
  get failed(): boolean {
    const { requests } = this.scene.fake;
    const instead = this.#place === 'within' && this.#isWrite && this.#outcome === 'none' ? 1 : 0;
    const wire = onTheWire(this.#cell, this.#outcome, this.#turn) !== null;
    const struck = wire
      ? requests.filter(({ fault }) => fault !== null).length > instead
      : this.#own === null;
    return this.#armed && struck;
  }

  get #call(): string {
    return STEPS[this.#cell.step];
  }

  get #isWrite(): boolean {
    return WRITES.has(this.#call) && (this.#call !== 'close' || this.#closes);
  }

  /** A call to a tracker that sends nothing has no inside. */
  get #place(): Spot['when'] {
    const { place } = this.#cell;
    return place === 'within' && this.#call === 'close' && !this.#closes ? 'after' : place;
  }

  /** The process is killed while the tracker holds its request: before it did what was asked, after it, or instead of it. */
  #dieWithCall(): void {
    const act = this.#call as CallAct;
    const { faults } = this.scene.fake;
    if (this.#outcome === 'none') faults.inject({ act }, 'reset before effect');
    const late = new Promise<void>((lands) => {
      this.#lands = lands;
    });
    faults.at({ act }, this.#outcome === 'effect' ? 'after' : 'before', async () => {
      await this.worker.kill();
      if (this.#outcome === 'late') await late;
    });
  }

  /** "0 issues closed before the row says so." */
  async #lookBeforeClose(): Promise<void> {
    const said = await runText(
      this.scene.world.store.read,
      `select id from tracking where state = 'open' and closing_step = 'commented'`,
      [],
    );
    if (said.length === 0) this.#broken.push(new Error('closed before the row says so'));
  }

  #arm(): OwnFault | null {
    this.#armed = true;
    const name = onTheWire(this.#cell, this.#outcome, this.#turn);
    if (name === null) this.#own = this.#cell.fault as OwnFault;
    else this.scene.fake.faults.inject({}, name);
    return this.#own;
  }

  /** Where the process stops: where the fault is laid for its own call, and where it dies. */
  get #spots(): Spot[] {
    if (this.died) return [];
    const fatal: Spot = { call: this.#call, when: this.#place };
    const breaks = this.#cell.step === 'mark' ? (this.#closes ? 'close' : 'comment') : this.#call;
    const own = this.#cell.step === 'mark' || (this.#isWrite && this.#place === 'after');
    const lays: Spot[] = own && !this.#armed ? [{ call: breaks, when: 'before' }] : [];
    return this.#isWrite && this.#place === 'within' ? lays : [...lays, fatal];
  }

  async act(act: 'file' | 'sweep'): Promise<void> {
    const { scene } = this;
    if (this.died && !this.#armed) this.#arm();
    const timeoutMs = this.#cell.fault === 'timeout' && !this.failed ? PATIENCE : 20_000;
    const command = { act, at: scene.world.clock.now(), spots: this.#spots, fault: this.#own, timeoutMs };
    const done = await run(scene, this.worker, command, async ({ call, when }) => {
      if (call === this.#call && when === this.#place) {
        await this.worker.kill();
        return null;
      }
      const fault = this.#arm();
      return { fault, spots: this.#spots };
    });
    if (done !== null) this.#own = done.fault;
    else {
      // What it was to meet was met, or went with it.
      if (this.#armed) this.#own = null;
      this.died = true;
      this.worker = await this.#lane.take(scene.world.clock.now());
    }
    await this.look();
  }

  /** Time passes; a call that was under way when its process died lands. */
  async pass(ms: number): Promise<void> {
    this.scene.world.clock.advance(ms);
    if (this.died) this.#lands();
    await new Promise((done) => setImmediate(done));
  }

  /** Holds what must hold at any time. */
  async look(): Promise<void> {
    const [error] = this.#broken;
    if (error !== undefined) throw error;
    const { fake, world } = this.scene;
    assert.ok(fake.state.issues.length <= 1, 'a second issue');
    const rows = await world.rows();
    if (this.#closes && rows.length > 0 && rows.every(({ state }) => state === 'closed'))
      assert.equal(fake.state.issues[0]?.state, 'closed', 'a row was closed before the tracker confirmed');
  }
}

/** Ended is what a cell came to, with the process that is left. */
export interface Ended extends Ran {
  readonly worker: Worker;
}

/**
 * runRealCell plays a cell of the matrix with real processes: one files a finding (or a first run's summary of six) and closes it over
 * HTTP, and is killed at the step of the cell; another goes on. Throws AssertionError.
 */
export async function runRealCell(lane: Lane, before: Worker, cell: Cell, turn: number): Promise<Ended> {
  const isSummary = turn % 3 === 1;
  const cves = isSummary ? ['A', 'B', 'C', 'D', 'E', 'F'] : ['A'];
  const closes = cell.flavour !== 'jira-datacenter' || turn % 2 === 0;
  const change = closes ? {} : { doneTransitionId: null };
  const scene = await openScene(lane, cell.flavour, {
    lagMs: lagsOf(cell, CELLS.indexOf(cell), turn).issues,
    change,
  });
  const { world, fake } = scene;
  await lane.lead(before, world.clock.now());
  const play = new Play(scene, lane, before, cell, turn, closes);
  const grace = cell.fault === 'timeout' ? 1 : 0;
  try {
    await world.scan(1, cves);
    for (let minute = 0, pause = 1; ; minute += pause) {
      await play.act('file');
      if (minute % 10 === 9 || minute % 10 === 5) await play.act('sweep');
      pause = pauseAfter(minute);
      await play.pass(pause * MINUTE);
      const rows = await world.rows();
      if (rows.length === cves.length && rows.every(({ issue }) => issue !== null)) break;
      assert.ok(minute < filedWithin(cell) + 5 * grace, 'not filed in time');
    }
    const stages = isSummary ? [['C', 'D', 'E', 'F'], []] : [[]];
    for (const [stage, left] of stages.entries()) {
      await world.scan(1, left);
      const died = play.died;
      for (let sweep = 1; ; sweep += 1) {
        await play.act('sweep');
        await play.pass(10 * MINUTE);
        await play.act('file');
        const open = (await world.rows()).filter(({ state }) => state === 'open').length;
        assert.ok(open >= left.length, 'a row was closed whose finding has not ended');
        if (open === left.length && (await isSettled(scene))) break;
        assert.ok(sweep < SWEEPS + grace + (play.died === died ? 0 : 1), 'not closed in time');
      }
      const comments = fake.state.issues[0]?.comments.filter(({ system }) => !system) ?? [];
      assert.equal(comments.length, stage + 1, 'one comment for each sweep that had something to say');
    }
    const rows = await world.rows();
    assert.equal(rows.length, cves.length, 'no row is lost or doubled');
    assert.equal(fake.state.issues.length, 1, 'one issue');
    assert.ok(rows.every(({ state, reason }) => state === 'closed' && reason === 'fixed'));
    assert.equal(fake.state.issues[0]?.state, closes ? 'closed' : 'open');
    assert.deepEqual(fake.violations, []);
    assert.equal(fake.elsewhere.requests.length, 0, 'nothing was sent to another host');
    return { died: play.died, failed: play.failed, worker: play.worker };
  } catch (error) {
    await play.worker.kill();
    throw error;
  } finally {
    await fake.close();
  }
}
