import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { verifyDatabase } from '../src/ledger/index.ts';
import { parsePolicies } from '../src/policy/index.ts';
import { FactsCache, ledgerTree, ledgerWriter, openStore, replaySource } from '../src/store/index.ts';
import { runWhatIf } from '../src/whatif/index.ts';
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

/**
 * Group commit against raw append with fdatasync of the same reviews as lines of JSON. The two take turns with every group, so
 * that what else the machine does hits both; of several rounds the worst counts.
 */
async function append(url: string): Promise<object> {
  const store = await openStore({ url });
  const writer = ledgerWriter(store);
  const file = openSync(join(dirname(url.slice('sqlite:'.length)), 'raw.log'), 'a');
  let at = ENDS_AT;
  const rounds: { ours: number; raw: number }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const spent = { ours: 0, raw: 0 };
    for (let i = 0; i < GROUPS; i += 1) {
      // As fresh as a review that was just parsed.
      const group = Array.from({ length: GROUP }, () => reviewAt((at += 1), at, 'f'.repeat(64)));
      const began = performance.now();
      await writer.appendAll(group);
      const between = performance.now();
      writeSync(file, group.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fdatasyncSync(file);
      spent.ours += between - began;
      spent.raw += performance.now() - between;
    }
    if (round >= 0) rounds.push(spent); // the first warms up
  }
  closeSync(file);
  await store.close();
  const middle = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;
  const shares = rounds.map(({ ours, raw }) => raw / ours);
  return {
    rate: (GROUPS * GROUP * 1000) / middle(rounds.map(({ ours }) => ours)),
    worst: Math.min(...shares),
    median: middle(shares),
  };
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

async function verify(url: string): Promise<object> {
  const store = await openStore({ url, readOnly: true });
  const began = performance.now();
  const { holds } = await verifyDatabase(ledgerTree(store), 'bench', { keys: [], kept: [] });
  if (!holds) throw new Error('the ledger of the benchmark does not verify');
  await store.close();
  return { ms: performance.now() - began };
}

const [what, url = '', rows = '0'] = process.argv.slice(2);
const began = performance.now();
const answer =
  what === 'build'
    ? await buildStore(url, Number(rows)).then(() => ({ ms: performance.now() - began }))
    : what === 'append'
      ? await append(url)
      : what === 'newest'
        ? await replay(url, 5000, 15)
        : what === 'period'
          ? await replay(url, 0, 1)
          : await verify(url);
process.stdout.write(`${JSON.stringify({ ...answer, rss: process.resourceUsage().maxRSS / 1024 })}\n`);
