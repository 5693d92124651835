import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { DAY_MS } from '../../src/base/index.ts';
import { grow, NOW } from '../ledger/grown.ts';
import { sqlite } from '../store/engines.ts';
import { packageOfStore } from './of-store.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ipo-package-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** fileIn names a file in a folder that is gone after the tests. */
export const fileIn = (name: string): string => join(FOLDER, name);

/** signedPackage makes the package of a signed ledger of `rows` rows. */
export async function signedPackage(rows: number): Promise<Buffer> {
  const ends: (() => unknown)[] = [];
  const store = await sqlite.open({ after: (act: () => unknown) => void ends.push(act) } as never);
  try {
    await grow(store, 0, rows);
    return await packageOfStore(store, {
      from: NOW - 300 * DAY_MS,
      to: NOW + DAY_MS,
      now: NOW + 2 * DAY_MS,
    });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** flipped writes a file with one bit changed and gives its path. */
export function flipped(bytes: Buffer, place: number, name = 'flipped.zip'): string {
  const changed = Buffer.from(bytes);
  changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
  writeFileSync(fileIn(name), changed);
  return fileIn(name);
}

/** placesIn gives `count` places of the bytes `from` to `to`, spread evenly, with the first and the last. */
export function placesIn(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + Math.round((i * (to - 1 - from)) / (count - 1)));
}

/** entryOf gives where the content of a file of a package stands in its archive. */
export function entryOf(bytes: Buffer, wanted: string): { readonly from: number; readonly to: number } {
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const [packed, length] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const from = at + 30 + length;
    if (bytes.toString('latin1', at + 30, from) === wanted) return { from, to: from + packed };
    at = from + packed;
  }
  throw new Error(`${wanted} is not in the package`);
}
