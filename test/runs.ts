import type { TestContext } from 'node:test';

/** Share is the part of the full count that one process of `npm run torture` has: the `part`-th of `of`, from 1. */
export interface Share {
  readonly part: number;
  readonly of: number;
  /** What is drawn by chance begins with it; null lets each property draw its own. */
  readonly seed: number | null;
}

/** Turns are numbered from 0; a process takes those from `from` and before `until`. */
export interface Turns {
  readonly from: number;
  readonly until: number;
}

/**
 * parseShare reads `IPO_TORTURE`: `1` for the full count, `3/20` for the third of twenty shares of it, and `3/20:4711` for the same with
 * a seed. Null without it. Throws RangeError.
 */
export function parseShare(text: string | undefined): Share | null {
  if (text === undefined || text === '' || text === '0') return null;
  const [whole, part = '', of = '1', seed] = /^(\d{1,9})(?:\/(\d{1,9}))?(?::(\d{1,10}))?$/.exec(text) ?? [];
  const share = { part: Number(part), of: Number(of), seed: seed === undefined ? null : Number(seed) };
  if (whole === undefined || share.part < 1 || share.part > share.of)
    throw new RangeError(`IPO_TORTURE="${text}" is neither 1 nor a share such as 3/20 or 3/20:4711`);
  return share;
}

/** turnsOf gives the turns of a share; those of all shares are `total` turns, each once. */
export function turnsOf(total: number, { part, of }: Share): Turns {
  return { from: Math.floor((total * (part - 1)) / of), until: Math.floor((total * part) / of) };
}

/** FACTOR is how many times more `npm run torture` asks of a property than the test command does. */
const FACTOR = 40;
const share = parseShare(process.env['IPO_TORTURE']);
let cases = 0;

/** TORTURE tells whether this is the full count, or a share of it. */
export const TORTURE = share !== null;

if (share !== null) {
  // Properties that name no seed draw another one in each share.
  if (share.seed !== null) {
    const { default: fc } = await import('fast-check');
    fc.configureGlobal({ seed: Math.imul(share.seed + share.part, 0x9e_37_79_b1) });
  }
  process.on('exit', () => {
    if (cases > 0) process.stdout.write(`counted: ${cases} cases\n`);
  });
}

/** runs gives the number of cases of a property: as many as given; under torture 40 times as many, or the share of those. */
export function runs(usual: number, factor = FACTOR): number {
  if (share === null) return usual;
  const { from, until } = turnsOf(usual * factor, share);
  const count = Math.max(usual, until - from);
  cases += count;
  return count;
}

/** turns gives the turns of a list or of seeds that this process takes: the first `usual`, or its share of `torture` of them. */
export function turns(usual: number, torture: number): Turns {
  return share === null ? { from: 0, until: usual } : turnsOf(torture, share);
}

/** counted tells the runner of the torture what a test did, by what it is called: it adds them up. */
export function counted(t: TestContext, counts: Readonly<Record<string, number>>): void {
  const told = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  t.diagnostic(`counted: ${told.join(', ')}`);
}
