import { hash } from 'node:crypto';
import { closeSync, existsSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashRows } from '../src/app/doors/hash-rows.ts';
import { leafText, recordedRow, verifyDatabase, type LedgerEntry } from '../src/ledger/index.ts';
import { parsePolicies } from '../src/policy/index.ts';
import { FactsCache, ledgerTree, ledgerWriter, openStore, replaySource } from '../src/store/index.ts';
import { runWhatIf } from '../src/whatif/index.ts';
import { BareRows, type BareRow } from './bare-rows.ts';
import { IN_FORCE } from './big-ledger.ts';
import { buildStore, ENDS_AT, reviewAt } from './ledger-store.ts';

/**
 * One measurement of the ledger in a process of its own: `ledger-measure.ts build|append|newest|period|verify URL [ROWS]`. Prints
 * one JSON line.
 */
const DRAFT = IN_FORCE.replace(
  'severityThreshold: CRITICAL',
  'severityThreshold: HIGH\n  denyLatestTag: true',
);
const GROUP = 256;
const GROUPS = 80;
const ROUNDS = 7;
const VERIFY_ROUNDS = 5;
/** The program of the threads that hash, as it is delivered: sources take seven times as long to load. */
const BUILT_THREAD = join(import.meta.dirname, '../dist/hash-worker.cjs');

/**
 * Group commit against raw append with fdatasync of the same reviews as lines of JSON, and against a bare table of better-sqlite3. They
 * take turns with every group, so that what else the machine does hits all; of several rounds the worst counts.
 */
async function append(url: string): Promise<object> {
  const store = await openStore({ url, turn: 'first' }); // as the process that answers reviews has it
  const writer = ledgerWriter(store);
  await writer.follow();
  const directory = dirname(url.slice('sqlite:'.length));
  const file = openSync(join(directory, 'raw.log'), 'a');
  const bare = new BareRows(join(directory, 'bare.db'));
  let at = ENDS_AT;
  const rounds: { ours: number; raw: number; bare: number }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const spent = { ours: 0, raw: 0, bare: 0 };
    for (let i = 0; i < GROUPS; i += 1) {
      // As fresh as a review that was just parsed.
      const group = Array.from({ length: GROUP }, () => reviewAt((at += 1), at, 'f'.repeat(64)));
      const began = performance.now();
      if ((writer.appendNow?.(group) ?? null) === null) await writer.appendAll(group); // as `Appender` does
      const between = performance.now();
      writeSync(file, group.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fdatasyncSync(file);
      const synced = performance.now();
      bare.append(group.map(bareRow));
      spent.ours += between - began;
      spent.raw += synced - between;
      spent.bare += performance.now() - synced;
    }
    if (round >= 0) rounds.push(spent); // the first warms up
  }
  closeSync(file);
  await store.close();
  const middle = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;
  const shares = rounds.map(({ ours, raw }) => raw / ours);
  const ofBare = rounds.map((spent) => spent.bare / spent.ours);
  return {
    rate: (GROUPS * GROUP * 1000) / middle(rounds.map(({ ours }) => ours)),
    worst: Math.min(...shares),
    median: middle(shares),
    worstOfBare: Math.min(...ofBare),
    medianOfBare: middle(ofBare),
  };
}

function bareRow({ uid, rows }: LedgerEntry): BareRow {
  const { at, namespace, pod, image, allowed } = rows[0] as LedgerEntry['rows'][number];
  return { at, uid: uid ?? '', namespace: namespace ?? '', pod: pod ?? '', image: image ?? '', allowed };
}

/** What-if over the newest rows, or all of 30 days, with the answer as JSON: the first in a process, and the median of more. */
async function replay(url: string, limit: number, times: number): Promise<object> {
  const policy = parsePolicies(DRAFT, 'draft.yaml').policies[0]?.policy;
  if (policy === undefined) throw new Error('no draft');
  const store = await openStore({ url, readOnly: true });
  const facts = new FactsCache();
  const took: number[] = [];
  let evaluated = 0;
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    const source = await replaySource(store, { coldImagePolicy: 'AllowAndScan', facts });
    const result = await runWhatIf({ draft: policy, asOf: ENDS_AT, days: 30, limit, source: null }, source);
    if (JSON.stringify(result).length === 0) throw new Error('no answer');
    took.push(performance.now() - began);
    evaluated = result.evaluated;
  }
  await store.close();
  const [first] = took;
  return { evaluated, first, ms: took.toSorted((a, b) => a - b)[took.length >> 1] };
}

/** Verification, as the command makes it, against hashing the leaves of as many rows, which is the least that it must do; the two take turns. */
async function verify(url: string): Promise<object> {
  const store = await openStore({ url, readOnly: true });
  const tree = ledgerTree(store);
  const threads = existsSync(BUILT_THREAD) ? { entry: BUILT_THREAD } : {};
  const leaves = Array.from({ length: 5000 }, (_, i) => reviewAt(ENDS_AT + i, i, 'f'.repeat(64)))
    .flatMap(({ uid, rows }) => rows.map((row) => recordedRow(uid, row, null)))
    .map((row, i) => Buffer.from(`\0${leafText({ ...row, id: 500_000 + i })}`));
  const count = await tree.rows();
  const took: number[] = [];
  const shares: number[] = [];
  for (let round = 0; round < VERIFY_ROUNDS; round += 1) {
    const began = performance.now();
    for (let i = 0; i < count; i += 1) hash('sha256', leaves[i % leaves.length] as Buffer, 'binary');
    const between = performance.now();
    const { holds } = await verifyDatabase(
      tree,
      'bench',
      { keys: [], kept: [] },
      hashRows(url, tree, threads),
    );
    if (!holds) throw new Error('the ledger of the benchmark does not verify');
    took.push(performance.now() - between);
    shares.push((between - began) / (performance.now() - between));
  }
  await store.close();
  const middle = (list: number[]): number => list.toSorted((x, y) => x - y)[list.length >> 1] ?? NaN;
  return { ms: middle(took), worst: Math.min(...shares), median: middle(shares) };
}

const [what, url = '', rows = '0'] = process.argv.slice(2);
const began = performance.now();
const measures: Readonly<Record<string, () => Promise<object>>> = {
  build: () => buildStore(url, Number(rows)).then(() => ({ ms: performance.now() - began })),
  append: () => append(url),
  newest: () => replay(url, 5000, 15),
  period: () => replay(url, 0, 1),
};
const answer = await (measures[what ?? ''] ?? (() => verify(url)))();
process.stdout.write(`${JSON.stringify({ ...answer, rss: process.resourceUsage().maxRSS / 1024 })}\n`);
