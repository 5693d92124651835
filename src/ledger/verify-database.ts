import { formatTime } from '../base/index.ts';
import { openCheckpoint, type Checkpoint } from './checkpoint.ts';
import { walkDatabase, type DatabaseWalk } from './database-walk.ts';
import type { EndedLog } from './ended-log.ts';
import { judgeKept } from './judge-kept.ts';
import { readLeafRuns } from './leaf-runs.ts';
import { differingTile } from './locate-change.ts';
import { parseVkey, type NoteKey } from './note.ts';
import { TreeError } from './tree-error.ts';
import type { LeafRun, SignedCheckpoint, TreeReader } from './tree-ports.ts';
import { Findings, NO_OUTSIDE, rowsText, type Verification } from './verification.ts';
import type { VerifyOptions } from './verify-export.ts';

/** More checkpoints than a database keeps. */
const MAX_STORED = 20_000;

/**
 * verifyDatabase verifies the ledger in a database: every row against the stored tree, that tree against itself, the stored checkpoints
 * against the rows, and all of it against the checkpoints that were stored outside the service. Rows may be appended meanwhile. `rows` are
 * all of them in runs, the lowest first, for faster hashing.
 */
export async function verifyDatabase(
  reader: TreeReader,
  name: string,
  { keys: given, kept, progress = () => undefined }: VerifyOptions,
  rows: AsyncIterable<readonly LeafRun[]> = readLeafRuns(reader),
): Promise<Verification> {
  const findings = new Findings();
  const stored = await reader.checkpoints(0, MAX_STORED);
  const ended = await endedOf(reader);
  const covered = await reader.size();
  const keys = given.length > 0 ? given : keysOf(await reader.key());
  const wanted = new Set([
    ...kept.map(({ checkpoint }) => checkpoint.size),
    ...stored.map(({ size }) => size),
  ]);
  const counted = await reader.rows();
  const walk = await walkDatabase(
    reader,
    rows,
    [...wanted].toSorted((a, b) => a - b),
    progress,
  );
  judgeRows(walk, { counted, covered, countedAfter: await reader.rows() }, findings);
  const newest = judgeStored(walk, stored, keys, findings);
  judgeTree(walk, covered, stored, findings);
  const agreed = await judgeKept({ kept }, findings, {
    origin: newest?.origin ?? null,
    keys,
    ended,
    size: walk.last,
    root: null,
    firstMissing: walk.missing[0]?.from ?? null,
    rootAt: (size) => walk.roots.get(size) ?? null,
    tileAt: differingTile(walk.pieces),
  });
  judgeEnded(ended, findings);
  if (kept.length === 0) findings.limits.push(NO_OUTSIDE);
  if (given.length === 0 && keys.length > 0)
    findings.limits.push(
      'The signatures were checked with the key that the database itself names, which does not show whose key it is.',
    );
  const signed = Math.min(Math.max(newest?.size ?? 0, keys.length > 0 ? agreed : 0), walk.last);
  judgeUnsigned(walk.last, signed, findings);
  return {
    subject: 'database',
    name,
    holds: findings.holds,
    tree: newest,
    key: newest === null ? null : (keys.find((key) => key.name === newest.origin)?.vkey ?? null),
    rows: {
      count: walk.count,
      signed: Math.min(signed, walk.count),
      first: walk.count === 0 ? null : 1,
      last: walk.count === 0 ? null : walk.last,
    },
    checks: findings.sorted(),
    firstBad: findings.firstBad,
    isForeign: findings.isForeign,
    limits: findings.limits,
  };
}

async function endedOf(reader: TreeReader): Promise<readonly EndedLog[]> {
  return (await reader.ended?.()) ?? [];
}

function keysOf(vkey: string | null): NoteKey[] {
  try {
    return vkey === null ? [] : [parseVkey(vkey)];
  } catch (error) {
    if (error instanceof TreeError) return [];
    throw error;
  }
}

interface Sizes {
  /** Rows that the ledger counts: before the walk, and after it. */
  readonly counted: number;
  readonly countedAfter: number;
  /** Rows that the stored tree covers. */
  readonly covered: number;
}

function judgeRows({ last, missing, count }: DatabaseWalk, sizes: Sizes, findings: Findings): void {
  const faults = [...missing];
  const expected = Math.max(sizes.counted, sizes.covered);
  if (last < expected) {
    const text = `${rowsText(last + 1, expected)} ${last + 1 === expected ? 'is' : 'are'} missing`;
    faults.push({ from: last + 1, to: expected, text });
  }
  if (last > sizes.countedAfter) {
    const from = sizes.countedAfter + 1;
    faults.push({
      from,
      to: last,
      text: `${rowsText(from, last)} ${from === last ? 'was' : 'were'} added: the ledger counts ${sizes.countedAfter}`,
    });
  }
  for (const fault of faults.slice(0, 100)) findings.suspect(fault);
  const [first] = faults;
  if (first === undefined)
    findings.held('rows', count === 0 ? 'there are no rows' : `${rowsText(1, last)}: none is missing`);
  else {
    const shown = faults.slice(0, 3).map(({ text }) => text);
    findings.failed(
      'rows',
      `${shown.join('; ')}${faults.length > 3 ? `; and ${faults.length - 3} more` : ''}`,
    );
  }
}

/** What a restore lost is said with every verification: it can never be shown again. */
function judgeEnded(ended: readonly EndedLog[], findings: Findings): void {
  if (ended.length === 0) return;
  findings.notChecked(
    'lost_rows',
    ended
      .map(
        ({ origin, size, lostTo, endedAt, successor }) =>
          `${rowsText(size + 1, lostTo)} of the log ${origin} ${lostTo - size === 1 ? 'was' : 'were'} lost when the service was restored on ${formatTime(endedAt)}; ${successor} goes on after row ${size}`,
      )
      .join('; '),
  );
}

/** Rows that no checkpoint covers agree with everything, no matter who wrote them: they are told apart, never counted as signed. */
function judgeUnsigned(last: number, signed: number, findings: Findings): void {
  if (last === 0) return;
  if (signed === last) {
    findings.held('signed_rows', `a signed checkpoint covers ${last === 1 ? 'the row' : `all ${last} rows`}`);
    return;
  }
  const rows = last - signed === 1 ? '1 row' : `${last - signed} rows`;
  findings.notChecked(
    'signed_rows',
    signed === 0 ? `no row is signed yet (${rows})` : `rows after ${signed} are not signed yet (${rows})`,
  );
  findings.limits.push(
    'Rows that are not signed may have been added or changed by anyone who can write to the database. A running service signs every minute.',
  );
}

/** Holds the stored checkpoints against the rows; gives the newest whose signature holds and with which the rows agree. */
function judgeStored(
  { roots, last }: DatabaseWalk,
  stored: readonly SignedCheckpoint[],
  keys: readonly NoteKey[],
  findings: Findings,
): Checkpoint | null {
  let newest: Checkpoint | null = null;
  for (const one of stored) {
    const { size } = one;
    const opened = open(one, keys);
    if (typeof opened === 'string') {
      findings.failed('stored_checkpoints', `the stored checkpoint of ${size} rows: ${opened}`);
      return newest;
    }
    const root = roots.get(size);
    if (size > last) {
      findings.failed(
        'stored_checkpoints',
        `the stored checkpoint of ${size} rows proves that ${rowsText(last + 1, size)} were there`,
      );
      findings.suspect({ from: last + 1, to: size, text: `${rowsText(last + 1, size)} missing` });
      return newest;
    }
    if (root !== undefined && root !== opened.root) {
      findings.failed(
        'stored_checkpoints',
        `the rows do not give the root that was signed over ${size} of them`,
      );
      const from = (newest?.size ?? 0) + 1;
      findings.suspectBetween({
        from,
        to: size,
        text: `${rowsText(from, size)} differ from the signed rows`,
      });
      return newest;
    }
    newest = opened;
  }
  if (newest === null) findings.notChecked('stored_checkpoints', 'no checkpoint was signed yet');
  else {
    findings.held(
      'stored_checkpoints',
      stored.length === 1
        ? `the one stored checkpoint, of ${newest.size} rows, is signed and agrees with the rows`
        : `${stored.length} stored checkpoints are signed and agree with the rows, the last of ${newest.size} rows`,
    );
  }
  return newest;
}

/** The checkpoint of a stored note, or why it is none. */
function open({ note, size, root }: SignedCheckpoint, keys: readonly NoteKey[]): Checkpoint | string {
  if (keys.length === 0) return 'no key is known to check its signature with';
  try {
    const checkpoint = openCheckpoint(note, keys);
    return checkpoint.size === size && checkpoint.root === root
      ? checkpoint
      : 'its note says something else than its columns';
  } catch (error) {
    if (error instanceof TreeError) return error.message;
    throw error;
  }
}

/** Holds the rows against the stored tree. Where the rows are those that were signed, it is the tree that was changed. */
function judgeTree(
  { differing, storedFaults, roots }: DatabaseWalk,
  covered: number,
  stored: readonly SignedCheckpoint[],
  findings: Findings,
): void {
  if (differing === null && storedFaults.length === 0) {
    findings.held(
      'stored_tree',
      covered === 0
        ? 'the stored tree is empty'
        : `the stored tree over ${covered} rows has the hash of each`,
    );
    return;
  }
  const signed = stored.find(({ size }) => size >= (differing ?? 1));
  const isRowRight = differing !== null && signed !== undefined && roots.get(signed.size) === signed.root;
  const texts = [
    ...(differing === null
      ? []
      : [
          isRowRight
            ? `the stored tree has another hash for row ${differing}, though the row is as it was signed`
            : `row ${differing} is not the one that the stored tree has the hash of`,
        ]),
    ...storedFaults.slice(0, 2),
  ];
  findings.failed('stored_tree', texts.join('; '));
  if (differing !== null && !isRowRight)
    findings.suspect({
      from: differing,
      to: differing,
      text: `row ${differing} differs from the row in the tree`,
    });
}
