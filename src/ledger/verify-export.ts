import { openCheckpoint, type Checkpoint } from './checkpoint.ts';
import { auditExport, type ExportAudit } from './export-audit.ts';
import { judgeKept, type ConsistencyProver } from './judge-kept.ts';
import type { KeptCheckpoint } from './kept.ts';
import { differingTile, findPlace } from './locate-change.ts';
import { parseNote, parseVkey, verifyNote, type NoteKey } from './note.ts';
import { rootAround } from './range-proof.ts';
import { TreeError } from './tree-error.ts';
import { Findings, NO_OUTSIDE, rowsText, type Verification } from './verification.ts';

/** VerifyOptions are what a verifier knows from elsewhere. */
export interface VerifyOptions {
  /** Keys that may have signed; without them the key that the ledger itself names. */
  readonly keys: readonly NoteKey[];
  /** Checkpoints that were stored outside the service. */
  readonly kept: readonly KeptCheckpoint[];
  /** Proves consistency of sizes that the rows at hand do not reach; absent where nobody can be asked. */
  readonly prove?: ConsistencyProver;
  /** Who gives the rows and the key; an export where it is absent. */
  readonly from?: 'export' | 'service';
  /** Told the rows read so far. */
  readonly progress?: (rows: number) => void;
}

/**
 * verifyExport verifies an export (already decompressed): its rows against the tree that its header reports, that against its signed
 * checkpoint, and against the checkpoints that were stored outside the service. Nothing is fetched but by `prove`. Throws LedgerError
 * `format` or `empty` for what is not an export, `damaged` or `truncated` where its header cannot be read; everything else is part of the
 * answer.
 */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  options: VerifyOptions,
): Promise<Verification> {
  const sizes = options.kept.map(({ checkpoint }) => checkpoint.size);
  const audit = await auditExport(chunks, file, sizes, options.progress);
  const findings = new Findings();
  const { tree, chain } = audit;
  judgeRows(audit, findings);
  const roots = chain.roots(tree?.left ?? []);
  const signed = judgeSignature(audit, options, findings);
  const isFramed = judgeTree(audit, signed?.checkpoint ?? null, findings);
  const own = signed === null ? [] : [signed.key];
  await judgeKept(options, findings, {
    origin: signed?.checkpoint.origin ?? null,
    keys: options.keys.length > 0 ? options.keys : own,
    size: tree?.size ?? chain.last ?? 0,
    root: signed?.checkpoint.root ?? null,
    firstMissing: chain.firstMissing,
    rootAt: (size) => (isFramed ? (roots?.get(size) ?? null) : null),
    tileAt: differingTile(chain.pieces() ?? []),
  });
  addLimits(audit, options, signed !== null, findings);
  return {
    subject: 'export',
    name: file,
    holds: findings.holds,
    tree: signed?.checkpoint ?? null,
    key: signed?.key.vkey ?? null,
    rows: rowsOf(audit, signed !== null),
    checks: findings.sorted(),
    firstBad: findings.firstBad,
    isForeign: findings.isForeign,
    isCut: audit.isCut,
    limits: findings.limits,
  };
}

/** Adds what such a verification cannot show. */
function addLimits(
  { tree, chain, header }: ExportAudit,
  { keys, kept, from = 'export' }: Pick<VerifyOptions, 'keys' | 'kept' | 'from'>,
  isSigned: boolean,
  findings: Findings,
): void {
  if (kept.length === 0 && (isSigned || chain.count === 0)) findings.limits.push(NO_OUTSIDE);
  if (keys.length === 0 && isSigned)
    findings.limits.push(
      `The signature was checked with a key from the ${from} itself, so nothing shows whose key it is.`,
    );
  if (tree !== null && (tree.first > 1 || tree.last < tree.size))
    findings.limits.push(
      `${from === 'service' ? 'The service gave' : 'By its header, the export has'} only ${rowsText(tree.first, tree.last)} of ${tree.size}. The other rows are there only as hashes.`,
    );
  if (header.images !== 0)
    findings.limits.push(
      'The tree covers only the rows. It does not cover the facts of images and the documents of policies.',
    );
}

function rowsOf({ chain }: ExportAudit, isSigned: boolean): Verification['rows'] {
  if (chain.count === 0) return { count: 0, signed: 0, first: null, last: null };
  return {
    count: chain.count,
    signed: isSigned ? chain.count : 0,
    first: (chain.expected ?? 0) + 1,
    last: chain.last,
  };
}

function judgeRows({ chain, damage, tree }: ExportAudit, findings: Findings): void {
  for (const fault of chain.faults.slice(0, 100)) findings.suspect(fault);
  const faults = [...chain.faults.map(({ text }) => text), ...damage];
  if (faults.length > 0) {
    const more = faults.length > 3 ? `; and ${faults.length - 3} more` : '';
    findings.failed('rows', `${faults.slice(0, 3).join('; ')}${more}`);
    return;
  }
  const names = chain.count === 0 ? 'no rows' : rowsText((chain.expected ?? 0) + 1, chain.last ?? 0);
  findings.held(
    'rows',
    `${names}: all are there${tree === null ? '' : ', as the header says'}, in the right order`,
  );
}

const NOT_SIGNED = 'the export is not signed: there is nothing to verify it against';

/** The checkpoint of the last line, when its signature holds and it is the one that the header names. */
function judgeSignature(
  { tree, seal, chain, damage }: ExportAudit,
  { keys, kept }: Pick<VerifyOptions, 'keys' | 'kept'>,
  findings: Findings,
): { readonly checkpoint: Checkpoint; readonly key: NoteKey } | null {
  // A new ledger, or a period without admissions: an alarm over nothing would teach to overlook alarms.
  if (tree === null && seal === null && chain.count === 0 && chain.faults.length + damage.length === 0) {
    findings.notChecked('signature', 'the export holds no rows, so there is nothing that could be signed');
    return null;
  }
  if (tree === null && seal === null) {
    // Without a key or a kept checkpoint nobody asked for a signature, and what was never signed is not a sign of tampering.
    if (keys.length === 0 && kept.length === 0) findings.notChecked('signature', NOT_SIGNED);
    else
      findings.failed(
        'signature',
        `${keys.length > 0 ? 'a key' : 'a checkpoint'} was given, but the export carries no signed checkpoint`,
      );
    return null;
  }
  if (tree === null) {
    findings.failed('signature', 'the header names no tree, which the signed checkpoint is about');
    return null;
  }
  if (seal === null) {
    findings.failed('signature', 'the signed checkpoint is missing; it is the last line of an export');
    return null;
  }
  try {
    const known = keys.length > 0 ? keys : [parseVkey(tree.key)];
    const checkpoint = openCheckpoint(seal.note, known);
    if (checkpoint.size !== tree.size || checkpoint.root !== tree.root) {
      findings.failed(
        'signature',
        `what was signed (${checkpoint.size} rows) is not the tree that the header names (${tree.size} rows)`,
      );
      return null;
    }
    const key = verifyNote(parseNote(seal.note), known).find(
      ({ name }) => name === checkpoint.origin,
    ) as NoteKey;
    findings.held(
      'signature',
      `the checkpoint of ${checkpoint.size} rows is signed by ${key.name} (key ${key.keyId})`,
    );
    return { checkpoint, key };
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    findings.failed('signature', error.message);
    return null;
  }
}

/**
 * Holds the rows against the root that the header names, and finds where they part. Tells whether the hashes of the rows before the
 * first are known to be right, without which the rows give no root.
 */
function judgeTree(
  { tree, seal, chain }: ExportAudit,
  signed: Checkpoint | null,
  findings: Findings,
): boolean {
  if (tree === null) return true;
  const rootText = `the root of the tree of ${tree.size} rows`;
  const whole = chain.whole();
  if (whole === null) {
    findings.failed('tree', 'too many rows are missing to compare the others with the tree');
    return false;
  }
  const root = rootAround(tree, whole);
  const place = seal === null ? null : findPlace(tree, seal, chain.pieces() ?? [], signed?.root ?? tree.root);
  if (root === tree.root) {
    if (place === null || place.rows === null) findings.held('tree', `the rows give ${rootText}`);
    else
      findings.failed(
        'tree',
        `the rows give ${rootText}, but the hashes that the export carries beside its checkpoint were changed`,
      );
    return true;
  }
  if (place === null) {
    findings.failed('tree', `the rows do not give ${rootText}`);
    if (chain.faults.length === 0 && tree.first <= tree.last)
      findings.suspectBetween({ from: tree.first, to: tree.last, text: `the rows do not give ${rootText}` });
  } else {
    findings.failed('tree', `the rows do not give ${rootText}: ${place.text}`);
    if (place.rows !== null) findings.suspectUnder({ ...place.rows, text: place.text });
  }
  return tree.left.length === 0 || (place?.isProved ?? false);
}
