import { join } from 'node:path';
import { BareRows } from './bare-rows.ts';
import { rowOf } from './webhook-bare.ts';
import { openReviewer } from './webhook-ours.ts';
import { POD_MARK, reviewBody, UID_MARK } from './webhook-review.ts';

/**
 * One review at a time, without a port, beside raw commits of one row: `webhook-alone.ts FOLDER ROUNDS COUNT`. The two take turns with
 * every review, so that what else the machine does hits both, and of each round their medians are compared. Prints one JSON line: the ratio
 * of each round, and microseconds of a review, of only reading it by `JSON.parse`, and of a raw commit.
 */
const [folder = '', rounds = '5', count = '2000'] = process.argv.slice(2);
const { reviewer } = await openReviewer(folder);
const raw = new BareRows(join(folder, 'alone.db'));
const bodies = Array.from({ length: 64 }, (_, n) => {
  const bytes = Buffer.from(reviewBody(n));
  return { bytes, places: [UID_MARK, POD_MARK].map((mark) => bytes.indexOf(mark)), row: rowOf(bytes) };
});
const run = process.pid.toString(16).padStart(8, '0').slice(-8);
const middle = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;

const ratios: number[] = [];
const spent: Record<'ours' | 'parse' | 'raw', number[]> = { ours: [], parse: [], raw: [] };
let sent = 0;
for (let round = -1; round < Number(rounds); round += 1) {
  const took: typeof spent = { ours: [], parse: [], raw: [] };
  for (let i = 0; i < Number(count); i += 1) {
    const { bytes, places, row } = bodies[sent % bodies.length] as (typeof bodies)[number];
    const number = (sent += 1).toString(16).padStart(12, '0');
    for (const [n, place] of places.entries())
      bytes.write(`${run}-000${n}-4000-8000-${number}`, place, 'latin1');
    const body = Buffer.from(bytes); // as fresh as one that was just read from a socket
    await new Promise((resolve) => setImmediate(resolve));
    const began = performance.now();
    const { status } = await reviewer.review(body);
    const reviewed = performance.now();
    if (status !== 200) throw new Error(`a review was answered with ${status}`);
    rowOf(body);
    const parsed = performance.now();
    raw.append([row]);
    took.raw.push(performance.now() - parsed);
    took.parse.push(parsed - reviewed);
    took.ours.push(reviewed - began);
  }
  if (round < 0) continue; // the first warms up
  ratios.push(middle(took.ours) / middle(took.raw));
  for (const name of ['ours', 'parse', 'raw'] as const) spent[name].push(middle(took[name]) * 1000);
}
process.stdout.write(
  `${JSON.stringify({ ratios, ours: middle(spent.ours), parse: middle(spent.parse), raw: middle(spent.raw) })}\n`,
);
process.exit(0);
