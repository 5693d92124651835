import type { Note, ReplicaLine } from './replica.ts';

/** Holder is a replica that may hold rows, and up to when it is known to hold none; null when that never was. */
export interface Holder {
  readonly name: string;
  readonly cleanAt: number | null;
}

/** Account tells for which time every row is known to be in the database. */
export interface Account {
  /** Whether every replica has answered: then what the ledger has not of a pod that was listed before the question, nobody has. */
  readonly whole: boolean;
  /** When the oldest question was asked that all have answered; null when there is none. By the clocks of who asked. */
  readonly since: number | null;
  /** Who may hold rows. */
  readonly holders: readonly Holder[];
}

/** UNREAD stands for the notes of a Lease that could not be read. */
export const UNREAD = '(the Lease)';

/**
 * accountOf tells who has not answered a question. A replica that ended clean, or that a person forgot, has nothing to answer. A note on
 * the Lease speaks for a replica whose line was lost, or put back to an earlier state. `notes` null: they could not be read. Pure.
 */
export function accountOf(
  token: string,
  lines: readonly ReplicaLine[],
  notes: readonly Note[] | null,
): Account {
  const holders: Holder[] = lines
    .filter((line) => line.endedAt === null && line.forgottenAt === null && line.answered !== token)
    .map(({ name, cleanAt }) => ({ name, cleanAt }));
  const known = new Map(lines.map((line) => [line.name, line]));
  for (const { name, since } of notes ?? []) {
    const line = known.get(name);
    const over =
      line === undefined ? -Infinity : Math.max(line.endedAt ?? -Infinity, line.forgottenAt ?? -Infinity);
    if (line?.answered === token || over >= since || holders.some((holder) => holder.name === name)) continue;
    holders.push({ name, cleanAt: line?.cleanAt ?? null });
  }
  if (notes === null) holders.push({ name: UNREAD, cleanAt: null });
  const since = holders
    .map(({ cleanAt }) => cleanAt)
    .reduce((a, b) => (a === null || b === null ? null : Math.min(a, b)), Infinity);
  return { whole: holders.length === 0, since: since === Infinity ? null : since, holders };
}
