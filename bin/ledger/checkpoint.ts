import { openBytes, openLedgerDatabase } from '../../src/app/index.ts';
import { isIpoError } from '../../src/base/index.ts';
import {
  fromBase64,
  keptOfExport,
  openCheckpoint,
  parseKept,
  parseVkey,
  proveConsistency,
  readCheckpoint,
  toBase64,
  TreeError,
  verifyConsistency,
  type Checkpoint,
  type Hash,
  type KeptCheckpoint,
  type NoteKey,
} from '../../src/ledger/index.ts';
import type { LedgerCheckpointOptions } from './options.ts';
import { clean } from '../terminal/clean.ts';
import { EXIT, type ExitCode } from '../terminal/exit.ts';
import { findLedger, type LedgerSource } from './source.ts';
import { openOutcome } from '../terminal/outcome.ts';
import { openParts } from '../terminal/parts.ts';
import { withService } from '../service/client.ts';
import type { GlobalOptions, Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../terminal/usage.ts';
import { readKeys } from './flags.ts';

const MAX_NOTE_FILE = 2 * 1024 * 1024;

/** Newest is the newest checkpoint of a ledger, and what can be asked about it. */
interface Newest {
  readonly note: string;
  /** Verifier's key that the ledger itself names; null where it names none. */
  readonly key: string | null;
  /** The proof that it extends an earlier size; null where that cannot be had. */
  prove(before: number, size: number): Promise<readonly Hash[] | null>;
}

/** runLedgerCheckpoint is `ipo ledger checkpoint`: prints it, checks it, keeps it. */
export async function runLedgerCheckpoint(
  options: LedgerCheckpointOptions,
  terminal: Terminal,
  globals: GlobalOptions,
): Promise<ExitCode> {
  const source = findLedger(options, terminal);
  const outcome = openOutcome(options.output, terminal);
  if (options.save === '-')
    throw new UsageError('--save -: a checkpoint is saved to a file', 'Leave --save out to print it');
  const parts = openParts(terminal);
  const given = await readKeys(options.key ?? [], parts);
  return withNewest(source, terminal, async ({ note, key: named, prove }) => {
    const own = named === null ? [] : [parseVkey(named)];
    const keys = given.length > 0 ? given : own;
    const checkpoint = keys.length > 0 ? openCheckpoint(note, keys) : readCheckpoint(note);
    const say = (text: string): void =>
      globals.quiet ? undefined : terminal.err(`ipo: ${clean(text, 1000)}\n`);
    if (options.save !== undefined) {
      const saved = await savedIn(options.save, parts.readText);
      for (const one of saved) await holdExtends(one, checkpoint, keys, prove);
      const before = saved.at(-1)?.checkpoint ?? null;
      await parts.writeFile(options.save, note);
      say(savedText(options.save, before, checkpoint));
    }
    const { origin, size, root } = checkpoint;
    const key = keys.find(({ name }) => name === origin);
    const signature = key === undefined ? 'unchecked' : 'valid';
    const saved = options.save ?? null;
    const body = { origin, size, root: toBase64(root), signature, key: key?.vkey ?? null, note, saved };
    let text = options.save === undefined ? note : '';
    if (options.verify) text = describe(checkpoint, key, given.length > 0);
    await outcome.write(body, text);
    return EXIT.done;
  });
}

function savedText(path: string, before: Checkpoint | null, now: Checkpoint): string {
  if (before === null) return `saved in ${path}; verify against it with --checkpoint ${path}`;
  if (before.size === now.size)
    return `the ledger has not grown since the checkpoint of ${before.size} rows in ${path}`;
  return `the ledger extends the checkpoint of ${before.size} rows that was saved before; ${path} now has the one of ${now.size} rows`;
}

async function withNewest<T>(
  source: LedgerSource,
  terminal: Terminal,
  act: (newest: Newest) => Promise<T>,
): Promise<T> {
  if (source.kind === 'ledger') {
    const name = source.path === '-' ? 'stdin' : source.path;
    const bytes = await openBytes(source.path, terminal.stdin);
    const { note, range } = await keptOfExport(bytes, name, 'no checkpoint can be read from the export');
    return act({ note, key: range?.tree.key ?? null, prove: async () => null });
  }
  if (source.kind === 'database') {
    const { tree, close } = await openLedgerDatabase(source.url);
    try {
      const newest = await tree.newestCheckpoint();
      if (newest === null)
        throw new TreeError('not_found', 'nothing is signed yet', {
          hint: 'A running service signs every minute',
        });
      const prove = (before: number, size: number) => proveConsistency(tree, before, size);
      return await act({ note: newest.note, key: await tree.key(), prove });
    } finally {
      await close();
    }
  }
  return withService(terminal, source.flags, async (service) => {
    const [{ body: note }, { body: ledger }] = [
      await service.text('GET /ledger/checkpoint'),
      await service.json<{ key: string }>('GET /ledger'),
    ];
    const prove = async (from: number, to: number) => {
      const { body } = await service.json<{ proof: unknown[] }>('GET /ledger/consistency', {
        query: { from, to },
      });
      return body.proof.map((text) => (typeof text === 'string' ? fromBase64(text) : null) ?? '');
    };
    return act({ note, key: ledger.key, prove });
  });
}

/** The checkpoints that are saved in a file, the smallest first; none when there is no file. */
async function savedIn(
  path: string,
  readText: (path: string, max: number) => Promise<string>,
): Promise<readonly KeptCheckpoint[]> {
  let text: string;
  try {
    text = await readText(path, MAX_NOTE_FILE);
  } catch (error) {
    const code = isIpoError(error) ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    if (code === 'ENOENT') return [];
    throw error;
  }
  return parseKept(text, path).toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
}

/** Throws TreeError `integrity` when the ledger does not extend what was kept: then the file is left as it is. */
async function holdExtends(
  { source, note, checkpoint: before }: KeptCheckpoint,
  now: Checkpoint,
  keys: readonly NoteKey[],
  prove: Newest['prove'],
): Promise<void> {
  const kept = `the checkpoint of ${before.size} rows that was saved before`;
  const fail = (why: string): TreeError =>
    new TreeError('integrity', `${kept} ${why}`, {
      hint: 'The file was not changed; compare with ipo ledger verify --checkpoint',
    });
  if (before.origin !== now.origin)
    throw new TreeError(
      'integrity',
      `${source} has a checkpoint of another log, ${before.origin}; this ledger is ${now.origin}`,
      { hint: `Name another file; ${source} was not changed` },
    );
  if (keys.length > 0) {
    try {
      openCheckpoint(note, keys);
    } catch (error) {
      if (error instanceof TreeError) throw fail(`is not signed by the key of this ledger: ${error.message}`);
      throw error;
    }
  }
  if (before.size > now.size) throw fail(`has more rows than the newest, which has ${now.size}`);
  if (before.size === now.size) {
    if (before.root !== now.root) throw fail('has another root hash than the newest of the same size');
    return;
  }
  if (before.size === 0) return;
  const proof = await prove(before.size, now.size);
  if (proof === null) {
    throw new UsageError(
      'an export cannot prove that it extends the checkpoint that is saved in the file',
      'Verify the export with --checkpoint first, or use --server or --database',
    );
  }
  const fault = verifyConsistency(before.size, now.size, proof, before.root, now.root);
  if (fault !== null) throw fail(`is not extended by the newest of ${now.size} rows: ${fault}`);
}

function describe({ origin, size, root }: Checkpoint, key: NoteKey | undefined, isGiven: boolean): string {
  const signed =
    key === undefined
      ? 'not verified: no key is known'
      : `valid (key ${key.keyId})${isGiven ? '' : ', with the key that the ledger itself names'}`;
  return [
    `log        ${clean(origin)}`,
    `rows       ${size}`,
    `root       ${toBase64(root)}`,
    `signature  ${signed}`,
    ...(key === undefined ? [] : [`key        ${key.vkey}`]),
    '',
  ].join('\n');
}
