import { spread } from './spread.ts';
import { load, rateOf, type Server } from './webhook-process.ts';

/** Line prints a figure beside what it must be. */
type Line = (name: string, figure: string, must: string) => void;

const ROUNDS = 7;
/** Calls under way at a time. */
const LOOP = 32;
const RATE = 300;

/**
 * compareRow prints what a review costs of what it costs the "bare row", a server that parses it and makes one row durable: without pause,
 * where many share a commit, and at 300 a second, where nearly each has its own. The two take turns.
 */
export async function compareRow(row: Server, ours: Server, line: Line, quick: boolean): Promise<void> {
  const [many, few] = quick ? [8_000, 900] : [20_000, 3_000];
  for (const server of [row, ours]) await load(server, 15_000, 0, LOOP); // warms up
  const rates: number[] = [];
  const costs: number[] = [];
  const waits: number[] = [];
  const used: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [row, ours] : [ours, row];
    const rate = new Map<Server, number>();
    const cost = new Map<Server, number>();
    const wait = new Map<Server, number>();
    for (const server of order) rate.set(server, await rateOf(server, many, LOOP));
    for (const server of order) {
      const before = await server.use();
      const { count, p99 } = await load(server, few, RATE);
      cost.set(server, ((await server.use()).cpu - before.cpu) / count);
      wait.set(server, p99);
    }
    const of = (figures: Map<Server, number>): number =>
      (figures.get(ours) as number) / (figures.get(row) as number);
    rates.push(of(rate));
    costs.push(of(cost));
    waits.push(of(wait));
    used.push((cost.get(ours) as number) * 1e6);
  }
  line('reviews per CPU-second, of the bare row', spread(rates, Math.min), 'at least 0.70, aim 0.90');
  line('CPU of a review at 300 a second, of the bare row', spread(costs, Math.max), 'at most 1.2, aim 1.0');
  line('  us', spread(used, Math.max), '');
  line('p99 at 300 a second, of the bare row', spread(waits, Math.max), 'at most 1.3, aim 1.1: the median');
}
