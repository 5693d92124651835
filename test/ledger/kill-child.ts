import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { openFileSpool } from '../../src/adapters/spool/index.ts';
import { Appender, LedgerTree, toSigner } from '../../src/ledger/index.ts';
import { ledgerTree, ledgerWriter, openStore, StoreError } from '../../src/store/index.ts';
import {
  POINTS,
  unsteady,
  watchSigner,
  watchSpool,
  watchStore,
  watchTree,
  type Point,
} from './kill-points.ts';
import { realTimers, review } from './parts.ts';

/**
 * Appends reviews in a tight loop and says which were answered, until it is killed: by the test at any time, or by itself at
 * the point and the passing of it that it is told. Arguments: address of the database, directory of the spool, its number, the
 * point's number or -1, which passing. It waits for a line on its input before it begins; `stop` there lets it end in order.
 */
const [url = '', directory = '', number = '0', point = '-1', passing = '1'] = process.argv.slice(2);
const aim: Point | undefined = POINTS[Number(point)];
let left = Number(passing);
let state = Number(number) * 2_654_435_761;
const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 4_294_967_296;
const hit = (passed: Point): void => {
  if (passed === aim && (left -= 1) === 0) process.kill(process.pid, 'SIGKILL');
};
/**
 * Whether the one session that this process writes with was in use: a row waits there for the head of the ledger, which another process
 * has that stands still in its transaction. Reviews are answered all the same, but the checkpoint comes with the next one.
 */
const isBusy = (error: unknown): boolean =>
  error instanceof StoreError && error.code === 'unavailable' && error.message.startsWith('every session');
/** At once into the pipe: what was said before a kill was said. */
const say = (line: string): void => void writeSync(1, `${line}\n`);
const quiet = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (message: string) => say(`fault ${message}`),
};

/** Milliseconds that an end may put back: longer than the test is patient. */
const AT_END = 999_999;
const until = { stopping: false, filling: false, away: false };
const begun = new Promise<void>((resolve) => {
  process.stdin.on('data', (text: Buffer) => {
    if (text.toString().includes('stop')) until.stopping = true;
    if (text.toString().includes('fill')) until.filling = until.away = true;
    resolve();
  });
});
// The test has just made the tables: to compare them would be half of what a start costs.
const store = watchStore(await openStore({ url, migrate: false, checked: true, poolSize: 2 }), hit);
const count = { add: () => {} };
let gone = 0;
const isGone = (): boolean => (gone = gone > 0 ? gone - 1 : random() < 0.15 ? 3 : 0) > 0;
const tree = new LedgerTree({
  store: watchTree(ledgerTree(store), hit),
  signer: watchSigner(toSigner('ipo.dev/ledger/kill', process.env.IPO_TEST_KEY ?? ''), hit),
  clock: { now: () => Date.now() },
  log: quiet,
});
// One that is killed does not keep what was compiled of it.
flushCompileCache();
say('ready');
await begun;
const spool = watchSpool(await openFileSpool({ directory, log: quiet }), hit);
const writer = unsteady(
  ledgerWriter(store),
  () => until.away || (!until.filling && !until.stopping && isGone()),
);
const appender = new Appender(
  {
    writer,
    spool,
    timers: { after: (ms, act) => realTimers.after(ms === AT_END ? ms : Math.min(ms, 2), act) },
    log: quiet,
    count,
  },
  { deadline: 1_000_000 },
);

let next = Number(number) * 100_000;
const appendOne = async (): Promise<void> => {
  const again = random() < 0.1 && next % 100_000 > 0;
  const n = again ? next - 1 : next++;
  try {
    await appender.append(review(n, (n % 3) + 1));
    hit('before the answer');
    say(String(n));
  } catch (error) {
    say(`fault ${(error as Error).message}`);
  }
};
if (until.filling) {
  // All of these wait in the spool; the end puts them back in several transactions, unless it is killed.
  await Promise.all(Array.from({ length: 300 }, appendOne));
  say('ending');
  until.away = false;
  await appender.close(AT_END);
  await store.close();
  process.exit(0);
}
while (!until.stopping) {
  await Promise.all(Array.from({ length: 1 + Math.floor(random() * 12) }, appendOne));
  if (random() < 0.5) {
    try {
      const note = (await tree.checkpoint())?.note;
      if (note !== undefined) say(`note ${Buffer.from(note).toString('base64')}`);
    } catch (error) {
      say(`${isBusy(error) ? 'unsigned' : 'fault'} ${(error as Error).message}`);
    }
  }
}
while (appender.delayed) await new Promise((resolve) => setImmediate(resolve));
await tree
  .checkpoint()
  .catch((error: Error) => say(`${isBusy(error) ? 'unsigned' : 'fault'} ${error.message}`));
await appender.close();
await store.close();
process.exit(0);
