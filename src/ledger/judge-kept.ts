import { formatTime } from '../base/index.ts';
import type { Hash } from './merkle.ts';
import { openOfEnded, type EndedLog } from './ended-log.ts';
import { signersOf, type KeptCheckpoint } from './kept.ts';
import type { NoteKey } from './note.ts';
import { verifyConsistency } from './proof.ts';
import type { RangeProof } from './range-proof.ts';
import { rowsText, type Findings } from './verification.ts';

/** ConsistencyProver gives the proof that the tree of `size` rows extends that of `before`; null where it cannot be had. */
export type ConsistencyProver = (before: number, size: number) => Promise<readonly Hash[] | null>;

/** Ledger is what kept checkpoints are held against. */
export interface JudgedLedger {
  /** Name of the log; null where nothing proves it. */
  readonly origin: string | null;
  /** Keys that may have signed what was kept. */
  readonly keys: readonly NoteKey[];
  /** Rows of the tree, or where there is none the newest row. */
  readonly size: number;
  /** Its root as it was signed; null where no signature holds. */
  readonly root: Hash | null;
  /** Logs that a restore ended, whose rows are those of this ledger. */
  readonly ended?: readonly EndedLog[];
  /** The first row that is missing; null when none is. */
  readonly firstMissing: number | null;
  /** The root at a size, from the rows themselves; null where they do not reach it. */
  rootAt(size: number): Hash | null;
  /** The first rows that differ from what a kept export says of them; null when none does. */
  tileAt(kept: RangeProof): { readonly from: number; readonly to: number } | null;
}

/**
 * judgeKept holds a ledger against checkpoints that were stored outside the service, the smallest first, so that the first that does not
 * agree tells between which sizes history was changed. Gives the size of the largest that agrees, 0 for none.
 */
export async function judgeKept(
  { kept, prove }: { readonly kept: readonly KeptCheckpoint[]; readonly prove?: ConsistencyProver },
  findings: Findings,
  ledger: JudgedLedger,
): Promise<number> {
  const sorted = kept.toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
  let agreed = 0;
  let good = 0;
  const open: number[] = [];
  for (const one of sorted) {
    const { source, checkpoint } = one;
    const { size } = checkpoint;
    const what = `the checkpoint of ${size} rows that was kept in ${source}`;
    const fault = foreign(one, ledger);
    if (fault !== null) {
      findings.failed('kept_checkpoint', `${what} ${fault}`);
      findings.foreign = isOfAnother(one, ledger);
      return good;
    }
    if (size > ledger.size) {
      const missing = `${rowsText(ledger.size + 1, size)} ${size === ledger.size + 1 ? 'is' : 'are'} missing`;
      findings.failed(
        'kept_checkpoint',
        `${what} proves that there were more rows than ${ledger.size}: ${missing}`,
      );
      findings.suspect({ from: ledger.size + 1, to: size, text: missing });
      return good;
    }
    const { firstMissing } = ledger;
    if (firstMissing !== null && firstMissing <= size) {
      findings.failed(
        'kept_checkpoint',
        `${what} proves that row ${firstMissing} was there, which is missing`,
      );
      return good;
    }
    const answer = await agrees(checkpoint, ledger, prove);
    if (answer === null) {
      open.push(size);
      continue;
    }
    if (answer !== '') {
      findings.failed('kept_checkpoint', `${what} does not agree: ${answer}`);
      const from = good + 1;
      const place = one.range === null ? null : ledger.tileAt(one.range);
      if (place !== null && place.to >= from)
        findings.suspect({
          ...place,
          text: `${rowsText(place.from, place.to)} differ from those in ${source}`,
        });
      else
        findings.suspectBetween({
          from,
          to: size,
          text: `${rowsText(from, size)} are not those that the given checkpoints prove`,
        });
      return good;
    }
    agreed += 1;
    good = size;
  }
  if (agreed > 0) {
    const [names] = [[...new Set(kept.map(({ source }) => source))].slice(0, 3).join(', ')];
    findings.held(
      'kept_checkpoint',
      agreed === 1
        ? `the checkpoint of ${good} rows that was kept in ${names} agrees`
        : `${agreed} given checkpoints (${names}) agree, the last of ${good} rows`,
    );
  }
  if (open.length > 0) {
    findings.notChecked(
      'kept_checkpoint',
      `the rows do not reach ${open.length === 1 ? `the given checkpoint of ${open[0]} rows` : `${open.length} of the given checkpoints`}; export from an earlier day, or verify the service`,
    );
  }
  return good;
}

/** Why a checkpoint of a log that a restore ended is not of this ledger: it proves rows that were lost. */
function lostOf(size: number, { size: left, endedAt, successor }: EndedLog): string | null {
  return size <= left
    ? null
    : `proves ${rowsText(left + 1, size)} of a log that was restored from a backup of ${left} rows on ${formatTime(endedAt)}: they are lost, and ${successor} goes on without them`;
}

/** Why a kept checkpoint is not of this ledger; null when it is. */
function foreign(kept: KeptCheckpoint, { origin, keys, ended = [] }: JudgedLedger): string | null {
  const { checkpoint } = kept;
  const before = openOfEnded(kept.note, checkpoint.origin, ended);
  if (before !== null) return lostOf(checkpoint.size, before.log);
  if (isOfAnother(kept, { origin, ended }))
    return `belongs to another log (${checkpoint.origin}); this ledger is ${origin}`;
  // Where no signature of the ledger holds, that is said already, and the rows are still held against what was kept.
  if (keys.length === 0 || signersOf(kept, keys).length > 0) return null;
  return 'is not signed by the key of this ledger: the key was replaced, or the checkpoint was changed';
}

/** Whether a checkpoint is that of another log, which proves nothing about this one. */
function isOfAnother(
  { note, checkpoint }: KeptCheckpoint,
  { origin, ended = [] }: Pick<JudgedLedger, 'origin' | 'ended'>,
): boolean {
  return (
    origin !== null && checkpoint.origin !== origin && openOfEnded(note, checkpoint.origin, ended) === null
  );
}

/** Empty when it agrees, else what is wrong; null when nothing at hand can tell. */
async function agrees(
  { size, root }: { readonly size: number; readonly root: Hash },
  ledger: JudgedLedger,
  prove: ConsistencyProver | undefined,
): Promise<string | null> {
  const own = ledger.rootAt(size) ?? (size === ledger.size ? ledger.root : null);
  if (own !== null) return own === root ? '' : `the first ${size} rows are others now`;
  if (prove === undefined || ledger.root === null || size === 0) return null;
  const proof = await prove(size, ledger.size);
  if (proof === null) return null;
  return verifyConsistency(size, ledger.size, proof, root, ledger.root) ?? '';
}
