import { readSync, writeSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { DataKey } from '../../src/channels/index.ts';
import { openStore, raiseFence } from '../../src/store/index.ts';
import type { IssueTracker } from '../../src/trackers/index.ts';
import { joinTrackers, type Joined } from './real-process-parts.ts';
import type { Command, Go, Said, Spot } from './real-process-words.ts';
import { VirtualClock } from './virtual-clock.ts';

/**
 * A process that files and sweeps, one command at a time, and stops at the spots that it is told to name: there it is killed, or told to
 * go on. Argument: address of the database. It waits for no time: each command says what time it is.
 */
const [url = ''] = process.argv.slice(2);
// The test has just made the tables: to compare them would be half of what a start costs.
const store = await openStore({ url, migrate: false, checked: true, poolSize: 4 });
const dataKey = DataKey.parse(process.env['DATA_KEY'] ?? '');
let clock = new VirtualClock(0);
const held: { joined: Joined | null } = { joined: null };
let spots: readonly Spot[] = [];
let fault: Go['fault'] = null;
let timeoutMs = 20_000;
let ids = 0;
const errors: string[] = [];

const say = (said: Said): void => void writeSync(1, `${JSON.stringify(said)}\n`);
/** Blocks until a line came; what came after it waits for the next. */
let rest = '';
function hear(): string {
  const bytes = Buffer.alloc(4096);
  while (!rest.includes('\n')) {
    const length = readSync(0, bytes, 0, bytes.length, null);
    if (length === 0) process.exit(0);
    rest += bytes.toString('utf8', 0, length);
  }
  const end = rest.indexOf('\n');
  const line = rest.slice(0, end);
  rest = rest.slice(end + 1);
  return line;
}

function reach(call: string, when: Spot['when']): void {
  if (!spots.some((spot) => spot.call === call && spot.when === when)) return;
  say({ kind: 'reached', call, when });
  const go = JSON.parse(hear()) as Go;
  fault = go.fault ?? fault;
  spots = go.spots ?? spots;
  if (go.at !== undefined) clock.advance(Math.max(0, go.at - clock.now()));
}

/** A fault strikes once. */
function struck(name: Go['fault']): boolean {
  if (fault !== name) return false;
  fault = null;
  return true;
}

const lookup: LookupFunction = (_host, options, callback) => {
  if (struck('dns')) callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 0);
  else if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

function watched<T extends object>(target: T, pick: (name: string) => object): T {
  return new Proxy(target, {
    get(_, name) {
      const first: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || typeof first !== 'function') return first;
      return async (...given: unknown[]): Promise<unknown> => {
        reach(name, 'before');
        const from = pick(name);
        const act: unknown = Reflect.get(from, name);
        try {
          return await Reflect.apply(act as () => unknown, from, given);
        } finally {
          reach(name, 'after');
        }
      };
    },
  });
}

/** The act of a store as one that can be left before its commit. */
function withinTransaction<T extends object>(target: T): T {
  return new Proxy(target, {
    get(_, name) {
      const act: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || typeof act !== 'function') return act;
      return (...given: unknown[]): Promise<unknown> =>
        spots.some(({ call, when }) => call === name && when === 'within')
          ? store.write(async () => {
              const done: unknown = await Reflect.apply(act as () => unknown, target, given);
              reach(name, 'within');
              return done;
            })
          : Reflect.apply(act as () => Promise<unknown>, target, given);
    },
  });
}

function watchStore<T extends object>(target: T): T {
  const inner = withinTransaction(target);
  return watched(inner, () => inner);
}

/** The tracker at its address, at that address where TLS fails, and where nobody listens. */
function watchTracker(open: (apiBaseUrl: string) => IssueTracker, address: string): IssueTracker {
  const plain = open(address);
  const secure = open(address.replace(/^http:/, 'https:'));
  const closed = open(address.replace(/:\d+/, ':1'));
  return watched(plain, () => (struck('tls') ? secure : struck('refused') ? closed : plain));
}

async function begin(at: number): Promise<void> {
  clock = new VirtualClock(at);
  const fence = await raiseFence(store, String(process.pid), at);
  const told = (level: string) => (message: string, keys?: object) => {
    if (level === 'error') errors.push(`${message} ${JSON.stringify(keys)}`);
  };
  held.joined = await joinTrackers({
    store,
    dataKey,
    clock,
    leader: { isLeader: () => true, fence: () => fence },
    log: { debug: told('debug'), info: told('info'), warn: told('warn'), error: told('error') },
    count: { add: () => {} },
    newId: () => `${process.pid}-${++ids}-${at}`,
    timeoutMs: () => timeoutMs,
    lookup,
    watchStore,
    watchTracker: (open, { settings }) => watchTracker(open, settings.apiBaseUrl),
  });
}

say({ kind: 'ready' });
for (;;) {
  const command = JSON.parse(hear()) as Command;
  if (command.act === 'begin') await begin(command.at);
  else {
    clock.advance(Math.max(0, command.at - clock.now()));
    ({ spots, timeoutMs } = command);
    fault = command.fault;
    await (command.act === 'file' ? held.joined?.filing : held.joined?.sweep)?.run();
  }
  say({ kind: 'done', at: clock.now(), fault, errors: errors.splice(0) });
}
